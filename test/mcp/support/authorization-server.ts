import { createHash, randomUUID } from "node:crypto";
import { createHost, data, defineTool } from "@toolmount/core";
import { serveHttp } from "@toolmount/mcp";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { listenTo } from "./http.ts";

/** A protected MCP server and its authorization server, both on loopback. */
export interface ProtectedServer {
  /** The address of the MCP server. */
  readonly url: string;
  /** Requests for tokens, by their grant. */
  readonly grants: string[];
  /** Requests to the MCP server. */
  readonly requests: () => number;
  /** Clients that were registered. */
  readonly registered: () => number;
  /** Makes every access token expire. */
  expire(): void;
  /** Makes every refresh token invalid. */
  revoke(): void;
  /** The authorization server answers 503 for so many requests for tokens. */
  breakDown(requests: number): void;
}

/**
 * Refresh tokens are for one use: each refresh rotates them, and a second use of one makes the whole family invalid, as
 * RFC 9700 asks.
 */
export async function startProtectedServer(): Promise<ProtectedServer> {
  const access = new Set<string>();
  const refresh = new Map<string, { used: boolean; family: string }>();
  const revoked = new Set<string>();
  const codes = new Map<string, string>();
  const grants: string[] = [];
  let clients = 0;
  let requests = 0;
  let broken = 0;
  let origin = "";

  const give = (family: string) => {
    const [access_token, refresh_token] = [randomUUID(), randomUUID()];
    access.add(access_token);
    refresh.set(refresh_token, { used: false, family });
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
    if (broken > 0) {
      broken--;
      return new Response("busy", { status: 503 });
    }
    if (grant === "authorization_code") {
      const challenge = codes.get(form.get("code") ?? "");
      const made = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      codes.delete(form.get("code") ?? "");
      return challenge === made ? give(randomUUID()) : refuse("invalid_grant");
    }
    if (grant === "client_credentials") return give(randomUUID());
    const token = refresh.get(form.get("refresh_token") ?? "");
    if (token === undefined || token.used || revoked.has(token.family)) {
      if (token !== undefined) revoked.add(token.family);
      return refuse("invalid_grant");
    }
    token.used = true;
    return give(token.family);
  };

  const authorize = (address: URL): Response => {
    const code = randomUUID();
    codes.set(code, address.searchParams.get("code_challenge") ?? "");
    const back = new URL(address.searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
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
    if (access.has(token)) return served.fetch(request);
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    return new Response("", {
      status: 401,
      headers: { "www-authenticate": `Bearer resource_metadata="${metadata}", scope="tools"` },
    });
  };

  const host = createHost();
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "greet",
      description: "Greets.",
      schema: z.strictObject({}),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: () => data("hello"),
    }),
  );
  const served = serveHttp(host);
  onTestFinished(async () => {
    await served.close();
    await host.close();
  });
  origin = await listenTo(answer);
  return {
    url: `${origin}/mcp`,
    grants,
    requests: () => requests,
    registered: () => clients,
    expire: () => access.clear(),
    revoke: () => {
      access.clear();
      refresh.clear();
    },
    breakDown: (count) => void (broken = count),
  };
}
