import { Hono, type Context } from "hono";
import { requireRole } from "../access/principal.ts";
import { HttpError } from "../fault/http-error.ts";
import { signInPageOf } from "./servers.ts";
import { hostOf, requireOpen, type RouteEnv, type Service } from "./service.ts";

/** Creates the routes of MCP: `/mcp` for the first host, and `/mcp/<name>` for each host. */
export function mcpRoutes(service: Service): Hono<RouteEnv> {
  const [first = ""] = service.hosts.keys();
  const answer = async (c: Context<RouteEnv>, name: string): Promise<Response> => {
    const { principal } = c.env;
    requireRole(principal, "call");
    requireOpen(service);
    const host = hostOf(service, name, principal);
    const { mcp } = host;
    if (mcp === undefined) throw new HttpError("NOT_SERVED", { what: "MCP server" });
    const { name: clientId, user, roles } = principal;
    // The token is not passed on, so that neither a tool nor a log of the protocol can contain it.
    const extra = { user, signInPage: signInPageOf(service, host, c.env.incoming.headers.host) };
    const authInfo = { token: "", clientId, scopes: [...roles], extra };
    return inOneWrite(await mcp.fetch(c.req.raw, { authInfo }), c.env);
  };
  return new Hono<RouteEnv>()
    .all("/mcp", (c) => answer(c, first))
    .all("/mcp/:host", (c) => answer(c, c.req.param("host")));
}

/** Milliseconds in which the first events of a stream are collected and sent together. */
const togetherMs = 5;

/**
 * Sends the start of a stream in one write. For clients with a protocol from before 2026, the answer to a call is a stream of the
 * headers, an event with an id for the client, and the message. Each write takes a tenth of a call's time, so everything in the
 * first milliseconds is written together. With the header `transfer-encoding`, the stream is not held back to see whether it ends
 * at once.
 */
function inOneWrite(response: Response, { incoming, outgoing }: RouteEnv["Bindings"]): Response {
  if (response.headers.get("content-type") !== "text/event-stream") return response;
  if (incoming.httpVersion !== "1.1") return response;
  response.headers.set("transfer-encoding", "chunked");
  const { socket } = incoming;
  socket.cork();
  const timer = setTimeout(() => socket.uncork(), togetherMs);
  outgoing.once("close", () => clearTimeout(timer));
  return response;
}
