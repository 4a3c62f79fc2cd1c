import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  type Implementation,
  type McpHandlerRequestOptions,
  type ServerOptions,
} from "@modelcontextprotocol/server";
import { ownSession, type Host, type ToolInfo } from "@toolmount/core";
import { watchTools } from "./changes.ts";
import { HttpSessions, type NewHttpSession } from "./earlier/http-sessions.ts";
import { readMessage } from "./narrow.ts";
import type { ServeOptions } from "./options.ts";
import { createStateSeal } from "./seal.ts";
import type { Serving } from "./requests.ts";
import { createServer } from "./server.ts";
import { ServedSession } from "./served-session.ts";
import { ownName } from "./tool-list.ts";

/** The session and user from whom a request over HTTP comes. */
export interface HttpCaller {
  /** Requests of the 2026 revision with the same id share a session; older clients have one for each connection. */
  readonly sessionId: string;
  readonly userId?: string | undefined;
  /**
   * Returns the address at which this user signs in to the mounted server of this name. A client that can open addresses gets
   * it while a call waits, so it must hold no credential.
   */
  readonly signInPage?: ((server: string) => string) | undefined;
  /** Whether this user may decide in a form, if `approvals.elicitation` lets users do so. Default true. */
  readonly mayApprove?: boolean | undefined;
}

/**
 * What a guard before this handler has verified about a client; this package verifies nothing. Source: the SDK's `AuthInfo`.
 */
export interface HttpAuth {
  token: string;
  clientId: string;
  scopes: string[];
  expiresAt?: number;
  resource?: URL;
  extra?: Record<string, unknown>;
}

/** A request, in the form that the `caller` function gets. */
export interface HttpRequestContext {
  readonly authInfo?: HttpAuth | undefined;
  readonly requestInfo?: Request | undefined;
}

/** Options for serving a host over HTTP: how calls are answered, and for whom each request is made. */
export interface ServeHttp extends ServeOptions {
  /**
   * Returns the session and user of a request, from what the guards before this handler have verified. The default is a session
   * for each verified client, the same at every server, and one session of this server for all requests without authorization.
   */
  readonly caller?: ((context: HttpRequestContext) => HttpCaller) | undefined;
  /** Gets errors of the protocol, and requests that were refused. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** Answers web requests. It checks neither Host, Origin nor token: guards before it have to. */
export interface ServedHttp {
  /** Answers one request. `options.authInfo` is what the guards have verified. */
  readonly fetch: (
    request: Request,
    options?: { authInfo?: HttpAuth; parsedBody?: unknown },
  ) => Promise<Response>;
  /**
   * Resolves when the calls of tasks that run now have ended. A server that shuts down may wait for them, because no request
   * does.
   */
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Serves a host over Streamable HTTP. Requests of the 2026 revision are independent; an older client connects and keeps a
 * session until it ends that session. Every server that shares the host's store serves it.
 */
export function serveHttp(host: Host, settings: ServeHttp = {}): ServedHttp {
  const { caller: callerOf = defaultCaller(), onError, ...options } = settings;
  const caller = (context: HttpRequestContext): HttpCaller => {
    const { userId = options.userId, sessionId, ...same } = callerOf(context);
    return { ...same, userId, sessionId: ownSession(userId, sessionId) };
  };
  const seal = createStateSeal(host);
  const shared = new Map<string, ServedSession>();
  const sharedOf = (id: string) => {
    const known = shared.get(id) ?? new ServedSession(host, id);
    shared.set(id, known);
    return known;
  };
  const sessions = new HttpSessions(host, onError);
  const handler = createMcpHandler(
    async (context) => {
      const of = caller(context);
      const served = sharedOf(of.sessionId);
      const toolsOnly = context.requestInfo?.headers.get("mcp-method")?.startsWith("tools/") === true;
      let checked: HeaderCheckedServer | undefined;
      const make: Serving["make"] = (info, how) =>
        (checked = new HeaderCheckedServer(info, how, host)).server;
      const own = { ...servingFor(of, options), seal, toolsOnly, make };
      const server = await createServer({ served, era: "modern", ...own });
      return checked ?? server;
    },
    { legacy: "reject", ...(onError !== undefined && { onerror: onError }) },
  );
  // This session makes no calls: it only notices, for all clients of 2026, that the tools have changed.
  const lookout = new ServedSession(host, `mcp-${randomUUID()}`);
  const stop = watchTools(lookout, () => handler.notify.toolsChanged());
  const begin = async (id: string, of: HttpCaller): Promise<NewHttpSession> => {
    const served = sharedOf(of.sessionId).sibling(ownSession(of.userId, `mcp-${id}`)); // a client that connects again keeps its tasks
    const server = await createServer({ served, era: "legacy", ...servingFor(of, options), seal });
    const stopWatching = watchTools(served, () => void server.sendToolListChanged().catch(() => {})); // the client may not listen
    const end = () => {
      stopWatching();
      return served.end();
    };
    return { server, end, isBusy: () => served.tasks.isBusy(served.id) };
  };
  const fetch = async (request: Request, given: McpHandlerRequestOptions = {}): Promise<Response> => {
    const read = given.parsedBody === undefined ? await readMessage(request) : {};
    if (read instanceof Response) return read;
    const verified = { ...given, ...read };
    if (!(await isLegacy(request, verified.parsedBody))) return handler.fetch(request, verified);
    const { authInfo, parsedBody } = verified;
    const of = caller({ requestInfo: request, ...(authInfo !== undefined && { authInfo }) });
    return sessions.fetch({ request, parsedBody, owner: of.sessionId, begin: (id) => begin(id, of) });
  };
  return {
    fetch: (request, of) => fetch(acceptingBoth(request), of),
    settled: async () => void (await Promise.all([...shared.values()].map(({ tasks }) => tasks.settled()))),
    close: async () => {
      stop();
      await Promise.all([handler.close(), sessions.close()]);
      await Promise.all([lookout, ...shared.values()].map((served) => served.end()));
    },
  };
}

/** Names both types of answers for a client that accepts any, because the SDK looks only for their names. */
function acceptingBoth(request: Request): Request {
  const accept = request.headers.get("accept") ?? "*/*";
  if (request.method !== "POST" || !accept.includes("*/*")) return request;
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json, text/event-stream");
  return new Request(request, { headers });
}

/** Returns how a caller is served. A caller who may not approve is not asked in a form. */
function servingFor({ userId, signInPage, mayApprove = true }: HttpCaller, options: ServeOptions) {
  const approvals = mayApprove ? options.approvals : { ...options.approvals, elicitation: false };
  return { userId, signInPage, options: { ...options, approvals } };
}

/** A server for which the SDK compares a call's headers `Mcp-Param-*` with its arguments, by the schema of the tool. */
class HeaderCheckedServer extends McpServer {
  readonly #host: Host;

  constructor(info: Implementation, options: ServerOptions, host: Host) {
    super(info, options);
    this.#host = host;
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    const info = this.#host.coordinator.get("tools", ownName(name, this.#host)) as Pick<
      ToolInfo,
      "inputSchema"
    > | null;
    return info?.inputSchema;
  }
}

/** The first revision that has no handshake. */
const firstModern = "2026-07-28";

/** Whether a request is of an older client. Older clients also send GET and DELETE; clients of the 2026 revision only post. */
async function isLegacy(request: Request, parsedBody: unknown): Promise<boolean> {
  if (request.method === "GET" || request.method === "DELETE") return request.headers.has("mcp-session-id");
  // If the headers name the 2026 revision, the body is not read here, because the SDK refuses the request if the body differs.
  const version = request.headers.get("mcp-protocol-version") ?? "";
  if (request.headers.has("mcp-method") && /^\d{4}-/.test(version) && version >= firstModern) return false;
  return isLegacyRequest(request, parsedBody);
}

function defaultCaller(): (context: HttpRequestContext) => HttpCaller {
  const process = randomUUID();
  return ({ authInfo }) =>
    authInfo === undefined
      ? { sessionId: `mcp-${process}` }
      : { sessionId: `mcp-${authInfo.clientId}`, userId: authInfo.clientId };
}
