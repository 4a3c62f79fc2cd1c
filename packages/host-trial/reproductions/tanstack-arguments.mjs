// TanStack AI: an integer beyond 2^53 is changed, and a member __proto__ is lost.
// Rows of tanstack: big-integer, proto
import { chat, toolDefinition } from "@tanstack/ai";
import { openaiCompatibleText } from "@tanstack/ai-openai/compatible";
import { z } from "zod";
import { model } from "./model.mjs";

const baseURL = await model([
  ["store", '{"amount":9007199254740993,"value":{"__proto__":{"paid":true},"a":1}}'],
]);
const inputSchema = z.object({ amount: z.number(), value: z.looseObject({}) });
const definition = toolDefinition({ name: "store", description: "Stores.", inputSchema });
const tools = [definition.server((given) => console.log(JSON.stringify(given)))];
const adapter = openaiCompatibleText("m", { baseURL, apiKey: "k" });
const messages = [{ role: "user", content: "store" }];
for await (const _ of chat({ adapter, messages, tools }));
//> {"amount":9007199254740992,"value":{"a":1}}
