import { createHost, data, defineTool } from "@toolmount/core";
import { createOidcCheck, findOidcKeys } from "@toolmount/http";
import { serveHttp } from "@toolmount/mcp";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { listenTo } from "./http.ts";

/** An MCP server on loopback that accepts the tokens of a provider, if they are for this server. */
export interface ExchangeServer {
  readonly url: string;
  /** The tokens that came. */
  readonly tokens: ReadonlySet<string>;
  /** Sets the provider, which is started after the server: it has to know the server's address. */
  accept(issuer: string): Promise<void>;
  /** Refuses the tokens that came until now. */
  revoke(): void;
}

export async function startExchangeServer(): Promise<ExchangeServer> {
  const host = createHost();
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "who_am_i",
      description: "Says whose token came. Use in tests.",
      schema: z.strictObject({}),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: (_, { userId = "" }) => data(userId),
    }),
  );
  const served = serveHttp(host);
  onTestFinished(async () => {
    await served.close();
    await host.close();
  });
  const tokens = new Set<string>();
  const revoked = new Set<string>();
  let issuer = "";
  let check: ReturnType<typeof createOidcCheck> | undefined;
  const origin = await listenTo(async (request) => {
    const path = "/.well-known/oauth-protected-resource";
    if (new URL(request.url).pathname.startsWith(path))
      return Response.json({ resource: `${origin}/mcp`, authorization_servers: [issuer] });
    const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    if (token !== "") tokens.add(token);
    const principal = revoked.has(token) ? null : await check?.(token);
    if (principal != null)
      return served.fetch(request, { authInfo: { token: "", clientId: principal.name, scopes: [] } });
    const challenge = `Bearer resource_metadata="${origin}${path}/mcp"`;
    return new Response("", { status: 401, headers: { "www-authenticate": challenge } });
  });
  return {
    url: `${origin}/mcp`,
    tokens,
    accept: async (given) => {
      issuer = given;
      check = createOidcCheck({ issuer, audience: `${origin}/mcp`, keys: await findOidcKeys(issuer) });
    },
    revoke: () => {
      for (const token of tokens) revoked.add(token);
    },
  };
}
