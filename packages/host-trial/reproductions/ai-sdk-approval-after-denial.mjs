// AI SDK: an approval after a denial of the same question runs the call.
// Rows of ai-sdk: approve-after-deny, stale-answer, denied-by-another
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
const say = (approved) => ({
  role: "tool",
  content: [{ type: "tool-approval-response", approvalId, approved }],
});
messages.push(...responseMessages, say(false));
messages.push(...(await generateText({ ...settings, messages })).responseMessages, say(true));
await generateText({ ...settings, messages });
//> paid
