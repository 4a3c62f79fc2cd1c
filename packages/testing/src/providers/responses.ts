import { recordsOf, usualUsage, type ProviderApi, type Spoken } from "./api.ts";
import { checkResponses, responsesRules } from "./responses-rules.ts";

/** OpenAI's Responses API. */
export const responsesApi: ProviderApi = {
  name: "Responses",
  model: "m",
  baseUrl: (origin) => `${origin}/v1`,
  body: ({ text, reasoning, calls = [], stop, usage = usualUsage }) => ({
    id: "resp_1",
    object: "response",
    model: "m",
    status: stop === undefined ? "completed" : "incomplete",
    ...(stop !== undefined && {
      incomplete_details: { reason: stop === "length" ? "max_output_tokens" : "content_filter" },
    }),
    output: [
      ...(reasoning === undefined
        ? []
        : [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: reasoning }]),
      ...(text === undefined ? [] : [messageItem(text)]),
      ...calls.map(({ id, ...call }) => ({ type: "function_call", id: `fc_${id}`, call_id: id, ...call })),
    ],
    ...(usage !== null && {
      usage: {
        input_tokens: usage.input,
        output_tokens: usage.output,
        input_tokens_details: { cached_tokens: usage.cached },
        output_tokens_details: { reasoning_tokens: usage.reasoning },
      },
    }),
  }),
  events(spoken: Spoken) {
    const body = responsesApi.body(spoken) as { output: readonly object[]; status: string };
    const items = body.output.flatMap((item, at) => [
      { type: "response.output_item.added", output_index: at, item },
      { type: "response.output_item.done", output_index: at, item },
    ]);
    return [...items, { type: `response.${body.status}`, response: body }];
  },
  outputs: ({ input }) =>
    recordsOf(input)
      .filter(({ type }) => type === "function_call_output")
      .map(({ call_id: id, output }) => [
        String(id),
        typeof output === "string" ? output : JSON.stringify(output),
      ]),
  segments: ({ tools, instructions, input }) => [tools ?? [], instructions ?? "", ...recordsOf(input)],
  rules: responsesRules,
  check: checkResponses,
  overflow: () => ({
    status: 400,
    body: {
      error: {
        message:
          "Your input exceeds the context window of this model. Please adjust your input and try again.",
        type: "invalid_request_error",
        param: "input",
        code: "context_length_exceeded",
      },
    },
  }),
};

function messageItem(text: string) {
  return {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
}
