import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { onTestFinished } from "vitest";

/** What this file uses of oidc-provider, which has no declarations. */
interface ProviderModule {
  readonly default: new (issuer: string, settings: object) => Provider;
  readonly errors: { readonly InvalidTarget: new (description: string) => Error };
}

interface Provider {
  readonly Client: { find(id: string): Promise<object> };
  readonly AccessToken: new (facts: object) => { resourceServer: object; save(): Promise<string> };
  readonly ResourceServer: new (identifier: string, facts: object) => object;
  callback(): Parameters<typeof createServer>[1] & {};
  on(event: string, listener: () => void): void;
  registerGrantType(
    name: string,
    handler: (ctx: GrantContext) => Promise<void>,
    parameters: readonly string[],
  ): void;
}

interface GrantContext {
  readonly oidc: { readonly client: object; readonly params: Readonly<Record<string, string>> };
  body: object;
}

/** The audience of the server's tokens. */
export const audience = "https://tools.example.com/mcp";

interface ProviderOptions {
  /** The roles of a person, by the name that the person signs in with. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** Seconds that a token is good for. Default 600. */
  readonly tokenSeconds?: number;
  /** The server for which the client `gateway` may exchange tokens of this server. */
  readonly exchange?: Exchange;
}

interface Exchange {
  readonly resource: string;
  /** Seconds that a token from an exchange is good for. Default 600. */
  readonly seconds?: number;
  /** Gives another answer than the provider would. */
  readonly answer?: (subject: string) => object | undefined;
}

/** The secret of the client that may exchange tokens. */
export const gatewaySecret = "a secret of the gateway";

const grantType = "urn:ietf:params:oauth:grant-type:token-exchange";

/** A real OpenID provider on loopback, with a page at which people sign in. */
export async function startProvider({ roles, tokenSeconds = 600, exchange }: ProviderOptions) {
  // @ts-expect-error -- the package has no declarations
  const { default: Provider, errors } = (await import("oidc-provider")) as ProviderModule;
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
  const serverInfo = (resource: string) => {
    const isUpstream = resource === exchange?.resource;
    return {
      scope: "openid",
      audience: isUpstream ? resource : audience,
      accessTokenFormat: "jwt",
      accessTokenTTL: isUpstream ? (exchange.seconds ?? 600) : tokenSeconds,
    };
  };
  const provider = new Provider(issuer, {
    clients: [
      { ...client, client_id: "page", token_endpoint_auth_method: "none" },
      { ...client, client_id: "page-with-secret", client_secret: "a secret of two sides" },
      {
        client_id: "gateway",
        client_secret: gatewaySecret,
        grant_types: ["client_credentials", ...(exchange === undefined ? [] : [grantType])],
        redirect_uris: [],
        response_types: [],
      },
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
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, resource: string) => serverInfo(resource),
      },
    },
  });
  const tokenFor = async (accountId: string, owner: object, resource: string) => {
    const token = new provider.AccessToken({ accountId, client: owner, scope: "openid" });
    token.resourceServer = new provider.ResourceServer(resource, serverInfo(resource));
    return token.save();
  };
  const exchanges: string[] = [];
  const exchangeToken = async (ctx: GrantContext): Promise<void> => {
    const { subject_token: subject = "", resource = "" } = ctx.oidc.params;
    // As a provider does: its own token, for the server that asks, and a target that this client may reach.
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
    const { payload } = await jwtVerify(subject, keys, { issuer, audience });
    if (resource !== exchange?.resource) throw new errors.InvalidTarget("this client may not reach it");
    exchanges.push(payload.sub!);
    ctx.body = exchange.answer?.(subject) ?? {
      access_token: await tokenFor(payload.sub!, ctx.oidc.client, resource),
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: exchange.seconds ?? 600,
    };
  };
  if (exchange !== undefined) {
    const parameters = ["subject_token", "subject_token_type", "requested_token_type", "resource", "scope"];
    provider.registerGrantType(grantType, exchangeToken, parameters);
  }
  const seen: string[] = [];
  for (const event of ["grant.success", "grant.error", "grant.revoked", "authorization.error"])
    provider.on(event, () => void seen.push(event));
  answer = provider.callback();
  /** The provider is gone: nothing listens any more. */
  const end = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  /** A token of this server for a person, as a client that signed them in has it. */
  const signedIn = async (name: string) => tokenFor(name, await provider.Client.find("page"), audience);
  return { issuer, seen, end, signedIn, exchanges };
}

/** What a person does at the provider's page: names themselves, and lets the server know them. */
export async function signInAs(page: Page, name: string): Promise<void> {
  await page.locator('input[name="login"]').fill(name);
  await page.locator('input[name="password"]').fill("any");
  await page.getByRole("button", { name: /sign-in/i }).click();
  await page.getByRole("button", { name: /continue/i }).click();
}
