import { UnauthorizedError } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import type { CredentialRecord } from "../src/auth/credentials.ts";
import { authorize, url } from "./sign-in-world.ts";

const issuer = "https://id.example.com";
const client = { client_id: "app" };
const signedIn: CredentialRecord = {
  issuer,
  clients: { [issuer]: client },
  tokens: { [issuer]: { access_token: "old", token_type: "Bearer", refresh_token: "r1", scope: "read" } },
  challenge: { scope: "read" },
};

/** A server whose authorization server answers a request for tokens so. */
function world(record: CredentialRecord, answer: (form: URLSearchParams) => Response, settings: object = {}) {
  const forms: Record<string, string>[] = [];
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ["code"],
    token_endpoint_auth_methods_supported: ["client_secret_post", "none"],
  };
  const pages: Readonly<Record<string, object>> = {
    "https://files.example.com/.well-known/oauth-protected-resource/mcp": {
      resource: url.href,
      authorization_servers: [issuer],
    },
    [`${issuer}/.well-known/oauth-authorization-server`]: metadata,
  };
  vi.stubGlobal("fetch", async (to: URL, init: RequestInit) => {
    const page = pages[String(to)];
    if (page !== undefined) return Response.json(page);
    if (String(to) !== metadata.token_endpoint) return new Response("", { status: 404 });
    const form = new URLSearchParams(init.body as URLSearchParams);
    forms.push(Object.fromEntries(form));
    return answer(form);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return { ...authorize(record, settings), forms };
}

const granted = (more: object = {}) =>
  Response.json({ access_token: "new", token_type: "Bearer", refresh_token: "r2", ...more });
const denied = (error: string, status = 400) =>
  Response.json({ error, error_description: "no more" }, { status });

test("a refused token is renewed at its issuer, with the scope as before, and the lease is given back", async () => {
  const { refuse, forms, read, authorization } = world(signedIn, () => granted());
  await refuse();
  expect(forms).toEqual([
    { grant_type: "refresh_token", refresh_token: "r1", client_id: "app", resource: url.href },
  ]);
  expect(read()).toEqual({
    issuer,
    clients: { [issuer]: client },
    tokens: {
      [issuer]: { access_token: "new", token_type: "Bearer", refresh_token: "r2", scope: "read", issuer },
    },
  });
  expect([await authorization.token(), await authorization.mayTry()]).toEqual(["new", true]);
});

test("requests that are refused at the same time renew the token once", async () => {
  const { refuse, forms } = world(signedIn, () => granted({ scope: "read write" }));
  await Promise.all([refuse(), refuse(), refuse()]);
  expect(forms).toHaveLength(1);
});

test("a lease of a process that is gone is taken over", async () => {
  const left = { ...signedIn, lease: { by: "gone", until: 1 } };
  const { refuse, authorization, read } = world(left, () => granted());
  await refuse();
  expect(await authorization.token()).toBe("new");
  expect(read()).not.toHaveProperty("lease");
});

test.each(["invalid_grant", "invalid_client", "unauthorized_client"])(
  "after the answer %s the tokens are deleted, and a person has to sign in",
  async (code) => {
    const { refuse, read, authorization } = world(signedIn, () => denied(code));
    await expect(refuse()).rejects.toBeInstanceOf(UnauthorizedError);
    // A client that is not known there is registered again by the next sign-in.
    const clients = code === "invalid_grant" ? { [issuer]: client } : {};
    expect([read().tokens, read().clients]).toEqual([{}, clients]);
    expect(read()).not.toHaveProperty("lease");
    expect([await authorization.token(), await authorization.mayTry()]).toEqual([undefined, false]);
  },
);

test("after another failure the tokens stay, and the next request may try again", async () => {
  for (const answer of [
    () => denied("temporarily_unavailable"),
    () => new Response("down", { status: 503 }),
  ]) {
    const { refuse, read, authorization } = world(signedIn, answer);
    const failure = await refuse().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(UnauthorizedError);
    expect(read().tokens).toEqual(signedIn.tokens);
    expect(read()).not.toHaveProperty("lease");
    expect(await authorization.mayTry()).toBe(true);
  }
});

test("a refresh token goes to no other issuer than its own", async () => {
  const elsewhere = {
    ...signedIn,
    issuer: "https://old.example.com",
    tokens: { "https://old.example.com": signedIn.tokens[issuer]! },
  };
  const { refuse, forms } = world(elsewhere, () => granted());
  await expect(refuse()).rejects.toThrow(`no person has signed in at ${issuer} yet`);
  expect(forms).toEqual([]);
});

const robot = { grant: "client_credentials", clientId: "robot", clientSecret: "secret", issuer };

test("a host that signs in by itself gets a token without a person", async () => {
  const { refuse, forms, read } = world({ clients: {}, tokens: {} }, () => granted(), {
    ...robot,
    scope: "files",
  });
  await refuse();
  expect(forms).toMatchObject([{ grant_type: "client_credentials", scope: "files" }]);
  expect(read()).toMatchObject({ issuer, tokens: { [issuer]: { access_token: "new" } } });
});

test("one without its secret cannot sign in by itself", async () => {
  const { refuse } = world({ clients: {}, tokens: {} }, () => granted(), {
    ...robot,
    clientSecret: undefined,
  });
  await expect(refuse()).rejects.toThrow("auth: grant client_credentials needs clientId and clientSecret");
});
