import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport, type Server } from "@modelcontextprotocol/server";
import { StreamEvents } from "./stream-events.ts";

/** Sessions of clients from before 2026 that are kept; the one that was quiet longest makes room. */
const maxSessions = 1_000;

/** One session of such a client. */
interface HttpSession {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  /** The user who began it: no other user may use it. */
  readonly owner: string;
  readonly end: () => Promise<void>;
}

/** What a session is begun with. */
export interface NewHttpSession {
  readonly server: Server;
  readonly end: () => Promise<void>;
}

/** Sessions of clients that speak a revision from before 2026: they connect once and come back with a session id. */
export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>();
  readonly #events = new StreamEvents();

  /** Answers a request: of a session that there is, or one that begins a new one. */
  async fetch(
    request: Request,
    parsedBody: unknown,
    owner: string,
    begin: (id: string) => Promise<NewHttpSession>,
  ): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#begin(request, parsedBody, owner, begin);
    const session = this.#sessions.get(id);
    // Another caller's session does not exist for this one.
    if (session === undefined || session.owner !== owner) return refuse(404, -32001, "Session not found");
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session.transport.handleRequest(request, { parsedBody });
  }

  async #begin(
    request: Request,
    parsedBody: unknown,
    owner: string,
    begin: (id: string) => Promise<NewHttpSession>,
  ): Promise<Response> {
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: this.#events.of(id),
      onsessioninitialized: () => this.#keep(id, { transport, ...made, owner }),
      onsessionclosed: () => this.#end(id),
    });
    const made = await begin(id);
    await made.server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody });
    // Anything but a handshake began nothing.
    if (!this.#sessions.has(id)) {
      this.#events.forget(id);
      void made.end();
      void made.server.close();
    }
    return response;
  }

  #keep(id: string, session: HttpSession): void {
    this.#sessions.set(id, session);
    const [quietest] = this.#sessions.keys();
    if (this.#sessions.size > maxSessions && quietest !== undefined) void this.#end(quietest);
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    this.#events.forget(id);
    await session?.end();
    await session?.server.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }
}

function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}
