import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  checkAudit,
  createMemoryStore,
  type ApprovalRecord,
  type AuditRecord,
  type Json,
  type RememberedApproval,
  type StateStore,
} from "@toolmount/core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../src/index.ts";
import { startPostgres, type PostgresServer } from "./postgres.ts";

let folder: string;
let server: PostgresServer;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolmount-store-"));
  server = await startPostgres();
}, 60_000);

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Opens the same empty store once, or twice as two processes would; memory can be had only once. */
interface Kind {
  readonly name: string;
  open(): Promise<readonly [StateStore, StateStore]>;
}

const kinds: readonly Kind[] = [
  {
    name: "memory",
    async open() {
      const store = createMemoryStore({ audit: "durable" });
      return [store, store];
    },
  },
  { name: "SQLite", open: async () => openTwice(`sqlite:${join(folder, `${count}.db`)}`) },
  { name: "Postgres", open: async () => openTwice(await server.database(`test_${count}`)) },
];

async function openTwice(url: string): Promise<readonly [StateStore, StateStore]> {
  return Promise.all([openStore(url, { audit: "durable" }), openStore(url, { audit: "durable" })]);
}

function record(id: string, fields: Partial<ApprovalRecord> = {}): ApprovalRecord {
  return {
    id,
    ticketHash: `hash of ${id}`,
    state: "pending",
    version: 1,
    tool: "probe",
    info: { callId: "c", runId: `run of ${id}`, tool: "probe", depth: 0, sessionId: "s-1", userId: "alice" },
    digest: "d",
    definition: "e",
    shown: { text: "żółć \u0000 \ud83d\ude00", n: 1.5 },
    argumentsDigest: "f",
    sealed: "AAAA",
    prompt: "Run it?",
    reasons: [{ source: "confirmation", reason: "asks" }],
    options: ["Allow", "Deny"],
    default: "deny",
    idempotent: false,
    client: false,
    createdAt: 1_700_000_000_000,
    expiresAt: 1_700_000_600_000,
    decision: null,
    leaseUntil: null,
    end: null,
    ...fields,
  };
}

describe.each(kinds)("a store: $name", ({ open }) => {
  let one: StateStore;
  let other: StateStore;

  beforeEach(async () => {
    count++;
    [one, other] = await open();
    return async () => {
      await one.close?.();
      if (other !== one) await other.close?.();
    };
  }, 60_000);

  test("gives back what was added, to whoever opens it", async () => {
    await one.approvals.add(record("a"));
    expect(await other.approvals.get("a")).toEqual(record("a"));
    expect(await other.approvals.findByTicket("hash of a")).toEqual(record("a"));
    expect(await other.approvals.get("b")).toBeNull();
    expect(await other.approvals.findByTicket("a")).toBeNull();
  });

  test("refuses a second record of one id", async () => {
    await one.approvals.add(record("a"));
    await expect(other.approvals.add(record("a"))).rejects.toThrow(/already|UNIQUE|duplicate/);
  });

  test("replaces only the version before: of many who try at once, one wins", async () => {
    await one.approvals.add(record("a"));
    const tries = Array.from({ length: 50 }, (_, at) =>
      [one, other][at % 2]!.approvals.replace(
        record("a", { version: 2, state: at % 3 ? "approved" : "denied", prompt: `${at}` }),
      ),
    );
    const won = (await Promise.all(tries)).flatMap((yes, at) => (yes ? [at] : []));
    expect(won).toHaveLength(1);
    expect((await one.approvals.get("a"))?.prompt).toBe(`${won[0]}`);
    expect(await one.approvals.replace(record("a", { version: 2 }))).toBe(false);
    expect(await one.approvals.replace(record("a", { version: 4 }))).toBe(false);
    expect(await one.approvals.replace(record("none", { version: 2 }))).toBe(false);
  });

  test("lists by state, session, user and time, oldest first", async () => {
    const ended = { status: "ok", at: 1, sealed: null } as const;
    await one.approvals.add(record("late", { createdAt: 3 }));
    await one.approvals.add(record("early", { createdAt: 1, expiresAt: 50 }));
    await one.approvals.add(
      record("leased", { createdAt: 2, state: "started", leaseUntil: 10, expiresAt: 99 }),
    );
    await one.approvals.add(record("ended", { createdAt: 4, state: "ended", expiresAt: 5, end: ended }));
    await one.approvals.add(
      record("foreign", { createdAt: 5, info: { ...record("x").info, sessionId: "s-2", userId: "bob" } }),
    );
    const ids = async (filter?: Parameters<typeof other.approvals.list>[0]) =>
      (await other.approvals.list(filter)).map(({ id }) => id);
    expect(await ids()).toEqual(["early", "leased", "late", "ended", "foreign"]);
    expect(await ids({ states: ["pending"] })).toEqual(["early", "late", "foreign"]);
    expect(await ids({ states: ["pending", "ended"], sessionId: "s-1", limit: 2 })).toEqual([
      "early",
      "late",
    ]);
    expect(await ids({ userId: "bob" })).toEqual(["foreign"]);
    expect(await ids({ dueBy: 20 })).toEqual(["leased"]);
    expect(await ids({ dueBy: 50 })).toEqual(["early", "leased"]);
  });

  test("remembers, lists and forgets", async () => {
    const always = (id: string, tool: string, at: number): RememberedApproval => ({
      id,
      tool,
      definition: "e",
      scope: "rule",
      argumentsDigest: null,
      pattern: { command: "git *" },
      sessionId: null,
      userId: "alice",
      by: "bob",
      at,
    });
    await one.approvals.remember(always("2", "bash", 2));
    await one.approvals.remember(always("1", "web", 1));
    expect(await other.approvals.remembered()).toHaveLength(2);
    expect(await other.approvals.remembered("bash")).toEqual([always("2", "bash", 2)]);
    expect([await other.approvals.forget("2"), await other.approvals.forget("2")]).toEqual([true, false]);
    expect(await one.approvals.remembered("bash")).toEqual([]);
  });

  test("saves each version of a session once", async () => {
    const session = (version: number, n: number) => ({
      id: "s",
      parentId: "p",
      version,
      createdAt: 1,
      updatedAt: n,
      data: { n, items: [null, "x", { deep: true }] },
    });
    const first = await Promise.all(
      [1, 2, 3, 4].map((n) => [one, other][n % 2]!.sessions.save(session(1, n))),
    );
    expect(first.filter(Boolean)).toHaveLength(1);
    const second = await Promise.all(
      [1, 2, 3, 4].map((n) => [one, other][n % 2]!.sessions.save(session(2, n))),
    );
    expect(second.filter(Boolean)).toHaveLength(1);
    expect(await one.sessions.save(session(4, 9))).toBe(false);
    expect(await other.sessions.load("s")).toEqual(session(2, second.indexOf(true) + 1));
    expect(await other.sessions.load("none")).toBeNull();
    await one.sessions.save({ ...session(1, 99), id: "newer", parentId: null });
    expect((await other.sessions.list()).map(({ id }) => id)).toEqual(["newer", "s"]);
    expect((await other.sessions.list({ parentId: "p", limit: 5 })).map(({ id }) => id)).toEqual(["s"]);
  });

  test("appends to a session's log in order, all or none, and each place once", async () => {
    const { sessions } = one;
    expect(await sessions.append("s", 0, ["a", { b: 1 }])).toBe(true);
    expect(await sessions.append("s", 1, ["late"])).toBe(false);
    const tries = await Promise.all(
      [1, 2, 3, 4].map((n) => [one, other][n % 2]!.sessions.append("s", 2, [n, n])),
    );
    expect(tries.filter(Boolean)).toHaveLength(1);
    const n = tries.indexOf(true) + 1;
    expect(await other.sessions.entries("s")).toEqual(
      ["a", { b: 1 }, n, n].map((entry, at) => ({ sequence: at + 1, entry })),
    );
    expect(await sessions.entries("s", { after: 1, limit: 1 })).toEqual([{ sequence: 2, entry: { b: 1 } }]);
    expect([await sessions.delete("s"), await sessions.delete("s")]).toEqual([true, false]);
    expect(await sessions.entries("s")).toEqual([]);
  });

  test("keeps what the calls of a session share, by key, whatever characters it has", async () => {
    const { sessions } = one;
    const odd = "a\ud800";
    await sessions.writeState(
      odd,
      new Map<string, Json>([
        ["__proto__", { x: 1 }],
        ["k\u0000", "v\u0000\ud801"],
        ["gone", 1],
      ]),
    );
    await sessions.writeState("a\ud801", new Map([["k", null]]));
    await other.sessions.writeState(
      odd,
      new Map<string, Json | undefined>([
        ["gone", undefined],
        ["new", [1]],
      ]),
    );
    const kept = await sessions.readState(odd);
    expect(kept).toEqual(
      new Map<string, Json>([
        ["__proto__", { x: 1 }],
        ["k\u0000", "v\u0000\ud801"],
        ["new", [1]],
      ]),
    );
    expect(await other.sessions.readState("a\ud801")).toEqual(new Map([["k", null]]));
    expect(await sessions.readState("none")).toEqual(new Map());
    expect([await sessions.delete(odd), await sessions.delete(odd)]).toEqual([true, false]);
    expect(await sessions.readState(odd)).toEqual(new Map());
  });

  test("finds a call that waits by the id that its caller gave it", async () => {
    await one.approvals.add(record("1"));
    await one.approvals.add({
      ...record("2"),
      info: { callId: "d", runId: "r2", tool: "probe", depth: 0, sessionId: "s-1" },
    });
    const found = await other.approvals.list({
      sessionId: "s-1",
      callId: "d",
      states: ["pending"],
      limit: 1,
    });
    expect(found.map(({ id }) => id)).toEqual(["2"]);
    expect(await other.approvals.list({ sessionId: "s-2", callId: "d" })).toEqual([]);
  });

  test("keeps the audit in order, with the head of each chain", async () => {
    const entry = (writer: string, sequence: number): AuditRecord => ({
      writer,
      sequence,
      previous: "",
      hash: `${writer}${sequence}`,
      entry: { kind: "end", at: sequence, runId: `r${sequence}`, tool: writer, note: "\n" },
    });
    await one.audit!.append([entry("a", 1), entry("a", 2)]);
    await other.audit!.append([entry("b", 1), entry("a", 3)]);
    const read = async (filter?: Parameters<NonNullable<StateStore["audit"]>["read"]>[0]) =>
      (await one.audit!.read(filter)).map(({ hash }) => hash);
    expect((await read()).toSorted()).toEqual(["a1", "a2", "a3", "b1"]);
    expect(await read({ writer: "a" })).toEqual(["a1", "a2", "a3"]);
    expect(await read({ writer: "a", last: 2 })).toEqual(["a3", "a2"]);
    expect(await read({ runId: "r2" })).toEqual(["a2"]);
    expect(await read({ tool: "b", since: 1 })).toEqual(["b1"]);
    expect(await read({ since: 3 })).toEqual(["a3"]);
    expect(
      (await other.audit!.heads()).map(({ writer, sequence }) => `${writer}${sequence}`).toSorted(),
    ).toEqual(["a3", "b1"]);
    expect((await read()).length).toBe((await one.audit!.read()).length);
    expect(checkAudit(await one.audit!.read(), await one.audit!.heads()).length).toBeGreaterThan(0);
  });
});
