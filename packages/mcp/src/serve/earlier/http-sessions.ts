import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport, type Server } from "@modelcontextprotocol/server";
import type { Host } from "@toolmount/core";
import { isRecord } from "@toolmount/core/json";
import { KeptMessages } from "./kept-messages.ts";
import { KeptSessions, type Stated } from "./kept-sessions.ts";
import { StreamEvents } from "./stream-events.ts";

/**
 * Maximum number of sessions of clients from before 2026. If there are more, the one that has been quiet longest and runs no task is ended.
 */
const maxSessions = 1_000;

interface HttpSession extends NewHttpSession {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** The user who began the session; no other user may use it. */
  readonly owner: string;
}

/** What a new session needs from the server that serves it. */
export interface NewHttpSession {
  readonly server: Server;
  readonly isBusy: () => boolean;
  readonly end: () => Promise<void>;
}

interface SessionRequest {
  readonly request: Request;
  readonly parsedBody: unknown;
  readonly owner: string;
  readonly begin: (id: string) => Promise<NewHttpSession>;
}

/**
 * The sessions of clients from before 2026, which connect once and come back with a session id. A session that another server
 * of the store began, or this one before a restart, is begun again here with what its client has stated.
 */
export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>();
  readonly #beginning = new Map<string, Promise<HttpSession | undefined>>();
  readonly #events: StreamEvents;
  readonly #kept: KeptSessions;

  constructor(host: Host, onError?: (error: Error) => void) {
    this.#kept = new KeptSessions(host);
    this.#events = new StreamEvents({}, new KeptMessages(host, onError));
  }

  /** Answers a request of a known session, or one that begins a new session. */
  async fetch(asked: SessionRequest): Promise<Response> {
    const { request, parsedBody, owner } = asked;
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#begin(asked);
    const session = this.#sessions.get(id) ?? (await this.#beginAgain(id, asked));
    // A caller gets the same answer for another caller's session as for an unknown one.
    const error = { code: -32_001, message: "Session not found" };
    if (session === undefined || session.owner !== owner)
      return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 404 });
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    await this.#note(id, parsedBody);
    return session.transport.handleRequest(request, { parsedBody });
  }

  async #begin(asked: SessionRequest): Promise<Response> {
    const { request, parsedBody, owner } = asked;
    const id = randomUUID();
    const session = await this.#connect(id, asked);
    const [message] = [parsedBody].flat();
    if (isRecord(message) && message["method"] === "initialize" && isRecord(message["params"]))
      await this.#kept.add(id, owner, message["params"] as Stated["introduction"]);
    const response = await session.transport.handleRequest(request, { parsedBody });
    // If the request was no handshake, no session began.
    if (this.#sessions.get(id) !== session) await this.#drop(id, session);
    return response;
  }

  /** Begins a session again, once for all requests that arrive together for it. */
  #beginAgain(id: string, asked: SessionRequest): Promise<HttpSession | undefined> {
    const known = this.#beginning.get(id);
    if (known !== undefined) return known;
    const begun = this.#repeat(id, asked).finally(() => this.#beginning.delete(id));
    this.#beginning.set(id, begun);
    return begun;
  }

  /** Repeats the client's stored messages to a new transport. Returns undefined for a session that is not stored. */
  async #repeat(id: string, asked: SessionRequest): Promise<HttpSession | undefined> {
    const stated = await this.#kept.find(id, asked.owner);
    if (stated === null) return undefined;
    const session = await this.#connect(id, asked);
    for (const message of messagesOf(stated)) {
      const parsedBody = { jsonrpc: "2.0", ...message };
      const response = await session.transport.handleRequest(repeated(asked.request, id), { parsedBody });
      await response.text(); // ends when the message has been answered
    }
    return session;
  }

  async #connect(id: string, { owner, begin }: SessionRequest): Promise<HttpSession> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: this.#events.of(id),
      onsessioninitialized: () => this.#keep(id, session),
      onsessionclosed: async () => {
        await this.#kept.end(id);
        await this.#end(id);
      },
    });
    const session: HttpSession = { transport, ...(await begin(id)), owner };
    await session.server.connect(transport);
    return session;
  }

  /** Stores what the client states in its session, for the other servers. */
  async #note(id: string, parsedBody: unknown): Promise<void> {
    for (const message of [parsedBody].flat()) {
      const change = changeOf(message);
      if (change !== undefined) await this.#kept.change(id, change);
    }
  }

  #keep(id: string, session: HttpSession): void {
    this.#sessions.set(id, session);
    if (this.#sessions.size <= maxSessions) return;
    for (const [quietest, { isBusy }] of this.#sessions) if (!isBusy()) return void this.#end(quietest);
  }

  async #drop(id: string, { end, server }: HttpSession): Promise<void> {
    this.#events.forget(id);
    await end();
    await server.close();
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    if (session !== undefined) await this.#drop(id, session);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }
}

/** Returns the messages by which a client would state again everything that it has stated in its session. */
function messagesOf({ introduction, level, watched }: Stated): object[] {
  const asks = [
    { method: "initialize", params: introduction },
    { method: "notifications/initialized" },
    ...(level === undefined ? [] : [{ method: "logging/setLevel", params: { level } }]),
    ...watched.map((uri) => ({ method: "resources/subscribe", params: { uri } })),
  ];
  return asks.map((ask, at) =>
    ask.method.startsWith("notifications/") ? ask : { id: `again-${at}`, ...ask },
  );
}

function repeated({ url, headers }: Request, id: string): Request {
  const version = headers.get("mcp-protocol-version");
  return new Request(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-session-id": id,
      ...(version !== null && { "mcp-protocol-version": version }),
    },
  });
}

/** Returns how a message changes what its client has stated; undefined for nearly every message. */
function changeOf(message: unknown): ((stated: Stated) => Stated) | undefined {
  const { method, params } = (isRecord(message) ? message : {}) as { method?: unknown; params?: unknown };
  const { level, uri } = (isRecord(params) ? params : {}) as { level?: unknown; uri?: unknown };
  if (method === "logging/setLevel" && typeof level === "string") return (stated) => ({ ...stated, level });
  if (typeof uri !== "string") return undefined;
  const without = (stated: Stated) => stated.watched.filter((known) => known !== uri);
  if (method === "resources/subscribe")
    return (stated) => ({ ...stated, watched: [...without(stated), uri] });
  if (method === "resources/unsubscribe") return (stated) => ({ ...stated, watched: without(stated) });
  return undefined;
}
