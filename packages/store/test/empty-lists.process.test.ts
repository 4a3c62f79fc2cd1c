import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore, type OpenStore } from "../src/index.ts";
import { sharedPostgres } from "./postgres.ts";

async function onSqlite(): Promise<OpenStore> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-empty-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return openStore(`sqlite:${join(folder, "state.db")}`, { audit: "durable" });
}

async function onPostgres(): Promise<OpenStore> {
  const server = await sharedPostgres();
  onTestFinished(() => server.stop());
  return openStore(await server.database("empty"), { audit: "durable" });
}

test.each([
  ["SQLite", onSqlite],
  ["Postgres", onPostgres],
])("in %s a filter with an empty list selects nothing", async (_, open) => {
  const store = await open();
  onTestFinished(() => store.close());
  const { approvals, audit, work } = store;

  expect(await approvals.list({ states: [] })).toEqual([]);
  expect(await work.list({ kind: "turn", statuses: [] })).toEqual([]);
  expect(await work.remove("turn", [], 1)).toBe(0);
  expect(await audit!.read({ runIds: [] })).toEqual([]);
  expect(await audit!.calls!({ runIds: [], limit: 1 })).toEqual({ calls: [], hasMore: false });
});
