import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** What the model of a test answers, in no provider's format. */
interface Spoken {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly stop?: "length" | "filter";
}

/** What the server of a test does with one request. */
export type Reply =
  | Spoken
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** Sends the beginning of an answer and closes the connection. */
  | { readonly breaks: true }
  /** Never answers. */
  | { readonly hangs: true };

/** The body of a request, in the provider's format. */
type WireRequest = Readonly<Record<string, unknown>>;

/** How one provider writes an answer. */
export interface Wire {
  readonly name: string;
  /** What a plan writes for the model. */
  readonly model: string;
  readonly baseUrl: (origin: string) => string;
  body(spoken: Spoken): object;
  /** Data of server-sent events. */
  events(spoken: Spoken): readonly object[];
  /** The outputs of calls in a request, by call id, in their order. */
  outputs(request: WireRequest): readonly (readonly [string, string])[];
}

const usage = { input: 10, cached: 4, output: 6, reasoning: 2 };

export const responses: Wire = {
  name: "Responses",
  model: "m",
  baseUrl: (origin) => `${origin}/v1`,
  body: ({ text, reasoning, calls = [], stop }) => ({
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
      ...(text === undefined
        ? []
        : [
            {
              type: "message",
              id: "msg_1",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text, annotations: [] }],
            },
          ]),
      ...calls.map(({ id, ...call }) => ({ type: "function_call", id: `fc_${id}`, call_id: id, ...call })),
    ],
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens_details: { reasoning_tokens: usage.reasoning },
    },
  }),
  events(spoken) {
    const body = responses.body(spoken) as { output: readonly object[]; status: string };
    const items = body.output.flatMap((item, at) => [
      { type: "response.output_item.added", output_index: at, item },
      { type: "response.output_item.done", output_index: at, item },
    ]);
    return [...items, { type: `response.${body.status}`, response: body }];
  },
  outputs: ({ input }) =>
    (input as Record<string, string>[])
      .filter(({ type }) => type === "function_call_output")
      .map(({ call_id: id, output }) => [id!, output!]),
};

export const chat: Wire = {
  name: "Chat Completions",
  model: "openai-compatible:m",
  baseUrl: (origin) => `${origin}/v1`,
  body(spoken) {
    const { text, reasoning, calls = [] } = spoken;
    const message = {
      role: "assistant",
      content: text ?? null,
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls.map(chatCall) }),
    };
    const finish_reason = chatReason(spoken);
    return {
      id: "c1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message, finish_reason }],
      usage: chatUsage,
    };
  },
  events(spoken) {
    const { text, reasoning, calls = [] } = spoken;
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason }],
    });
    return [
      ...(reasoning === undefined ? [] : [chunk({ role: "assistant", reasoning_content: reasoning })]),
      ...(text === undefined ? [] : [chunk({ role: "assistant", content: text })]),
      ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...chatCall(call) }] })),
      { ...chunk({}, chatReason(spoken)), usage: chatUsage },
    ];
  },
  outputs: ({ messages }) =>
    (messages as Record<string, string>[])
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id: id, content }) => [id!, content!]),
};

const chatCall = ({ id, ...call }: { id: string; name: string; arguments: string }) => ({
  id,
  type: "function",
  function: call,
});

const chatUsage = {
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cached },
  completion_tokens_details: { reasoning_tokens: usage.reasoning },
};

function chatReason({ calls = [], stop }: Spoken): string {
  if (stop !== undefined) return stop === "length" ? "length" : "content_filter";
  return calls.length > 0 ? "tool_calls" : "stop";
}

interface Block {
  readonly type: string;
  readonly [member: string]: unknown;
}

function anthropicBlocks({ text, reasoning, calls = [] }: Spoken): readonly Block[] {
  return [
    ...(reasoning === undefined ? [] : [{ type: "thinking", thinking: "hm", signature: reasoning }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, name, arguments: given }) => ({ type: "tool_use", id, name, input: parsed(given) })),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function anthropicReason({ calls = [], stop }: Spoken): string {
  if (stop !== undefined) return stop === "length" ? "max_tokens" : "refusal";
  return calls.length > 0 ? "tool_use" : "end_turn";
}

const anthropicUsage = {
  input_tokens: usage.input - usage.cached,
  cache_read_input_tokens: usage.cached,
  cache_creation_input_tokens: 0,
  output_tokens: usage.output,
};

export const anthropic: Wire = {
  name: "Anthropic Messages",
  model: "anthropic:m",
  baseUrl: (origin) => `${origin}/v1`,
  body: (spoken) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: anthropicBlocks(spoken),
    stop_reason: anthropicReason(spoken),
    stop_sequence: null,
    usage: anthropicUsage,
  }),
  events: (spoken) => [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...anthropicUsage, output_tokens: 0 },
      },
    },
    ...anthropicBlocks(spoken).flatMap((block, index) => anthropicEvents(block, index, spoken)),
    {
      type: "message_delta",
      delta: { stop_reason: anthropicReason(spoken), stop_sequence: null },
      usage: { output_tokens: usage.output },
    },
    { type: "message_stop" },
  ],
  outputs: ({ messages }) =>
    (messages as { content: unknown }[])
      .flatMap(({ content }) => (Array.isArray(content) ? (content as Record<string, unknown>[]) : []))
      .filter(({ type }) => type === "tool_result")
      .map(({ tool_use_id: id, content }) => [String(id), textIn(content)]),
};

function anthropicEvents(block: Block, index: number, { calls = [] }: Spoken): readonly object[] {
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
  return (content as { text?: string }[]).map(({ text = "" }) => text).join("");
}

export const gemini: Wire = {
  name: "Gemini",
  model: "google:m",
  baseUrl: (origin) => `${origin}/v1beta`,
  body: ({ text, reasoning, calls = [], stop }) => ({
    responseId: "r1",
    modelVersion: "m",
    candidates: [
      {
        index: 0,
        content: {
          role: "model",
          parts: [
            ...(text === undefined ? [] : [{ text }]),
            ...calls.map(({ id, name, arguments: given }) => ({
              functionCall: { id, name, args: parsed(given) },
              ...(reasoning !== undefined && { thoughtSignature: reasoning }),
            })),
          ],
        },
        finishReason: stop === undefined ? "STOP" : stop === "length" ? "MAX_TOKENS" : "SAFETY",
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.input,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: usage.output - usage.reasoning,
      thoughtsTokenCount: usage.reasoning,
      totalTokenCount: usage.input + usage.output,
    },
  }),
  events: (spoken) => [gemini.body(spoken)],
  outputs: ({ contents }) =>
    (contents as { parts: { functionResponse?: { id?: string; response: Record<string, unknown> } }[] }[])
      .flatMap(({ parts }) => parts)
      .flatMap(({ functionResponse: output }) =>
        output === undefined ? [] : [[output.id ?? "", JSON.stringify(output.response)] as const],
      ),
};

/** A server of one wire on loopback. */
export async function serveWire(
  wire: Wire,
  replies: readonly Reply[] | ((at: number) => Reply),
  /** Other answers of the server, by path. They are not counted as requests to the model. */
  facts: Readonly<Record<string, object | null>> = {},
) {
  const described = { "/api/show": null, "/v1/models/m/endpoints": null, ...facts } as typeof facts;
  const requests: WireRequest[] = [];
  /** The bodies as they were sent. */
  const texts: string[] = [];
  const paths: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const text = await textOf(incoming);
    const fact = described[incoming.url ?? ""];
    if (fact !== undefined) {
      outgoing.writeHead(fact === null ? 404 : 200).end(JSON.stringify(fact));
      return;
    }
    const request = JSON.parse(text) as WireRequest;
    texts.push(text);
    paths.push(incoming.url ?? "");
    headers.push(incoming.headers);
    const at = requests.push(request) - 1;
    const reply = typeof replies === "function" ? replies(at) : replies[at];
    const isStream = request["stream"] === true || (incoming.url ?? "").includes("stream");
    send(outgoing, wire, reply ?? { status: 400 }, isStream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { requests, texts, paths, headers, baseUrl: wire.baseUrl(`http://127.0.0.1:${port}`) };
}

function send(outgoing: ServerResponse, wire: Wire, reply: Reply, isStream: boolean): void {
  if ("hangs" in reply) return;
  if ("status" in reply) {
    outgoing.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    return void outgoing.end(
      JSON.stringify({
        error: { message: `status ${reply.status}`, type: "test", code: reply.status, status: "TEST" },
        type: "error",
      }),
    );
  }
  const spoken: Spoken = "breaks" in reply ? { text: "half" } : reply;
  const lines = wire.events(spoken).map((event) => eventText(event));
  const text = isStream ? lines.join("") : JSON.stringify(wire.body(spoken));
  outgoing.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
  if (!("breaks" in reply)) return void outgoing.end(text);
  outgoing.write(text.slice(0, Math.floor(text.length / 3)));
  setImmediate(() => outgoing.destroy());
}

function eventText(event: object): string {
  const { type } = event as { readonly type?: string };
  return `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`;
}
