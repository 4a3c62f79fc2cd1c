import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { onTestFinished } from "vitest";

/** What this file uses of oidc-provider, which has no declarations. */
interface ProviderModule {
  readonly default: new (
    issuer: string,
    settings: object,
  ) => { callback(): Parameters<typeof createServer>[1] & {}; on(event: string, listener: () => void): void };
}

/** The audience of the server's tokens. */
export const audience = "https://tools.example.com/mcp";

interface ProviderOptions {
  /** The roles of a person, by the name that the person signs in with. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** Seconds that a token is good for. Default 600. */
  readonly tokenSeconds?: number;
}

/** A real OpenID provider on loopback, with a page at which people sign in. */
export async function startProvider({ roles, tokenSeconds = 600 }: ProviderOptions) {
  // @ts-expect-error -- the package has no declarations
  const { default: Provider } = (await import("oidc-provider")) as ProviderModule;
  let answer: Parameters<typeof createServer>[1];
  const server = createServer((request, response) => answer?.(request, response as never));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    if (server.listening) server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = {
    // A program of this machine may be sent back to any port.
    application_type: "native",
    redirect_uris: ["http://127.0.0.1/signin/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
  const provider = new Provider(issuer, {
    clients: [
      { ...client, client_id: "page", token_endpoint_auth_method: "none" },
      { ...client, client_id: "page-with-secret", client_secret: "a secret of two sides" },
    ],
    cookies: { keys: ["a key of the test"] },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    extraTokenClaims: (_: unknown, { accountId }: { accountId: string }) => ({
      roles: roles[accountId] ?? [],
    }),
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    features: {
      devInteractions: { enabled: true },
      revocation: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: "openid",
          audience,
          accessTokenFormat: "jwt",
          accessTokenTTL: tokenSeconds,
        }),
      },
    },
  });
  const seen: string[] = [];
  for (const event of ["grant.success", "grant.error", "grant.revoked", "authorization.error"])
    provider.on(event, () => void seen.push(event));
  answer = provider.callback();
  /** The provider is gone: nothing listens any more. */
  const end = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  return { issuer, seen, end };
}

/** What a person does at the provider's page: names themselves, and lets the server know them. */
export async function signInAs(page: Page, name: string): Promise<void> {
  await page.locator('input[name="login"]').fill(name);
  await page.locator('input[name="password"]').fill("any");
  await page.getByRole("button", { name: /sign-in/i }).click();
  await page.getByRole("button", { name: /continue/i }).click();
}
