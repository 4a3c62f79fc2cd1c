import { silentLogger, type Json } from "@toolmount/core";
import { onTestFinished, vi } from "vitest";
import { Authorization } from "../src/auth/authorization.ts";
import { Credentials, type CredentialRecord } from "../src/auth/credentials.ts";
import { authSettings } from "../src/auth/settings.ts";

/** The server that the tests of tokens are about. */
export const url = new URL("https://files.example.com/mcp");

/** What the network answers by address; each request is noted. */
export function network(answers: Readonly<Record<string, () => Response>> = {}) {
  const asked: { url: string; init: RequestInit }[] = [];
  vi.stubGlobal("fetch", async (to: URL, init: RequestInit) => {
    asked.push({ url: to.href, init });
    return answers[to.href]?.() ?? new Response("fine");
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return asked;
}

/** Why an address without TLS is not used. */
export const https = (address: string) =>
  `${address} is not used: an address has to begin with https://, or be one on this machine that the plan names`;

/** The authorization of one server, whose stored record a test reads and replaces as another process does. */
export function authorize(record: CredentialRecord, given: object = {}) {
  let stored: { version: number; body: Json } = { version: 1, body: record as Json };
  const store = {
    get: async () => stored,
    replace: async (_: string, before: number, body: Json) => {
      if (before !== stored.version) return false;
      stored = { version: before + 1, body };
      return true;
    },
  };
  const settings = authSettings.parse(given);
  const credentials = new Credentials(store, url, { clientId: undefined, user: undefined });
  const authorization = new Authorization({ url, settings, credentials, logger: silentLogger });
  /** A request with the token that is known, which the server refuses. */
  const refuse = async (challenge = "Bearer") => {
    const sent = authorization.noting(
      async () => new Response(null, { status: 401, headers: { "www-authenticate": challenge } }),
    );
    const token = await authorization.token();
    const response = await sent(
      url,
      token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
    );
    await authorization.onUnauthorized({ response });
  };
  return {
    authorization,
    refuse,
    read: () => stored.body as unknown as CredentialRecord,
    write: (next: CredentialRecord) => (stored = { version: stored.version + 1, body: next as Json }),
  };
}
