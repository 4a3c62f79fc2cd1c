// AI SDK: an approval that a client sends again runs the call again.
import { generateText, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";

const call = { type: "tool-call", toolCallId: "c1", toolName: "pay", input: '{"to":"b"}' };
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const answer = (content, unified) => ({ content, usage, finishReason: { unified }, warnings: [] });
const replies = [
  answer([call], "tool-calls"),
  ...Array(9).fill(answer([{ type: "text", text: "Paid." }], "stop")),
];
const model = new MockLanguageModelV4({ doGenerate: async () => replies.shift() });
const pay = () => console.log("paid");
const tools = { pay: tool({ inputSchema: z.object({ to: z.string() }), needsApproval: true, execute: pay }) };

const messages = [{ role: "user", content: "pay b" }];
const { content, responseMessages } = await generateText({ model, tools, messages });
const { approvalId } = content.find(({ type }) => type === "tool-approval-request");
const approve = { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] };
messages.push(...responseMessages, approve);
messages.push(...(await generateText({ model, tools, messages })).responseMessages, approve);
await generateText({ model, tools, messages });
