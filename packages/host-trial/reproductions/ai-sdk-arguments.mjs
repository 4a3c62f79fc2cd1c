// AI SDK: an integer beyond 2^53 is changed between the model and the tool.
// Rows of ai-sdk: big-integer
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, tool } from "ai";
import { z } from "zod";
import { model } from "./model.mjs";

const baseURL = await model([["pay", '{"amount":9007199254740993}']]);
const execute = ({ amount }) => console.log(amount);
const tools = { pay: tool({ inputSchema: z.object({ amount: z.number() }), execute }) };
await generateText({ model: createOpenAICompatible({ name: "m", baseURL })("m"), tools, prompt: "pay" });
//> 9007199254740992
