// Mastra: an integer beyond 2^53 is changed, and the members of __proto__ become arguments.
// Rows of mastra: big-integer, proto
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { model } from "./model.mjs";

const baseURL = await model([
  ["store", '{"amount":9007199254740993,"value":{"__proto__":{"paid":true},"a":1}}'],
]);
const inputSchema = z.object({ amount: z.number(), value: z.looseObject({}) });
const execute = async (given) => console.log(JSON.stringify(given));
const store = createTool({ id: "store", description: "Stores.", inputSchema, execute });
const chat = createOpenAICompatible({ name: "m", baseURL })("m");
const agent = new Agent({ id: "a", name: "a", instructions: "Help.", model: chat, tools: { store } });
await agent.generate("store");
//> {"amount":9007199254740992,"value":{"a":1,"paid":true}}
