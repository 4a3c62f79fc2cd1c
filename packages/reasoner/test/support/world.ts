import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import {
  createHost,
  createMemoryStore,
  data,
  defineTool,
  type EventData,
  type HostOptions,
  type StateStore,
  type ToolContext,
  type ToolDefinition,
} from "@toolmount/core";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { createReasoner, settingsSchema, type Agent, type TurnEvent } from "../../src/index.ts";

/** What the server of a test answers to one request. */
export type Answer =
  | { readonly status?: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Events, or raw text of them; `open` leaves the stream without an end. */
  | { readonly stream: readonly object[] | string; readonly open?: boolean };

export type Request = Readonly<Record<string, unknown>> & {
  readonly input: readonly Readonly<Record<string, unknown>>[];
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  readonly instructions?: string;
};

/** A server of the Responses API on loopback. */
export async function serve(
  answers: readonly Answer[] | ((request: Request, at: number) => Answer | Promise<Answer>),
) {
  const requests: Request[] = [];
  const keys: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = (await json(incoming)) as Request;
    const at = requests.push(body) - 1;
    keys.push(String(incoming.headers.authorization));
    const answer = typeof answers === "function" ? await answers(body, at) : answers[at];
    send(outgoing, answer ?? { status: 400, body: { error: { message: "the test has no more answers" } } });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, keys, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

function send(outgoing: ServerResponse, answer: Answer): void {
  const isStream = "stream" in answer;
  const type = isStream ? "text/event-stream" : "application/json";
  const { status = 200, headers = {} } = isStream ? {} : answer;
  outgoing.writeHead(status, { "content-type": type, ...headers });
  if (!isStream) return void outgoing.end(JSON.stringify(answer.body));
  outgoing.write(typeof answer.stream === "string" ? answer.stream : eventText(answer.stream));
  if (answer.open !== true) outgoing.end();
}

function eventText(events: readonly object[]): string {
  return events
    .map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}

let count = 0;

/** A response with calls and text. */
export function response(output: readonly object[], more: object = {}): Answer {
  const usage = { input_tokens: 10, output_tokens: 5, input_tokens_details: { cached_tokens: 4 } };
  return {
    body: {
      id: `resp_${++count}`,
      object: "response",
      status: "completed",
      model: "m",
      output,
      usage,
      ...more,
    },
  };
}

export function call(id: string, name: string, given: object | string = {}) {
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: text, status: "completed" };
}

export function say(text: string) {
  return {
    type: "message",
    id: "msg",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
  };
}

/** A tool of any arguments. */
export function tool(
  name: string,
  execute: (params: Readonly<Record<string, unknown>>, context: ToolContext) => unknown,
  facts: Partial<ToolDefinition> = {},
) {
  return defineTool({
    name,
    description: `Does ${name}. Use in tests.`,
    usage: `Usage of ${name}.`,
    schema: z.looseObject({}),
    category: "side_effect",
    consequenceLevel: "low",
    requiresConfirmation: false,
    ...facts,
    execute: async (params, context) => data(await execute(params as Record<string, unknown>, context)),
  } as Parameters<typeof defineTool>[0]);
}

export interface WorldOptions {
  readonly tools?: readonly ToolDefinition[] | readonly object[];
  readonly settings?: Partial<z.input<typeof settingsSchema>>;
  readonly agents?: Readonly<Record<string, Agent>>;
  readonly store?: StateStore;
  readonly host?: Omit<HostOptions, "store">;
  /** For a host whose calls hang, as if its process had ended. */
  readonly graceMs?: number;
}

/** A host with tools and a reasoner that asks the server of a test. */
export async function world(
  answers: Parameters<typeof serve>[0],
  {
    tools = [],
    settings = {},
    agents = {},
    store = createMemoryStore(),
    host: options = {},
    graceMs,
  }: WorldOptions = {},
) {
  const server = await serve(answers);
  const host = createHost({ ...options, store });
  onTestFinished(async () => void (await host.close({ graceMs })));
  host.coordinator.mount("session-store", store.sessions);
  for (const one of tools) host.coordinator.mount("tools", one as ToolDefinition);
  const reasoner = createReasoner(host.coordinator, {
    clock: options.clock,
    settings: settingsSchema.parse({
      model: "m",
      stream: false,
      baseUrl: server.baseUrl,
      retryDelayMs: 0,
      ...settings,
    }),
    agents,
  });
  host.coordinator.registerCapability("session.spawn", reasoner.spawn);
  host.coordinator.mount("orchestrator", reasoner);
  const heard: { readonly event: string; readonly data: EventData }[] = [];
  host.coordinator.hooks.observe("*", (event, reported) => void heard.push({ event, data: reported }));
  const events: TurnEvent[] = [];
  const run = (prompt: string, more: Partial<Parameters<typeof reasoner.run>[1]> = {}) =>
    reasoner.run(host, { prompt, sessionId: "s", onEvent: (event) => events.push(event), ...more });
  const resume = (more: Partial<Parameters<typeof reasoner.resume>[1]> = {}) =>
    reasoner.resume(host, { sessionId: "s", onEvent: (event) => events.push(event), ...more });
  return { host, reasoner, server, requests: server.requests, run, resume, events, heard, store };
}

/** The outputs that a request sends, by call. */
export function outputs(request: Request | undefined): Readonly<Record<string, unknown>> {
  const items = request?.input.filter(({ type }) => type === "function_call_output") ?? [];
  return Object.fromEntries(items.map(({ call_id: id, output }) => [String(id), output]));
}

/** Lets the n-th write hang and all after it, as if the process ended there; `dead` reports when it does. */
export function dyingStore(store: StateStore, survives: number) {
  let appends = 0;
  let die!: () => void;
  const dead = new Promise<void>((resolve) => (die = resolve));
  const append: StateStore["sessions"]["append"] = (...given) => {
    if (++appends <= survives) return store.sessions.append(...given);
    die();
    return new Promise(() => {});
  };
  return { dead, store: { ...store, sessions: { ...store.sessions, append } } };
}
