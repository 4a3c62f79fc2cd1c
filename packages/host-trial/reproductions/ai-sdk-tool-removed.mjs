// AI SDK: a conversation whose approved call has no tool any more takes no message.
// Rows of ai-sdk: tool-removed
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, tool } from "ai";
import { z } from "zod";
import { model } from "./model.mjs";

const baseURL = await model([["pay", '{"to":"b"}']]);
const chat = createOpenAICompatible({ name: "m", baseURL })("m");
const pay = tool({ inputSchema: z.object({ to: z.string() }), needsApproval: true, execute: () => "paid" });
const messages = [{ role: "user", content: "pay b" }];
const { content, responseMessages } = await generateText({ model: chat, tools: { pay }, messages });
const { approvalId } = content.find(({ type }) => type === "tool-approval-request");
const approve = { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] };
messages.push(...responseMessages, approve, { role: "user", content: "hello" });
await generateText({ model: chat, tools: {}, messages }).catch(({ message }) => console.log(message));
//> Tool result is missing for tool call call_1.
