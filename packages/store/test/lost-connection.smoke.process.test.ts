import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import {
  checkAudit,
  createHost,
  data,
  systemClock,
  type Clock,
  type ToolDefinition,
  type ToolSchema,
} from "@toolmount/core";
import { callsLogOf, changesLogOf, innerLogOf, resultsLogOf } from "@toolmount/core/sessions";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openStore, type OpenStore } from "../src/index.ts";
import { startPostgres, type PostgresServer } from "./postgres.ts";

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(() => server.stop());

const object = () => ({ type: "object" });
const schema: ToolSchema = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: unknown) => ({ value: value as object }),
    jsonSchema: { input: object, output: object },
  },
};
const look: ToolDefinition = {
  name: "look",
  description: "Looks. Use in tests.",
  schema,
  requiresConfirmation: false,
  execute: async () => data(1),
};

/** Collects errors that nothing handles; in a host without this listener, each ends the process. */
function watchUncaught(): readonly unknown[] {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  const before = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException").on("uncaughtException", note);
  onTestFinished(() => {
    process.removeListener("uncaughtException", note);
    for (const listener of before) process.on("uncaughtException", listener);
  });
  return uncaught;
}

test("a restart of Postgres fails what is under way, ends no process, and the next query works", async () => {
  const uncaught = watchUncaught();
  const store = await openStore(await server.database("restart"), { connections: 8 });
  onTestFinished(() => store.close());
  const busy = Array.from({ length: 8 }, async (_, lane) => {
    for (let at = 0; ; at++) {
      const failure = await store.sessions.append(`s${lane}`, at, [at]).then(() => null, String);
      if (failure !== null) return failure;
    }
  });
  await store.sessions.append("begun", 0, ["x"]);

  await server.restart();

  expect(await Promise.all(busy)).toEqual(Array.from({ length: 8 }, () => expect.stringMatching(/\w/)));
  expect(await store.sessions.append("after", 0, ["x"])).toBe(true);
  expect(uncaught).toEqual([]);
});

test("a client that is checked out and waits for an answer survives the loss of its connection", async () => {
  const uncaught = watchUncaught();
  const proxied = await startProxy(await server.database("held"));
  const held = await openStore(proxied.url, { connections: 1, statementTimeoutMs: 60_000 });
  onTestFinished(() => held.close());
  proxied.freeze();
  const waiting = held.sessions.load("s").catch((error: unknown) => error);

  proxied.cut();

  expect(await waiting).toBeInstanceOf(Error);
  proxied.thaw();
  expect(await held.sessions.load("s")).toBeNull();
  expect(uncaught).toEqual([]);
});

test("a frozen Postgres fails each query in bounded time, and works again when it answers", async () => {
  const proxied = await startProxy(await server.database("frozen"));
  const store = await openStore(proxied.url, {
    connections: 2,
    connectTimeoutMs: 2_000,
    statementTimeoutMs: 2_000,
  });
  onTestFinished(() => store.close());
  await store.sessions.append("s", 0, ["x"]);
  proxied.freeze();

  const frozen = await Promise.allSettled(Array.from({ length: 6 }, () => store.approvals.list()));

  expect(frozen.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => "rejected"));
  proxied.thaw();
  expect(await store.sessions.entries("s")).toEqual([{ sequence: 1, entry: "x" }]);
});

test("opening a store at a server that accepts and never answers is refused in bounded time", async () => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;

  const opening = openStore(`postgres://me@127.0.0.1:${port}/db`, { connectTimeoutMs: 100 });

  await expect(opening).rejects.toMatchObject({ code: "STATE_UNAVAILABLE" });
});

test("prune deletes what ended before a time, and the rest of the audit can still be checked", async () => {
  for (const url of ["sqlite::memory:", await server.database("prune")]) {
    const store = await openStore(url, { audit: "durable" });
    onTestFinished(() => store.close());
    const clock = { ...systemClock, now: () => now };
    let now = 1_000;
    const old = await workOnce(store, clock, "old");
    now = 5_000;
    const recent = await workOnce(store, clock, "recent");
    for (const [session, at] of [
      ["old", 1_000],
      ["bare", 1_000],
      ["recent", 1_000],
      ["fresh", 5_000],
    ] as const)
      await store.sessions.append(resultsLogOf(session), 0, [{ at: 1 }, { at }]);
    for (const [session, at] of [
      ["programs", 1_000],
      ["bare", 1_000],
      ["fresh", 5_000],
    ] as const) {
      await store.sessions.append(callsLogOf(session), 0, [{ call: "c", at }]);
      await store.sessions.append(innerLogOf("c", session), 0, [{ end: null }]);
    }
    for (const [session, at] of [
      ["bare", 1_000],
      ["changed", 1_000],
      ["changing", 5_000],
    ] as const)
      await store.sessions.append(changesLogOf(session), 0, [{ at: 1 }, { at }]);

    const pruned = await store.prune(4_000);

    expect(pruned).toEqual({ approvals: 1, sessions: 1, auditRecords: old, counters: 0 });
    const left = await store.audit!.read();
    expect(left).toHaveLength(recent);
    expect(checkAudit(left, await store.audit!.heads())).toEqual([]);
    expect((await store.sessions.list()).map(({ id }) => id)).toEqual(["recent"]);
    expect(await store.sessions.entries("old")).toEqual([]);
    const kept = ["old", "bare", "recent", "fresh"].map((session) =>
      store.sessions.entries(resultsLogOf(session)),
    );
    expect((await Promise.all(kept)).map(({ length }) => length)).toEqual([0, 0, 2, 2]);
    const calls = ["programs", "bare", "fresh"].map((session) =>
      store.sessions.entries(innerLogOf("c", session)),
    );
    expect((await Promise.all(calls)).map(({ length }) => length)).toEqual([0, 0, 1]);
    const changes = ["bare", "changed", "changing"].map((session) =>
      store.sessions.entries(changesLogOf(session)),
    );
    expect((await Promise.all(changes)).map(({ length }) => length)).toEqual([0, 0, 2]);
    expect(await store.approvals.list({ states: ["ended"] })).toHaveLength(1);
    expect(await store.approvals.list({ states: ["pending"] })).toHaveLength(2);
  }
});

test("counters of one prefix are deleted, and the others stay", async () => {
  for (const url of ["sqlite::memory:", await server.database("counters")]) {
    const store = await openStore(url);
    onTestFinished(() => store.close());
    const add = (key: string, at: number) => store.work.count(key, { count: 1, amount: 0, at });
    for (const key of ["repeats [1]", "repeats [2]", "budget [1]"]) await add(key, 1);
    await add("repeats [2]", 5);

    expect(await store.pruneCounters(5, "repeats ")).toBe(1);
    expect(await add("repeats [2]", 5)).toMatchObject({ count: 3 });
    expect(await store.pruneCounters(5)).toBe(1);
  }
});

/** A host that ends one call that waited, leaves one waiting, and stores a session. Resolves to its audit records. */
async function workOnce(store: OpenStore, clock: Clock, sessionId: string): Promise<number> {
  const before = (await store.audit!.read()).length;
  const host = createHost({ store, clock });
  host.coordinator.mount("tools", { ...look, requiresConfirmation: true });
  const context = { sessionId: "other", userId: "u" };
  const { ticket, runId } = await host.call({ name: "look", arguments: {} }, context);
  await host.call({ name: "look", arguments: {} }, context);
  const waiting = await host.approvals.list();
  await host.approvals.decide(waiting.find(({ info }) => info.runId === runId)!.id, "approve", "p");
  expect(await host.resume(ticket!, context)).toMatchObject({ status: "ok" });
  const at = clock.now();
  await store.sessions.save({
    id: sessionId,
    parentId: null,
    version: 1,
    createdAt: at,
    updatedAt: at,
    data: {},
  });
  await store.sessions.append(sessionId, 0, ["x"]);
  await host.close();
  return (await store.audit!.read()).length - before;
}

test("the audit of four lanes is intact although their clock goes back", async () => {
  const store = await openStore(await server.database("lanes"), { audit: "durable" });
  onTestFinished(() => store.close());
  let now = 1_700_000_000_000;
  const host = createHost({ store, clock: { ...systemClock, now: () => (now -= 7) } });
  host.coordinator.mount("tools", look);
  for (let round = 0; round < 10; round++)
    await Promise.all([1, 2, 3, 4].map(() => host.call({ name: "look", arguments: {} })));

  const records = await store.audit!.read();

  expect(records).toHaveLength(80);
  expect(checkAudit(records, await store.audit!.heads())).toEqual([]);
});

interface Proxy {
  readonly url: string;
  /** Forwards nothing from now on, and keeps connections open. */
  freeze(): void;
  thaw(): void;
  /** Breaks every connection. */
  cut(): void;
}

/** A TCP proxy in front of a database. */
async function startProxy(url: string): Promise<Proxy> {
  const target = new URL(url);
  const { hostname, port } = target;
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const listener = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    near.on("data", (chunk) => void (isFrozen || far.write(chunk)));
    far.on("data", (chunk) => void (isFrozen || near.write(chunk)));
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const cut = () => sockets.forEach((socket) => socket.destroy());
  onTestFinished(() => {
    cut();
    listener.close();
  });
  target.port = String((listener.address() as AddressInfo).port);
  return {
    url: target.href,
    freeze: () => void (isFrozen = true),
    thaw: () => void (isFrozen = false),
    cut,
  };
}
