import { randomUUID } from "node:crypto";
import { parsedOr, recordOf, recordsOf, usualUsage, type ProviderApi, type Spoken } from "./api.ts";
import { anthropicRules, checkAnthropic } from "./anthropic-rules.ts";

/** Anthropic's Messages API, for `startProvider`. */
export const anthropicApi: ProviderApi = {
  name: "Anthropic Messages",
  model: "anthropic:m",
  baseUrl: (origin) => `${origin}/v1`,
  body: (spoken) => ({
    id: `msg_${randomUUID()}`,
    type: "message",
    role: "assistant",
    model: "m",
    content: blocksOf(spoken),
    stop_reason: reasonOf(spoken),
    stop_sequence: null,
    usage: usageOf(spoken),
  }),
  events: (spoken) => [
    {
      type: "message_start",
      message: {
        id: `msg_${randomUUID()}`,
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usageOf(spoken), output_tokens: 0 },
      },
    },
    ...blocksOf(spoken).flatMap((block, index) => eventsOf(block, index, spoken)),
    {
      type: "message_delta",
      delta: { stop_reason: reasonOf(spoken), stop_sequence: null },
      usage: { output_tokens: usageOf(spoken).output_tokens },
    },
    { type: "message_stop" },
  ],
  outputs: ({ messages }) =>
    recordsOf(messages)
      .flatMap(({ content }) => recordsOf(content))
      .filter(({ type }) => type === "tool_result")
      .map(({ tool_use_id: id, content }) => [String(id), textIn(content)]),
  segments: ({ tools, system, messages }) =>
    [tools ?? [], system ?? "", ...recordsOf(messages)].map(withoutMarks),
  rules: anthropicRules,
  check: checkAnthropic,
  overflow: (tokens, window) => ({
    status: 400,
    body: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: `prompt is too long: ${tokens} tokens > ${window} maximum`,
      },
    },
  }),
};

interface Block {
  readonly type: string;
  readonly [member: string]: unknown;
}

function blocksOf({ text, reasoning, calls = [] }: Spoken): readonly Block[] {
  return [
    ...(reasoning === undefined ? [] : [{ type: "thinking", thinking: "hm", signature: reasoning }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, name, arguments: given }) => ({
      type: "tool_use",
      id,
      name,
      input: parsedOr(given),
    })),
  ];
}

function reasonOf({ calls = [], stop }: Spoken): string {
  if (stop !== undefined) return stop === "length" ? "max_tokens" : "refusal";
  return calls.length > 0 ? "tool_use" : "end_turn";
}

/** Returns the usage of an answer. The API always reports usage, so a server that counts nothing reports 0. */
function usageOf({ usage = usualUsage }: Spoken) {
  const { input, cached, output } = usage ?? { input: 0, cached: 0, output: 0 };
  return {
    input_tokens: input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: output,
  };
}

function eventsOf(block: Block, index: number, { calls = [] }: Spoken): readonly object[] {
  const { type } = block;
  const given = calls.find(({ id }) => id === block["id"])?.arguments ?? "";
  const empty =
    type === "text"
      ? { type, text: "" }
      : type === "thinking"
        ? { type, thinking: "", signature: "" }
        : { ...block, input: {} };
  const deltas =
    type === "text"
      ? [{ type: "text_delta", text: block["text"] }]
      : type === "thinking"
        ? [
            { type: "thinking_delta", thinking: block["thinking"] },
            { type: "signature_delta", signature: block["signature"] },
          ]
        : [{ type: "input_json_delta", partial_json: given }];
  return [
    { type: "content_block_start", index, content_block: empty },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return recordsOf(content)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("");
}

/** Removes the marks of the cache. They say how far the cache reaches, but the cache does not compare them. */
function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(recordOf(value)).filter(([key]) => key !== "cache_control");
  return Object.fromEntries(pairs.map(([key, inner]) => [key, withoutMarks(inner)]));
}
