import { InsufficientScopeError, UnauthorizedError } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { ServerAuthorization } from "../src/auth/authorization.ts";
import { Credentials } from "../src/auth/credentials.ts";
import { authorize, url } from "./sign-in-world.ts";

const issuer = "https://id.example";
const tokens = (access_token: string, more: object = {}) => ({
  issuer,
  clients: {},
  tokens: { [issuer]: { access_token, token_type: "Bearer", ...more } },
});

test("the stored token is sent, and without a sign-in none is", async () => {
  expect(await authorize(tokens("a")).authorization.token()).toBe("a");
  expect(await authorize({ clients: {}, tokens: {} }).authorization.token()).toBeUndefined();
});

test("the token of a request is known by its response, without the word Bearer", async () => {
  class Noting extends ServerAuthorization {
    token = async () => undefined;
    onUnauthorized = async () => {};
    mayTry = async () => true;
    needsScope = async () => false;
    of = (response: Response) => this.sentWith(response);
  }
  const sent = new Noting();
  const fetchOne = sent.noting(async () => new Response());
  const withToken = await fetchOne(url, { headers: { authorization: "Bearer Bearer x" } });
  expect([sent.of(withToken), sent.of(await fetchOne(url)), sent.of(new Response())]).toEqual([
    "Bearer x",
    undefined,
    undefined,
  ]);
});

test("a refused token that cannot be renewed needs a person, and what the server asked for is stored", async () => {
  const { refuse, read, authorization } = authorize(tokens("a"));
  const challenge = 'Bearer scope="read", resource_metadata="https://files.example.com/meta"';

  const failure = await refuse(challenge).catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(UnauthorizedError);
  expect(failure).toMatchObject({ message: "a person has to sign in" });
  expect(read().challenge).toEqual({
    scope: "read",
    resourceMetadataUrl: "https://files.example.com/meta",
  });
  expect(await authorization.mayTry()).toBe(false);
});

test("a server that refused is tried again with another token, or after half a minute", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  const { refuse, authorization, write } = authorize(tokens("a"));
  expect(await authorization.mayTry()).toBe(true);
  await refuse().catch(() => undefined);

  write({ clients: {}, tokens: {} });
  expect(await authorization.mayTry()).toBe(false);
  vi.setSystemTime(1_029_999);
  expect(await authorization.mayTry()).toBe(false);
  vi.setSystemTime(1_030_000);
  expect(await authorization.mayTry()).toBe(true);
  vi.setSystemTime(1_000_001);
  write(tokens("b"));
  expect(await authorization.mayTry()).toBe(true);
  expect(await authorization.token()).toBe("b");
});

test("where another process has got a token meanwhile, the refused request is sent with it", async () => {
  const { refuse, write, authorization } = authorize(tokens("a"));
  await authorization.token();
  write(tokens("b"));

  await refuse();

  expect(await authorization.token()).toBe("b");
});

test("while another process renews the tokens, this one waits for them", async () => {
  const leased = {
    ...tokens("a", { refresh_token: "r" }),
    lease: { by: "another", until: Number.MAX_SAFE_INTEGER },
  };
  const { refuse, write, authorization } = authorize(leased);
  const waits = refuse();
  await authorization.token();
  write(tokens("b"));

  await waits;

  expect(await authorization.token()).toBe("b");
});

test("a tool that needs more scope stores it beside what is granted, until the store has another token", async () => {
  const { authorization, read, write } = authorize(tokens("a", { scope: "read" }));
  const wanted = new InsufficientScopeError({
    requiredScope: "write",
    resourceMetadataUrl: new URL("https://files.example.com/meta"),
  });

  expect(await authorization.needsScope(wanted)).toBe(false);
  expect(read().challenge).toEqual({
    scope: "read write",
    resourceMetadataUrl: "https://files.example.com/meta",
  });
  expect(await authorization.token()).toBe("a");
  write(tokens("b"));
  expect(await authorization.needsScope(wanted)).toBe(true);
  write({ clients: {}, tokens: {} });
  expect(await authorization.needsScope(wanted)).toBe(false);
  expect(read().challenge?.scope).toBe("write");
});

test("credentials are kept by server, client and user", async () => {
  const asked: string[] = [];
  const store = { get: async (key: string) => (asked.push(key), null), replace: async () => true };
  const at = new URL("https://files.example.com/mcp?tenant=1#part");
  for (const [clientId, user] of [
    [undefined, undefined],
    ["app", undefined],
    ["app", "ana b"],
  ])
    await new Credentials(store, at, { clientId, user }).read();
  expect(asked).toEqual([
    "https://files.example.com/mcp?tenant=1",
    "https://files.example.com/mcp?tenant=1 app",
    "https://files.example.com/mcp?tenant=1#user=ana%20b app",
  ]);
});

test("a record that this version cannot read counts as none, and is replaced", async () => {
  const { authorization, read, write } = authorize({ clients: {}, tokens: {} });
  write({ ...tokens("a"), later: true } as never);
  expect(await authorization.token()).toBeUndefined();
  const credentials = new Credentials(
    { get: async () => ({ version: 3, body: { later: true } }), replace: async () => false },
    url,
    { clientId: undefined, user: undefined },
  );
  const kept = await credentials.read();
  expect(kept).toEqual({ version: 3, record: { clients: {}, tokens: {} } });
  expect(await credentials.replace(kept, kept.record)).toBeNull();
  expect(read()).toMatchObject({ later: true });
});
