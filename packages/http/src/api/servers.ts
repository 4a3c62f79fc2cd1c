import { createRoute, z } from "@hono/zod-openapi";
import type { ServerSignIn } from "@toolmount/core";
import { visibleUser, type Principal } from "../access/principal.ts";
import { returnPath, startedCookie, type StartedSignIn } from "../access/server-sign-in.ts";
import { HttpError } from "../fault/http-error.ts";
import type { ServedServer } from "../served-host.ts";
import { createRoutes, failures, hostOf, hostParam, json, type LiveHost, type Service } from "./service.ts";

const serverSchema = z.object({
  name: z.string(),
  state: z.enum(["asleep", "connecting", "connected", "down", "needs_auth", "closed"]),
  cause: z.string().optional().describe("Why it is down"),
  protocol: z.string().optional(),
  server: z.string().optional().describe("Its own name and version"),
  users: z.array(z.object({ user: z.string(), state: z.string() })).optional(),
  refused: z
    .array(z.object({ tool: z.string(), problem: z.string() }))
    .describe("Tools that were left out, and why"),
});

/** The MCP servers that the host mounts, and those of them to which users sign in. */
export const serversSchema = z.object({
  mounted: z
    .array(serverSchema)
    .describe("All servers; empty for a token that sees only what is of its user"),
  servers: z.array(
    z.object({
      name: z.string(),
      whose: z
        .enum(["user", "host"])
        .describe("Whose credentials; where users have their own, those of the host list the tools"),
      state: z
        .enum(["signed_in", "needed", "unknown"])
        .describe("unknown: it has not asked for a sign-in yet; it may need none"),
      maySignIn: z
        .boolean()
        .describe("Users sign in for themselves; a person with the role admin does for the host"),
    }),
  ),
});

const list = createRoute({
  method: "get",
  path: "/hosts/{host}/servers",
  operationId: "listServers",
  tags: ["Server"],
  summary: "List the mounted servers: how they stand, and to which this token's user has signed in",
  request: { params: hostParam },
  responses: {
    200: json(serversSchema, "The servers"),
    ...failures,
  },
});

const begin = createRoute({
  method: "post",
  path: "/hosts/{host}/servers/{server}/sign-in",
  operationId: "signInToServer",
  tags: ["Server"],
  summary:
    "Begin a sign-in to a mounted server, which this browser ends when it comes back from the provider",
  request: {
    params: hostParam.extend({ server: z.string().min(1).max(256) }),
    query: z.object({ whose: z.enum(["user", "host"]).describe("Whose credentials they will be") }),
  },
  responses: {
    200: json(
      z.object({
        address: z.string().nullable().describe("Where the person signs in; null where no sign-in is needed"),
      }),
      "Where to sign in; a cookie lets this browser come back",
    ),
    ...failures,
  },
});

/** Creates the routes that list the mounted MCP servers and let users sign in to them. */
export function serverRoutes(service: Service) {
  return createRoutes()
    .openapi(list, async (c) => {
      const { principal } = c.env;
      const host = hostOf(service, c.req.valid("param").host, principal);
      const [signIns, mounted] = await Promise.all([signInsOf(host), mountedOf(host, principal)]);
      const servers = signIns.flatMap((signIn) =>
        shownTo(principal, signIn).map(async (whose) => ({
          name: signIn.name,
          whose,
          state: await signIn.state(userOf(principal, whose)),
          maySignIn: maySignIn(principal, whose),
        })),
      );
      return c.json({ mounted: mounted.map(toJson), servers: await Promise.all(servers) }, 200);
    })
    .openapi(begin, async (c) => {
      const { principal, incoming } = c.env;
      const { host, server } = c.req.valid("param");
      const signIn = await findSignIn(hostOf(service, host, principal), server);
      const { whose } = c.req.valid("query");
      if (whose === "user" && !signIn.isOfUser)
        throw new HttpError("REQUEST_INVALID", { problem: `the users of ${server} share credentials` });
      if (whose === "user" && principal.user !== null && !signIn.isUsedBy(principal.user))
        throw new HttpError("REQUEST_INVALID", {
          problem: `the plan gives this user credentials of ${server}`,
        });
      if (!maySignIn(principal, whose))
        throw new HttpError("FORBIDDEN", {
          problem:
            whose === "user"
              ? "each user signs in with a token that has a user and the role call"
              : "the credentials of the host need the role admin",
        });
      const user = userOf(principal, whose);
      const base = service.baseOf(incoming.headers.host);
      const begun = await signIn.begin(user, `${base}${returnPath}`);
      if (begun === null) return c.json({ address: null }, 200);
      const { address, state } = begun;
      c.header("set-cookie", startedCookie(base, { host, server, user: user ?? null, state }), {
        append: true,
      });
      return c.json({ address }, 200);
    });
}

/** Ends a sign-in that {@link serverRoutes} began. */
export async function finishSignIn(
  { hosts }: Service,
  parameters: URLSearchParams,
  { host, server, user }: StartedSignIn,
): Promise<object> {
  const signIn = await findSignIn(hosts.get(host), server);
  return signIn.finish(user ?? undefined, parameters);
}

/** Returns a function for the address at which users sign in to a mounted server; undefined for a host without such servers. */
export function signInPageOf(
  { hosts, baseOf }: Service,
  { name, signIns }: LiveHost,
  host: string | undefined,
): ((server: string) => string) | undefined {
  if (signIns === undefined) return undefined;
  const query = hosts.size > 1 ? `?host=${encodeURIComponent(name)}` : "";
  return (server) => `${baseOf(host)}/#/servers/${encodeURIComponent(server)}${query}`;
}

/** Returns the number of a host's servers that a token sees. */
export async function countServers(host: LiveHost, principal: Principal): Promise<number> {
  const [signIns, mounted] = await Promise.all([signInsOf(host), mountedOf(host, principal)]);
  return Math.max(signIns.length, mounted.length);
}

/** Returns all servers for tokens that may see all users' work, and no servers for others. */
async function mountedOf({ servers }: LiveHost, principal: Principal): Promise<readonly ServedServer[]> {
  return visibleUser(principal) === null ? ((await servers?.()) ?? []) : [];
}

function toJson({ name, state, cause, protocol, server, users, refused }: ServedServer) {
  return {
    name,
    state,
    cause,
    protocol,
    server,
    users: users?.map(({ user, state: own }) => ({ user, state: own })),
    refused: refused.map(({ tool, problem }) => ({ tool, problem })),
  };
}

/** Returns the mounted servers to which users sign in; empty if the host has none. */
async function signInsOf({ signIns }: LiveHost): Promise<readonly ServerSignIn[]> {
  return (await signIns?.()) ?? [];
}

async function findSignIn(host: LiveHost | undefined, server: string): Promise<ServerSignIn> {
  const signIns = host === undefined ? [] : await signInsOf(host);
  const found = signIns.find(({ name }) => name === server);
  if (found === undefined)
    throw new HttpError("NOT_FOUND", { what: `server ${JSON.stringify(server)} to which people sign in` });
  return found;
}

type Whose = "user" | "host";

/**
 * Returns whose credentials for a server a token sees: those of the host, if all users share them. Otherwise those of its user
 * and, for a token without a user or with the role `admin`, those of the host.
 */
function shownTo({ user, roles }: Principal, signIn: ServerSignIn): Whose[] {
  if (!signIn.isOfUser) return ["host"];
  const isOfHost = user === null || roles.has("admin");
  const isOfUser = user !== null && signIn.isUsedBy(user);
  return [...(isOfUser ? ["user" as const] : []), ...(isOfHost ? ["host" as const] : [])];
}

function maySignIn({ user, roles }: Principal, whose: Whose): boolean {
  return whose === "user" ? user !== null && roles.has("call") : roles.has("admin");
}

function userOf({ user }: Principal, whose: Whose): string | undefined {
  return whose === "user" ? (user ?? undefined) : undefined;
}
