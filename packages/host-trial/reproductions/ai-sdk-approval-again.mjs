// AI SDK: an approval that a client sends again runs the call again.
// Rows of ai-sdk: answer-twice, used-before-the-death, two-processes
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, tool } from "ai";
import { z } from "zod";
import { model } from "./model.mjs";

const baseURL = await model([["pay", '{"to":"b"}']]);
const execute = () => console.log("paid");
const tools = { pay: tool({ inputSchema: z.object({ to: z.string() }), needsApproval: true, execute }) };
const settings = { model: createOpenAICompatible({ name: "m", baseURL })("m"), tools };
const messages = [{ role: "user", content: "pay b" }];
const { content, responseMessages } = await generateText({ ...settings, messages });
const { approvalId } = content.find(({ type }) => type === "tool-approval-request");
const approve = { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] };
messages.push(...responseMessages, approve);
messages.push(...(await generateText({ ...settings, messages })).responseMessages, approve);
await generateText({ ...settings, messages });
//> paid
//> paid
