// Strands Agents: a call that a person denied runs when its tool no longer asks.
// Rows of strands: rule-changed
import { Agent, InterruptResponseContent, tool } from "@strands-agents/sdk";
import { OpenAIModel } from "@strands-agents/sdk/models/openai";
import { HumanInTheLoop } from "@strands-agents/sdk/vended-interventions/hitl";
import { model } from "./model.mjs";

const clientConfig = { baseURL: await model([["pay", "{}"]]) };
const chat = new OpenAIModel({ api: "chat", modelId: "m", apiKey: "k", clientConfig });
const pay = tool({ name: "pay", description: "Pays.", callback: () => (console.log("paid"), "paid") });
const agentOf = (allowedTools) =>
  new Agent({
    model: chat,
    tools: [pay],
    printer: false,
    interventions: [new HumanInTheLoop({ allowedTools })],
  });
const before = agentOf([]);
const { interrupts } = await before.invoke("pay");
const after = agentOf(["pay"]);
after.loadSnapshot(before.takeSnapshot({ preset: "session" }));
await after.invoke([new InterruptResponseContent({ interruptId: interrupts[0].id, response: "no" })]);
//> paid
