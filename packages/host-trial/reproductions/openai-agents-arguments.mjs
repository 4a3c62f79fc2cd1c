// OpenAI Agents: an integer beyond 2^53 is changed, and a member __proto__ is lost.
// Rows of openai-agents: big-integer, proto
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { z } from "zod";
import { model } from "./model.mjs";

const baseURL = await model([
  ["store", '{"amount":9007199254740993,"value":{"__proto__":{"paid":true},"a":1}}'],
]);
const parameters = z.object({ amount: z.number(), value: z.looseObject({}) });
const execute = (given) => console.log(JSON.stringify(given));
const store = tool({ name: "store", description: "Stores.", parameters, execute });
const modelProvider = new OpenAIProvider({ apiKey: "k", baseURL, useResponses: false });
const agent = new Agent({ name: "a", model: "m", tools: [store] });
await new Runner({ modelProvider, tracingDisabled: true }).run(agent, "store");
//> {"amount":9007199254740992,"value":{"a":1}}
