import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../src/index.ts";

async function open() {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-credentials-"));
  const store = await openStore(`sqlite:${join(folder, "state.db")}`);
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return store;
}

test("a credential is read as it was written, with a version that rises by one", async () => {
  const { credentials } = await open();

  expect(await credentials.get("server")).toBeNull();
  expect(await credentials.replace("server", 0, { token: "a", scopes: ["x"] })).toBe(true);
  expect(await credentials.get("server")).toEqual({ version: 1, body: { token: "a", scopes: ["x"] } });
  expect(await credentials.replace("server", 1, { token: "b" })).toBe(true);
  expect(await credentials.get("server")).toEqual({ version: 2, body: { token: "b" } });
  expect(await credentials.get("another")).toBeNull();
});

test("a credential that another process has replaced meanwhile stays as that process wrote it", async () => {
  const { credentials } = await open();
  await credentials.replace("server", 0, { token: "a" });

  expect(await credentials.replace("server", 0, { token: "late" })).toBe(false);
  expect(await credentials.replace("server", 7, { token: "late" })).toBe(false);
  expect(await credentials.get("server")).toEqual({ version: 1, body: { token: "a" } });
});
