import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import type { BrokenRule, ProviderApi, ProviderRequest, Spoken } from "./api.ts";

/** The reaction of a server to one request. */
export type ProviderReply =
  | Spoken
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: object }
  /** Sends the beginning of an answer and closes the connection. */
  | { readonly breaks: true }
  /** Never answers. */
  | { readonly hangs: true };

/** The script of a server: its replies in order, or a function of the request's number and body. */
export type ProviderScript =
  | readonly ProviderReply[]
  | ((at: number, request: ProviderRequest) => ProviderReply | Promise<ProviderReply>);

/** How a server counts tokens, and what it answers to requests that are not for a model. */
export interface ProviderOptions {
  /** Requests with more tokens than this are refused, with the provider's own message. Four characters count as a token. */
  readonly window?: number;
  /** `false` makes the server never report tokens. With `window`, the server reports the tokens that it counted. */
  readonly reportsUsage?: boolean;
  /** Further answers of the server, by path; null means status 404. Such requests are not counted. */
  readonly facts?: Readonly<Record<string, object | null>>;
}

/** A server that is running. */
export interface ProviderServer {
  /** The base URL for the client. */
  readonly baseUrl: string;
  readonly requests: readonly ProviderRequest[];
  /** The bodies of the requests, as they were sent. */
  readonly texts: readonly string[];
  readonly paths: readonly string[];
  readonly headers: readonly IncomingHttpHeaders[];
  /** Every rule that a request broke. The server refused each of these requests with status 400. */
  readonly broken: readonly BrokenRule[];
  /** For each request, how many of its segments, from the first on, equal those of the request before. */
  readonly shared: readonly number[];
  close(): Promise<void>;
}

/**
 * Starts a strict server of an API on 127.0.0.1. As the real server would, it refuses a request that breaks a rule of the API
 * with status 400.
 */
export async function startProvider(
  api: ProviderApi,
  script: ProviderScript,
  options: ProviderOptions = {},
): Promise<ProviderServer> {
  const described = { "/api/show": null, "/v1/models/m/endpoints": null, ...options.facts } as Readonly<
    Record<string, object | null>
  >;
  const seen: Seen = { requests: [], texts: [], paths: [], headers: [], broken: [], shared: [] };
  const server = createServer(async (incoming, outgoing) => {
    const text = await textOf(incoming);
    const { url = "", headers } = incoming;
    const fact = described[url];
    if (fact !== undefined) {
      outgoing.writeHead(fact === null ? 404 : 200).end(JSON.stringify(fact));
      return;
    }
    const request = JSON.parse(text) as ProviderRequest;
    seen.requests.push(request);
    seen.texts.push(text);
    seen.paths.push(url);
    seen.headers.push(headers);
    const isStream = request["stream"] === true || url.includes("stream");
    send(outgoing, api, await replyTo(api, script, seen, options), isStream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    ...seen,
    baseUrl: api.baseUrl(`http://127.0.0.1:${port}`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Seen {
  readonly requests: ProviderRequest[];
  readonly texts: string[];
  readonly paths: string[];
  readonly headers: IncomingHttpHeaders[];
  readonly broken: BrokenRule[];
  readonly shared: number[];
}

/** Returns the server's reply to the newest request. */
async function replyTo(
  api: ProviderApi,
  script: ProviderScript,
  { requests, texts, broken, shared }: Seen,
  { window = Number.POSITIVE_INFINITY, reportsUsage = true }: ProviderOptions,
): Promise<ProviderReply | Refusal> {
  const at = requests.length - 1;
  const request = requests[at]!;
  shared.push(countShared(api, requests[at - 1], request));
  const found = api.check(request);
  broken.push(...found);
  const [first] = found;
  if (first !== undefined) return { refused: 400, body: refusal(`${first.rule}: ${first.problem}`) };
  const tokens = Math.ceil(texts[at]!.length / 4);
  if (tokens > window) {
    const { status, body } = api.overflow(tokens, window);
    return { refused: status, body };
  }
  const reply = typeof script === "function" ? await script(at, request) : script[at];
  if (reply === undefined) return { status: 400 };
  if ("status" in reply || "breaks" in reply || "hangs" in reply) return reply;
  if (!reportsUsage) return { ...reply, usage: null };
  if (window === Number.POSITIVE_INFINITY || reply.usage !== undefined) return reply;
  return { ...reply, usage: { input: tokens, cached: 0, output: 6, reasoning: 0 } };
}

/** A refusal with a status and a body. */
interface Refusal {
  readonly refused: number;
  readonly body: object;
}

function refusal(message: string): object {
  return {
    type: "error",
    error: { message, type: "invalid_request_error", code: 400, status: "INVALID_ARGUMENT" },
  };
}

function countShared(api: ProviderApi, before: ProviderRequest | undefined, now: ProviderRequest): number {
  if (before === undefined) return 0;
  const old = api.segments(before).map((segment) => JSON.stringify(segment));
  const next = api.segments(now).map((segment) => JSON.stringify(segment));
  const differs = next.findIndex((segment, at) => segment !== old[at]);
  return differs < 0 ? next.length : differs;
}

function send(
  outgoing: ServerResponse,
  api: ProviderApi,
  reply: ProviderReply | Refusal,
  isStream: boolean,
): void {
  if ("hangs" in reply) return;
  if ("refused" in reply) return sendJson(outgoing, reply.refused, reply.body);
  if ("status" in reply) {
    const { status, headers } = reply;
    const error = { message: `status ${status}`, type: "test", code: status, status: "TEST" };
    return sendJson(outgoing, status, reply.body ?? { error, type: "error" }, headers);
  }
  const spoken: Spoken = "breaks" in reply ? { text: "half" } : reply;
  const text = isStream ? api.events(spoken).map(eventText).join("") : JSON.stringify(api.body(spoken));
  outgoing.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
  if (!("breaks" in reply)) return void outgoing.end(text);
  outgoing.write(text.slice(0, Math.floor(text.length / 3)));
  setImmediate(() => outgoing.destroy());
}

function sendJson(
  outgoing: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  outgoing.writeHead(status, { "content-type": "application/json", ...headers });
  outgoing.end(JSON.stringify(body));
}

function eventText(event: object): string {
  const { type } = event as { readonly type?: string };
  return `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`;
}
