import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { UnauthorizedError as OldUnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { stringify } from "yaml";
import { expect, onTestFinished, test } from "vitest";
import { audience, startProvider } from "../../packages/http/test/support/provider.ts";
import { linkPackages, serveCommand } from "./support/command.ts";
import { folderOf, planOf, serverOf } from "./support/world.ts";

const redirectUrl = "http://127.0.0.1/back";

/** What a program keeps that uses the SDK: where the person is sent, and what the SDK stores meanwhile. */
function createSignIn() {
  const kept: Record<string, unknown> = {};
  let address: URL | undefined;
  const provider = {
    redirectUrl,
    clientMetadata: {
      client_name: "a client of the SDK",
      redirect_uris: [redirectUrl],
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => kept["client"] as never,
    saveClientInformation: (client: unknown) => void (kept["client"] = client),
    tokens: () => kept["tokens"] as never,
    saveTokens: (tokens: unknown) => void (kept["tokens"] = tokens),
    saveCodeVerifier: (verifier: string) => void (kept["verifier"] = verifier),
    codeVerifier: () => String(kept["verifier"]),
    saveDiscoveryState: (state: unknown) => void (kept["discovery"] = state),
    discoveryState: () => kept["discovery"] as never,
    redirectToAuthorization: (to: URL) => void (address = to),
  };
  return { provider, address: () => address, kept };
}

/** A person at the provider's pages: names themselves, and agrees. Returns the address to which the browser goes back. */
async function signInAt(address: URL, name: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  const browse = async (to: URL, form?: Record<string, string>): Promise<URL> => {
    const response = await fetch(to, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join("; ") },
      ...(form !== undefined && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, key = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(key, value);
    }
    const next = response.headers.get("location");
    if (next !== null) {
      const there = new URL(next, to);
      return there.href.startsWith(redirectUrl) ? there : browse(there);
    }
    const [, action = ""] = /<form[^>]* action="([^"]+)"/.exec(await response.text()) ?? [];
    const prompt = form === undefined ? "login" : "consent";
    return browse(new URL(action, to), { prompt, login: name, password: "any" });
  };
  return (await browse(address)).searchParams;
}

/** A served plan that accepts the tokens of a provider, and no others. */
async function serveBehindProvider(roles: readonly string[] = ["call"]): Promise<URL> {
  const { issuer } = await startProvider({ roles: { eva: roles } });
  const folder = await folderOf({ "plan.yaml": stringify(planOf(serverOf())) });
  await linkPackages(folder);
  const words = ["plan.yaml", "--oidc", `issuer=${issuer}`, `audience=${audience}`];
  const { url } = await serveCommand(words, { cwd: folder });
  return new URL(`${url}/mcp`);
}

test.each(["legacy", "auto"] as const)(
  "a client of the SDK (%s) that knows only the address signs in by itself, and calls",
  async (mode) => {
    const url = await serveBehindProvider();
    const { provider, address, kept } = createSignIn();
    const connect = async () => {
      const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
      onTestFinished(() => client.close());
      const transport = new StreamableHTTPClientTransport(url, { authProvider: provider });
      return { client, transport, connected: client.connect(transport) };
    };

    const first = await connect();
    await expect(first.connected).rejects.toBeInstanceOf(UnauthorizedError);
    const returned = await signInAt(address()!, "eva");
    await first.transport.finishAuth(returned);
    const second = await connect();
    await second.connected;

    expect(address()!.searchParams.get("resource")).toBe(url.href);
    expect(kept["client"]).toMatchObject({ client_id: expect.any(String) });
    const { content } = await second.client.callTool({ name: "echo", arguments: { text: "hello" } });
    expect(content).toMatchObject([{ type: "text", text: "echo: hello" }]);
  },
);

test("a client of the older SDK signs in by itself", async () => {
  const url = await serveBehindProvider();
  const { provider, address } = createSignIn();
  const first = new OldClient({ name: "test", version: "1.0.0" });
  const transport = new OldTransport(url, { authProvider: provider });
  await expect(first.connect(transport)).rejects.toBeInstanceOf(OldUnauthorizedError);
  await transport.finishAuth((await signInAt(address()!, "eva")).get("code")!);

  const client = new OldClient({ name: "test", version: "1.0.0" });
  onTestFinished(() => client.close());
  await client.connect(new OldTransport(url, { authProvider: provider }));

  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("echo");
});

test("a person whose token has no role is refused after the sign-in, too", async () => {
  const url = await serveBehindProvider([]);
  const { provider, address, kept } = createSignIn();
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(url, { authProvider: provider });
  await expect(client.connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
  await transport.finishAuth(await signInAt(address()!, "eva"));

  const again = new StreamableHTTPClientTransport(url, { authProvider: provider });
  const refused = new Client({ name: "test", version: "1.0.0" }).connect(again);
  await expect(refused).rejects.toThrow("403 insufficient_scope");
  const { access_token: token } = kept["tokens"] as { access_token: string };
  const answer = await fetch(url, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
    403,
    'Bearer error="insufficient_scope"',
  ]);
  expect(await answer.json()).toMatchObject({
    code: "FORBIDDEN",
    detail: expect.stringContaining("no role"),
  });
});
