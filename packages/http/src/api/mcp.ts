import { Hono, type Context } from "hono";
import { requireRole } from "../access/principal.ts";
import { HttpError } from "../fault/http-error.ts";
import { signInPageOf } from "./servers.ts";
import { hostOf, requireOpen, type RouteEnv, type Service } from "./service.ts";

/** MCP at `/mcp` for the first host, and at `/mcp/<name>` for each. */
export function mcpRoutes(service: Service): Hono<RouteEnv> {
  const [first = ""] = service.hosts.keys();
  const answer = (c: Context<RouteEnv>, name: string): Promise<Response> => {
    const { principal } = c.env;
    requireRole(principal, "call");
    requireOpen(service);
    const host = hostOf(service, name, principal);
    const { mcp } = host;
    if (mcp === undefined) throw new HttpError("NOT_SERVED", { what: "MCP server" });
    const { name: clientId, user, roles } = principal;
    // The token itself stays here: no tool and no log of the protocol can get it.
    const extra = { user, signInPage: signInPageOf(service, host, c.env.incoming.headers.host) };
    return mcp.fetch(c.req.raw, { authInfo: { token: "", clientId, scopes: [...roles], extra } });
  };
  return new Hono<RouteEnv>()
    .all("/mcp", (c) => answer(c, first))
    .all("/mcp/:host", (c) => answer(c, c.req.param("host")));
}
