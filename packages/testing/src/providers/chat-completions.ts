import { randomUUID } from "node:crypto";
import { recordsOf, usualUsage, type ProviderApi, type Spoken, type SpokenCall } from "./api.ts";
import { chatRules, checkChat } from "./chat-rules.ts";

/** Chat Completions, the older API of OpenAI, which most local servers offer. */
export const chatApi: ProviderApi = {
  name: "Chat Completions",
  model: "openai-compatible:m",
  baseUrl: (origin) => `${origin}/v1`,
  body(spoken) {
    const { text, reasoning, calls = [] } = spoken;
    const message = {
      role: "assistant",
      content: text ?? null,
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
    };
    const finish_reason = reasonOf(spoken);
    return {
      id: `chatcmpl-${randomUUID()}`,
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message, finish_reason }],
      ...usageOf(spoken),
    };
  },
  events(spoken) {
    const { text, reasoning, calls = [] } = spoken;
    const id = `chatcmpl-${randomUUID()}`;
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      id,
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason }],
    });
    return [
      // As from OpenAI's server: the first part names the role, and has no text.
      chunk({ role: "assistant", content: calls.length > 0 ? null : "" }),
      ...(reasoning === undefined ? [] : [chunk({ reasoning_content: reasoning })]),
      ...(text === undefined ? [] : [chunk({ content: text })]),
      ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...toolCall(call) }] })),
      { ...chunk({}, reasonOf(spoken)), ...usageOf(spoken) },
    ];
  },
  outputs: ({ messages }) =>
    recordsOf(messages)
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id: id, content }) => [
        String(id),
        typeof content === "string" ? content : JSON.stringify(content),
      ]),
  segments: ({ tools, messages }) => [tools ?? [], ...recordsOf(messages)],
  rules: chatRules,
  check: checkChat,
  overflow: (tokens, window) => ({
    status: 400,
    body: {
      error: {
        message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
  }),
};

const toolCall = ({ id, ...call }: SpokenCall) => ({ id, type: "function", function: call });

function usageOf({ usage = usualUsage }: Spoken): object {
  if (usage === null) return {};
  return {
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached },
      completion_tokens_details: { reasoning_tokens: usage.reasoning },
    },
  };
}

function reasonOf({ calls = [], stop }: Spoken): string {
  if (stop !== undefined) return stop === "length" ? "length" : "content_filter";
  return calls.length > 0 ? "tool_calls" : "stop";
}
