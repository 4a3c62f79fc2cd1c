import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { createHost, data, defineTool, systemClock, type Clock } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { sharedPostgres } from "./postgres.ts";
import { config, mount, openStore, type OpenStore } from "../src/index.ts";

async function workspace(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-open-store-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("only this user can read an SQLite store", async () => {
  const folder = await workspace();
  const store = await openStore("sqlite:./.toolmount/state.db", { folder });
  await store.sessions.append("s", 0, ["x"]);
  expect((await stat(join(folder, ".toolmount"))).mode & 0o777).toBe(0o700);
  for (const name of ["state.db", "state.db-wal"])
    expect((await stat(join(folder, ".toolmount", name))).mode & 0o777).toBe(0o600);
  await store.close();
});

test.each([
  ["an unknown scheme", "mysql://x", /begins with sqlite: or postgres/],
  ["a relative path without a folder", "sqlite:./x.db", /needs a folder/],
  ["a folder that is a file", "sqlite:/dev/null/x.db", /ENOTDIR|EEXIST|unable to open/],
])("STATE_UNAVAILABLE: %s", async (_, url, problem) => {
  await expect(openStore(url)).rejects.toMatchObject({
    code: "STATE_UNAVAILABLE",
    details: { problem: expect.stringMatching(problem) },
  });
});

test("STATE_UNAVAILABLE: the error about an absent server names it without the password", async () => {
  const error = await openStore("postgres://me:hunter2@127.0.0.1:1/db").catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    code: "STATE_UNAVAILABLE",
    details: { where: "postgres://…@127.0.0.1:1/db" },
  });
  expect(String(error)).not.toContain("hunter2");
});

test.runIf(process.platform === "linux")(
  "STATE_UNAVAILABLE: a folder that cannot be made, as below /proc, ends the attempt",
  async () => {
    await expect(openStore("sqlite:/proc/nope/state.db", { folder: "/" })).rejects.toMatchObject({
      code: "STATE_UNAVAILABLE",
    });
  },
);

test("STATE_UNAVAILABLE: a file that is not a database stays unchanged", async () => {
  const folder = await workspace();
  await writeFile(join(folder, "state.db"), "not a database at all, but a text of some length".repeat(50));
  await expect(openStore("sqlite:state.db", { folder })).rejects.toMatchObject({ code: "STATE_UNAVAILABLE" });
  expect(await readFile(join(folder, "state.db"), "utf8")).toContain("not a database");
});

test("STATE_UNAVAILABLE: a database of another version is refused", async () => {
  const folder = await workspace();
  await (await openStore("sqlite:state.db", { folder })).close();
  const raw = new DatabaseSync(join(folder, "state.db"));
  raw.exec("update toolmount_schema set version = 99");
  raw.close();
  await expect(openStore("sqlite:state.db", { folder })).rejects.toMatchObject({
    details: { problem: expect.stringContaining("another version") },
  });
});

test("eight hosts that open an empty store together all find its tables", async () => {
  const folder = await workspace();
  const stores = await Promise.all(
    Array.from({ length: 8 }, () => openStore("sqlite:a.db", { folder, audit: "durable" })),
  );
  for (const store of stores) expect(await store.approvals.list()).toEqual([]);
  await Promise.all(stores.map((store) => store.close()));
});

test("a file that another process is just making is waited for, without blocking the thread", async () => {
  const folder = await workspace();
  const other = new DatabaseSync(join(folder, "state.db"));
  onTestFinished(() => other.close());
  other.exec("create table made (a); begin; select * from made");
  const opening = openStore("sqlite:state.db", { folder });
  const state = await Promise.race([opening.then(() => "open"), delay(100, "waits")]);
  other.exec("commit; drop table made");
  expect(state).toBe("waits");
  const store = await opening;
  expect(await store.approvals.list()).toEqual([]);
  await store.close();
});

test("as a module it mounts the stores of the plan's sections, and closes them with the host", async () => {
  const folder = await workspace();
  const host = createHost();
  host.coordinator.registerCapability("session.working_dir", folder);
  await mount(host.coordinator, config.parse({ state: "sqlite:./state.db", audit: "durable" }));
  const points = ["approval-store", "session-store", "audit-sink"] as const;
  expect(points.map((point) => host.coordinator.get(point) !== null)).toEqual([true, true, true]);
  const approvals = host.coordinator.get("approval-store") as { list(): Promise<unknown> };
  await host.close();
  await expect(approvals.list()).rejects.toThrow(/destroyed|closed|not open/);
});

test("a store on Postgres brings the ledger of a fleet, and one on SQLite does not", async () => {
  const server = await sharedPostgres();
  onTestFinished(() => server.stop());
  const ledgerOf = async (state: string) => {
    const host = createHost();
    host.coordinator.registerCapability("session.working_dir", await workspace());
    await mount(host.coordinator, config.parse({ state }));
    const ledger: unknown = host.coordinator.getCapability("fleet.ledger");
    await host.close();
    return ledger;
  };
  const url = await server.database("fleet");

  expect(await ledgerOf(url)).toMatchObject({ url });
  expect(await ledgerOf("sqlite:./state.db")).toBeNull();
});

test("an audit without a store, and unknown words, are refused", () => {
  for (const bad of [
    { audit: "durable" },
    { state: "redis://x" },
    { state: "sqlite:" },
    { audit: "always" },
    { stat: "x" },
  ])
    expect(config.safeParse(bad).success).toBe(false);
  for (const good of [
    {},
    { audit: "off" },
    { state: "postgres://h/db" },
    { state: "sqlite:./x.db", audit: "mixed" },
    { state: "sqlite:./x.db", audit: "changes" },
  ])
    expect(config.safeParse(good).success).toBe(true);
});

const look = defineTool({
  name: "look",
  description: "Looks. Use it in tests.",
  schema: z.strictObject({}),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: true,
  execute: () => data(1),
});

/** One call that waits and one that ended, at a time. */
async function askTwice(store: OpenStore, clock: Clock): Promise<void> {
  const host = createHost({ store, clock });
  host.coordinator.mount("tools", look);
  const context = { sessionId: "s", userId: "u" };
  const { ticket, runId } = await host.call({ name: "look" }, context);
  const asked = (await host.approvals.list()).find(({ info }) => info.runId === runId);
  await host.approvals.decide(asked!.id, "approve", "p");
  expect(await host.resume(ticket!, context)).toMatchObject({ status: "ok" });
  await host.call({ name: "look" }, context);
  await host.close();
}

test("a store that is mounted deletes approvals that ended more than 90 days ago, and no others", async () => {
  const folder = await workspace();
  const store = await openStore("sqlite:./state.db", { folder });
  onTestFinished(() => store.close());
  const now = systemClock.now();
  await askTwice(store, { ...systemClock, now: () => now - 91 * 86_400_000 });
  await askTwice(store, { ...systemClock, now: () => now - 89 * 86_400_000 });

  const host = createHost();
  host.coordinator.registerCapability("session.working_dir", folder);
  await mount(host.coordinator, config.parse({ state: "sqlite:./state.db" }));
  await host.close();

  expect(await store.approvals.list({ states: ["ended"] })).toHaveLength(1);
  expect(await store.approvals.list({ states: ["pending"] })).toHaveLength(2);
});
