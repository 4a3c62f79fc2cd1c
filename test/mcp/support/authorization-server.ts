import { createHash, randomUUID } from "node:crypto";
import { createHost, data, defineTool } from "@toolmount/core";
import { serveHttp } from "@toolmount/mcp";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { listenTo } from "./http.ts";

/**
 * A protected MCP server and its authorization server, both on loopback. The person who signs in is the one whom `login` names
 * in the address of the sign-in; `refuses` does not agree.
 */
export interface ProtectedServer {
  /** The address of the MCP server. */
  readonly url: string;
  /** Requests for tokens, by their grant. */
  readonly grants: string[];
  /** The servers for which these requests asked, as RFC 8707 names them. */
  readonly resources: (string | null)[];
  /** The tokens that came to the MCP server. */
  readonly tokens: ReadonlySet<string>;
  /** Requests to the MCP server. */
  readonly requests: () => number;
  /** Clients that were registered. */
  readonly registered: () => number;
  /** Gives a person an access token without a sign-in. */
  tokenOf(person: string): string;
  /** Makes every access token expire. */
  expire(): void;
  /** Makes every token invalid; with a person, only theirs. */
  revoke(person?: string): void;
  /** The authorization server answers 503 for so many requests for tokens. */
  breakDown(requests: number): void;
}

/** What a server of the zoo answers otherwise: `usual` is what it would answer to a request. */
export type Odd = (
  request: Request,
  usual: (request: Request) => Promise<Response>,
  server: Pick<ProtectedServer, "tokenOf"> & { readonly origin: string },
) => Promise<Response> | Response;

/**
 * Refresh tokens are for one use: each refresh rotates them, and a second use of one makes the whole family invalid, as
 * RFC 9700 asks.
 */
export async function startProtectedServer(
  odd: Odd = (request, usual) => usual(request),
): Promise<ProtectedServer> {
  /** Who has an access token. */
  const access = new Map<string, string>();
  const refresh = new Map<string, { used: boolean; family: string; person: string }>();
  const revoked = new Set<string>();
  const codes = new Map<string, { challenge: string; person: string }>();
  const grants: string[] = [];
  const resources: (string | null)[] = [];
  const tokens = new Set<string>();
  let clients = 0;
  let requests = 0;
  let broken = 0;
  let origin = "";

  const give = (family: string, person: string) => {
    const [access_token, refresh_token] = [randomUUID(), randomUUID()];
    access.set(access_token, person);
    refresh.set(refresh_token, { used: false, family, person });
    return Response.json({
      access_token,
      refresh_token,
      token_type: "Bearer",
      expires_in: 3600,
      scope: "tools",
    });
  };
  const refuse = (error: string) => Response.json({ error }, { status: 400 });

  const giveTokens = async (request: Request): Promise<Response> => {
    const form = new URLSearchParams(await request.text());
    const grant = form.get("grant_type") ?? "";
    grants.push(grant);
    resources.push(form.get("resource"));
    if (broken > 0) {
      broken--;
      return new Response("busy", { status: 503 });
    }
    if (grant === "authorization_code") {
      const { challenge, person } = codes.get(form.get("code") ?? "") ?? { challenge: "", person: "" };
      const made = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      codes.delete(form.get("code") ?? "");
      return challenge === made ? give(randomUUID(), person) : refuse("invalid_grant");
    }
    if (grant === "client_credentials") return give(randomUUID(), "robot");
    const token = refresh.get(form.get("refresh_token") ?? "");
    if (token === undefined || token.used || revoked.has(token.family)) {
      if (token !== undefined) revoked.add(token.family);
      return refuse("invalid_grant");
    }
    token.used = true;
    return give(token.family, token.person);
  };

  const authorize = (address: URL): Response => {
    const code = randomUUID();
    const challenge = address.searchParams.get("code_challenge") ?? "";
    const person = address.searchParams.get("login") ?? "person";
    codes.set(code, { challenge, person });
    const back = new URL(address.searchParams.get("redirect_uri") ?? "");
    if (person === "refuses") back.searchParams.set("error", "access_denied");
    else back.searchParams.set("code", code);
    back.searchParams.set("state", address.searchParams.get("state") ?? "");
    return Response.redirect(back.href);
  };

  const answer = async (request: Request): Promise<Response> => {
    const address = new URL(request.url);
    switch (address.pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return Response.json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
      case "/.well-known/oauth-authorization-server":
        return Response.json({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
        });
      case "/register":
        clients++;
        return Response.json(
          { ...((await request.json()) as object), client_id: randomUUID() },
          { status: 201 },
        );
      case "/authorize":
        return authorize(address);
      case "/token":
        return giveTokens(request);
      case "/mcp":
        requests++;
        break;
      default:
        return new Response("", { status: 404 });
    }
    const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    tokens.add(token);
    const person = access.get(token);
    if (person !== undefined)
      return served.fetch(request, { authInfo: { token: "", clientId: person, scopes: [] } });
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    return new Response("", {
      status: 401,
      headers: { "www-authenticate": `Bearer resource_metadata="${metadata}", scope="tools"` },
    });
  };

  const host = createHost();
  const tool = (name: string, execute: (userId: string | undefined) => string) =>
    defineTool({
      name,
      description: "Answers.",
      schema: z.strictObject({}),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: (_, { userId }) => data(execute(userId)),
    });
  host.coordinator.mount(
    "tools",
    tool("greet", () => "hello"),
  );
  host.coordinator.mount(
    "tools",
    tool("who_am_i", (userId = "") => userId),
  );
  const served = serveHttp(host);
  onTestFinished(async () => {
    await served.close();
    await host.close();
  });
  const tokenOf = (person: string) => {
    const token = randomUUID();
    access.set(token, person);
    return token;
  };
  origin = await listenTo((request) => odd(request, answer, { tokenOf, origin }));
  return {
    url: `${origin}/mcp`,
    grants,
    resources,
    tokens,
    requests: () => requests,
    registered: () => clients,
    tokenOf,
    expire: () => access.clear(),
    revoke: (person) => {
      for (const [token, owner] of access) if (person === undefined || owner === person) access.delete(token);
      for (const [token, { person: owner }] of refresh)
        if (person === undefined || owner === person) refresh.delete(token);
    },
    breakDown: (count) => void (broken = count),
  };
}
