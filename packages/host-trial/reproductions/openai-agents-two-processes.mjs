// OpenAI Agents: one stored state that two requests approve at the same time runs the call twice.
// Rows of openai-agents: two-processes
import { Agent, OpenAIProvider, Runner, RunState, tool } from "@openai/agents";
import { z } from "zod";
import { model } from "./model.mjs";

const baseURL = await model([["pay", '{"to":"b"}']]);
const execute = () => console.log("paid");
const parameters = z.object({ to: z.string() });
const pay = tool({ name: "pay", description: "Pays.", parameters, needsApproval: true, execute });
const agent = new Agent({ name: "a", model: "m", tools: [pay] });
const modelProvider = new OpenAIProvider({ apiKey: "k", baseURL, useResponses: false });
const runner = new Runner({ modelProvider, tracingDisabled: true });
const stored = (await runner.run(agent, "pay b")).state.toString();
const approve = async () => {
  const state = await RunState.fromString(agent, stored);
  state.approve(state.getInterruptions()[0]);
  await runner.run(agent, state);
};
await Promise.all([approve(), approve()]);
//> paid
//> paid
