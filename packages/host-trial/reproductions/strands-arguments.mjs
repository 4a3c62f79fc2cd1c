// Strands Agents: an integer beyond 2^53 is changed, and a member __proto__ is lost.
// Rows of strands: big-integer, proto
import { Agent, tool } from "@strands-agents/sdk";
import { OpenAIModel } from "@strands-agents/sdk/models/openai";
import { z } from "zod";
import { model } from "./model.mjs";

const baseURL = await model([
  ["store", '{"amount":9007199254740993,"value":{"__proto__":{"paid":true},"a":1}}'],
]);
const chat = new OpenAIModel({ api: "chat", modelId: "m", apiKey: "k", clientConfig: { baseURL } });
const inputSchema = z.object({ amount: z.number(), value: z.looseObject({}) });
const callback = (given) => (console.log(JSON.stringify(given)), "stored");
const store = tool({ name: "store", description: "Stores.", inputSchema, callback });
await new Agent({ model: chat, tools: [store], printer: false }).invoke("store");
//> {"amount":9007199254740992,"value":{"a":1}}
