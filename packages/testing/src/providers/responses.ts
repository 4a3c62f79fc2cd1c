import { randomUUID } from "node:crypto";
import { recordsOf, usualUsage, type ProviderApi, type Spoken } from "./api.ts";
import { checkResponses, responsesRules } from "./responses-rules.ts";

/** OpenAI's Responses API, for `startProvider`. */
export const responsesApi: ProviderApi = {
  name: "Responses",
  model: "m",
  baseUrl: (origin) => `${origin}/v1`,
  body: ({ text, reasoning, calls = [], stop, usage = usualUsage }) => ({
    id: `resp_${randomUUID()}`,
    object: "response",
    created_at: 1,
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
      ...calls.map(({ id, ...call }, at) => {
        const status = stop !== undefined && at === calls.length - 1 ? "incomplete" : "completed";
        return { type: "function_call", id: `fc_${id}`, call_id: id, ...call, status };
      }),
    ],
    ...(usage !== null && {
      usage: {
        input_tokens: usage.input,
        output_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        input_tokens_details: { cached_tokens: usage.cached },
        output_tokens_details: { reasoning_tokens: usage.reasoning },
      },
    }),
  }),
  events(spoken: Spoken) {
    const body = responsesApi.body(spoken) as { output: readonly object[]; status: string };
    const items = body.output.flatMap((item, at) => [
      { type: "response.output_item.added", output_index: at, item: begunItem(item) },
      ...deltasOf(item, at),
      { type: "response.output_item.done", output_index: at, item },
    ]);
    const begun = { ...body, status: "in_progress", output: [] };
    const all = [{ type: "response.created", response: begun }, ...items];
    return [...all, { type: `response.${body.status}`, response: body }].map((event, at) => ({
      ...event,
      sequence_number: at,
    }));
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

/** Returns an item as it is before any of it is written. */
function begunItem(item: object): object {
  return {
    ...item,
    ...("content" in item && { content: [], status: "in_progress" }),
    ...("arguments" in item && { arguments: "", status: "in_progress" }),
  };
}

/** Returns the events for the text of a message, or for the arguments of a call, as they are written. */
function deltasOf(item: object, at: number): readonly object[] {
  const { id, content, arguments: given } = item as Readonly<Record<string, unknown>>;
  const place = { item_id: id, output_index: at };
  if (typeof given === "string")
    return [{ type: "response.function_call_arguments.delta", ...place, delta: given }];
  return recordsOf(content).map(({ text }, index) => ({
    type: "response.output_text.delta",
    ...place,
    content_index: index,
    delta: text,
    logprobs: [],
  }));
}

function messageItem(text: string) {
  return {
    type: "message",
    id: `msg_${randomUUID()}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
}
