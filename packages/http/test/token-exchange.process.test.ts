import { systemClock } from "@toolmount/core";
import { createOidcCheck, createTokenExchange, findOidcKeys } from "@toolmount/http";
import { expect, test } from "vitest";
import { audience, gatewaySecret, startProvider } from "./support/provider.ts";

const resource = "https://files.example.com/mcp";

/** The exchange of a server whose users come with tokens of a real provider. */
async function world() {
  const provider = await startProvider({ roles: { ana: ["call"] }, exchange: { resource } });
  const { issuer } = provider;
  let now = systemClock.now();
  const clock = { ...systemClock, now: () => now };
  const check = createOidcCheck({ issuer, audience, keys: await findOidcKeys(issuer) });
  const exchange = createTokenExchange(issuer, check, clock);
  const request = { user: "ana", issuer, clientId: "gateway", clientSecret: gatewaySecret, resource };
  return { provider, exchange, clock, request, wait: (ms: number) => void (now += ms) };
}

test("a token of a user is exchanged for one of another server, until it ends", async () => {
  const { provider, exchange, clock, wait, request } = await world();
  const token = await provider.signedIn("ana");
  expect(await exchange.authenticate(token)).toMatchObject({ user: "ana" });

  const { accessToken, endsAt } = await exchange.exchange(request);

  expect(accessToken).not.toBe(token);
  expect(endsAt).toBe(clock.now() + 600_000);
  wait(601_000);
  await expect(exchange.exchange(request)).rejects.toMatchObject({ code: "TOKEN_MISSING" });
});

test("an exchange without a token of this user, at another issuer, or that the provider refuses, has a code", async () => {
  const { provider, exchange, request } = await world();
  await exchange.authenticate(await provider.signedIn("ana"));

  for (const [change, refusal] of [
    [{ user: "ben" }, { code: "TOKEN_MISSING" }],
    [{ issuer: "https://login.example.com" }, { code: "TOKEN_EXCHANGE_REFUSED" }],
    [{ resource: "https://other.example" }, { message: expect.stringContaining("invalid_target") }],
    [{ clientSecret: "another" }, { code: "TOKEN_EXCHANGE_REFUSED" }],
  ] as const)
    await expect(exchange.exchange({ ...request, ...change })).rejects.toMatchObject(refusal);
  expect(provider.exchanges).toEqual([]);
});

test("a provider that cannot be asked is a failure with a code, and a token that it refused is kept for no user", async () => {
  const { provider, exchange, request } = await world();
  expect(await exchange.authenticate("no.signed.token")).toBeNull();
  await expect(exchange.exchange(request)).rejects.toMatchObject({ code: "TOKEN_MISSING" });
  await exchange.authenticate(await provider.signedIn("ana"));
  await provider.end();

  await expect(exchange.exchange(request)).rejects.toMatchObject({ code: "TOKEN_EXCHANGE_FAILED" });
});
