import { InsufficientScopeError } from "@modelcontextprotocol/client";
import { ToolError, type ExchangeToken } from "@toolmount/core";
import { expect, test } from "vitest";
import { ExchangedAuthorization } from "../src/auth/exchanged.ts";

/** The authorization of one user. The provider refuses each scope with a word of `refused`. */
function authorize(refused: readonly string[]) {
  const scopes: (string | undefined)[] = [];
  const exchange: ExchangeToken = async ({ scope }) => {
    scopes.push(scope);
    if (refused.some((word) => scope?.includes(word)))
      throw new ToolError("the provider gave no token", { code: "TOKEN_EXCHANGE_REFUSED" });
    return { accessToken: `token ${scopes.length} for ${scope}`, endsAt: undefined };
  };
  const settings = {
    grant: "token_exchange",
    clientId: "gateway",
    issuer: "https://a.example",
    scope: "read",
  } as const;
  const url = new URL("https://files.example.com/mcp");
  return {
    scopes,
    authorization: new ExchangedAuthorization({ url, user: "ana", settings, exchange: () => exchange }),
  };
}

/** Sends one request with the token, which the server refuses. */
async function send(authorization: ExchangedAuthorization): Promise<Response> {
  const headers = { authorization: `Bearer ${await authorization.token()}` };
  const refuses = authorization.noting(async () => new Response(null, { status: 401 }));
  return refuses("https://files.example.com/mcp", { headers });
}

test("a scope that the provider refuses to a user fails the one call that needs it", async () => {
  const { authorization, scopes } = authorize(["admin"]);
  const before = await authorization.token();

  const wanted = new InsufficientScopeError({ requiredScope: "admin" });
  await expect(authorization.needsScope(wanted)).rejects.toMatchObject({ code: "TOKEN_EXCHANGE_REFUSED" });

  expect(await authorization.token()).toBe(before);
  expect(scopes).toEqual(["read", "read admin"]);
});

test("a scope that is granted stays", async () => {
  const { authorization } = authorize([]);
  await authorization.token();

  expect(await authorization.needsScope(new InsufficientScopeError({ requiredScope: "write" }))).toBe(true);
  expect(await authorization.token()).toContain("for read write");
  expect(await authorization.needsScope(new InsufficientScopeError({ requiredScope: "write" }))).toBe(false);
});

test("a token with more scope is not the one that another call is getting", async () => {
  const { authorization } = authorize([]);
  const [, ...areNew] = await Promise.all([
    authorization.token(),
    authorization.needsScope(new InsufficientScopeError({ requiredScope: "write" })),
    authorization.needsScope(new InsufficientScopeError({ requiredScope: "delete" })),
  ]);

  expect(areNew).toEqual([true, true]);
  expect(await authorization.token()).toContain("for read write delete");
});

test("two requests that the server refuses at the same time get one new token", async () => {
  const { authorization, scopes } = authorize([]);
  const refusals = [await send(authorization), await send(authorization)];

  await Promise.all(refusals.map((response) => authorization.onUnauthorized({ response })));

  expect(scopes).toHaveLength(2);
});

test("a late refusal of the token before does not drop the new one", async () => {
  const { authorization, scopes } = authorize([]);
  const [first, late] = [await send(authorization), await send(authorization)];
  await authorization.onUnauthorized({ response: first });
  const fresh = await authorization.token();

  await authorization.onUnauthorized({ response: late });

  expect(await authorization.token()).toBe(fresh);
  expect(scopes).toHaveLength(2);
});
