// Strands Agents: one stored session that two requests approve at the same time runs the call twice.
// Rows of strands: two-processes
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { Agent, InterruptResponseContent, SessionManager, tool } from "@strands-agents/sdk";
import { OpenAIModel } from "@strands-agents/sdk/models/openai";
import { LocalFileStorage } from "@strands-agents/sdk/storage";
import { HumanInTheLoop } from "@strands-agents/sdk/vended-interventions/hitl";
import { model } from "./model.mjs";

const storage = new LocalFileStorage(mkdtempSync(`${tmpdir()}/strands-`));
const clientConfig = { baseURL: await model([["pay", "{}"]]) };
const chat = new OpenAIModel({ api: "chat", modelId: "m", apiKey: "k", clientConfig });
const pay = tool({ name: "pay", description: "Pays.", callback: () => (console.log("paid"), "paid") });
const common = { model: chat, tools: [pay], printer: false };
const interventions = [new HumanInTheLoop()];
const sessionManager = () => new SessionManager({ sessionId: "s", storage });
const agent = () => new Agent({ ...common, interventions, sessionManager: sessionManager() });
const { interrupts } = await agent().invoke("pay");
const approval = [new InterruptResponseContent({ interruptId: interrupts[0].id, response: "yes" })];
await Promise.all([agent().invoke(approval), agent().invoke(approval)]);
//> paid
//> paid
