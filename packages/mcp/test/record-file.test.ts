import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Coordinator } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { createRecordFile } from "../src/auth/record-file.ts";
import { authorizationOf, credentialStoreOf, lateStore } from "../src/mount/authorize.ts";
import { ExchangedAuthorization } from "../src/auth/exchanged.ts";
import { Authorization } from "../src/auth/authorization.ts";
import { config, signsInByHeader } from "../src/mount/config.ts";

/** A folder that is deleted after the test. */
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "toolmount-credentials-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test("credentials are kept by key and version, in a file that only this user can read", async () => {
  const file = join(folder(), "own", "credentials.db");
  const store = createRecordFile(file);
  expect([await store.get("a"), existsSync(file)]).toEqual([null, false]);
  expect(await store.replace("a", 0, { token: "1" })).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
  expect(await store.replace("a", 0, { token: "2" })).toBe(false);
  expect(await store.get("a")).toEqual({ version: 1, body: { token: "1" } });
  expect(await store.replace("a", 1, { token: "2" })).toBe(true);
  expect(await store.replace("a", 1, { token: "3" })).toBe(false);
  expect(await store.replace("b", 1, { token: "3" })).toBe(false);
  expect(await createRecordFile(file).get("a")).toEqual({ version: 2, body: { token: "2" } });
  expect(await store.get("b")).toBeNull();
});

const offered = { get: async () => null, replace: async () => true };

test("credentials are in the store of the plan, else in a file in its folder", async () => {
  expect(credentialStoreOf(offered, "/plan")).toBe(offered);
  const place = folder();
  for (const other of [null, undefined, {}, { get: () => null }, "store"]) {
    const store = credentialStoreOf(other, place);
    await store.replace("key", 0, {});
  }
  expect(existsSync(join(place, ".toolmount/credentials.db"))).toBe(true);
});

test("the store of a plan is looked up for each access", async () => {
  let known: unknown = null;
  const coordinator = { getCapability: () => known } as unknown as Coordinator;
  const place = folder();
  const store = lateStore(coordinator, place);
  expect(await store.get("key")).toBeNull();
  const asked: unknown[] = [];
  known = {
    get: async (key: string) => (asked.push(key), null),
    replace: async (...words: unknown[]) => (asked.push(words), true),
  };
  await store.get("key");
  expect(await store.replace("key", 2, { a: 1 })).toBe(true);
  expect(asked).toEqual(["key", ["key", 2, { a: 1 }]]);
});

const url = "https://files.example.com/mcp";
const exchange = {
  instance: "user",
  auth: { grant: "token_exchange", clientId: "a", clientSecret: "b", issuer: "https://id.example" },
};

test.each<[string, object, string | undefined, unknown]>([
  ["over stdio has none", { command: "files-server" }, undefined, undefined],
  [
    "with a header of its own has none",
    { url, headers: { AUTHORIZATION: "Bearer x" } },
    undefined,
    undefined,
  ],
  ["over HTTP signs in", { url }, undefined, Authorization],
  ["over HTTP signs in for a user", { url, instance: "user" }, "ana", Authorization],
  ["with another header signs in", { url, headers: { "x-own": "1" } }, undefined, Authorization],
  ["that exchanges tokens does so for a user", { url, ...exchange }, "ana", ExchangedAuthorization],
  ["that exchanges tokens is its own client for the host", { url, ...exchange }, undefined, Authorization],
])("a server %s", (_, settings, user, expected) => {
  const coordinator = { getCapability: () => offered, logger: {} } as unknown as Coordinator;
  const parsed = config.parse({ name: "files", ...settings });
  const made = authorizationOf(coordinator, parsed, { folder: undefined, user });
  if (expected === undefined) expect(made).toBeUndefined();
  else expect(made).toBeInstanceOf(expected);
  expect(signsInByHeader(parsed)).toBe("AUTHORIZATION" in parsed.headers);
});
