import { describe, expect, test } from "vitest";
import {
  checkAudit,
  createMemoryStore,
  data,
  systemClock,
  type AuditEntry,
  type AuditRecord,
  type AuditSink,
  type StateStore,
} from "../../src/index.ts";
import { checkSink } from "../../src/pending/audit.ts";
import { tool, world } from "../world.ts";

const context = { sessionId: "s", userId: "u" };

/** A store whose audit is watched: each commit as it came, and a chance to hold or break one. */
function watched(mode: AuditSink["mode"], before: () => Promise<void> = async () => {}) {
  const store = createMemoryStore({ audit: mode });
  const commits: AuditEntry[][] = [];
  const audit: AuditSink = {
    ...store.audit!,
    async append(records) {
      await before();
      commits.push(records.map(({ entry }) => entry));
      await store.audit!.append(records);
    },
  };
  return { store: { ...store, audit } satisfies StateStore, commits, audit };
}

const kinds = (entries: readonly AuditEntry[]) => entries.map(({ kind }) => kind);

describe("audit: durable", () => {
  test("the start is stored before the tool runs, the end before its outcome is reported", async () => {
    const { store, commits } = watched("durable");
    const seen: string[][] = [];
    const look = () => seen.push(kinds(commits.flat()));
    const { host } = world([tool(() => data(look()))], { store });
    host.coordinator.hooks.observe("tool:post", look);

    await host.call({ name: "probe" }, context);

    expect(seen).toEqual([["start"], ["start", "end"]]);
  });

  test("the end of a call that an approver denied names the one who denied it", async () => {
    const { store, commits } = watched("durable");
    const approver = () => ({ decision: "deny", by: "ada", reason: "not now" }) as const;
    const { host } = world([tool(undefined, { requiresConfirmation: true })], { store, approver });

    await host.call({ name: "probe" }, context);

    expect(commits.flat()).toMatchObject([
      { kind: "end", status: "denied", by: "ada", asked: [{ source: "confirmation" }] },
    ]);
  });

  test("a host that runs for days begins a chain a day, so that old ones can be deleted whole", async () => {
    const { store, audit } = watched("durable");
    let now = 0;
    const clock = { ...systemClock, now: () => now, elapsed: () => now };
    const { host } = world([tool()], { store, clock });
    for (const hour of [1, 23, 25, 30, 60]) {
      now = hour * 3_600_000;
      await host.call({ name: "probe" }, context);
    }

    const records = await audit.read();
    const chains = [...Map.groupBy(records, ({ writer }) => writer).values()];
    expect(chains.map((chain) => chain.map(({ entry }) => entry.at / 3_600_000))).toEqual([
      [1, 1, 23, 23],
      [25, 25, 30, 30],
      [60, 60],
    ]);
    expect(checkAudit(records, await audit.heads())).toEqual([]);
  });

  test("the end has the result with secrets masked, and the beginning of a long one", async () => {
    const { store, commits } = watched("durable");
    const results = [{ ok: "yes", password: "hunter2" }, "x".repeat(5_000)];
    const { host } = world([tool(() => data(results.shift()))], { store });
    await host.call({ name: "probe" }, context);
    await host.call({ name: "probe" }, context);

    const ends = commits.flat().filter(({ kind }) => kind === "end");
    expect(ends[0]!["result"]).toEqual({ ok: "yes", password: "[masked]" });
    expect(ends[1]).toMatchObject({ resultText: `"${"x".repeat(4_095)}`, resultLength: 5_002 });
    expect(ends[1]!["result"]).toBeUndefined();
  });

  test("the end has no result where the audit keeps none", async () => {
    const { store, commits } = watched("durable");
    const audit = { ...store.audit, keepsResults: false };
    const { host } = world([tool(() => data("private"))], { store: { ...store, audit } });
    await host.call({ name: "probe" }, context);

    expect(commits.flat().map(({ kind, status }) => [kind, status])).toEqual([
      ["start", undefined],
      ["end", "ok"],
    ]);
    expect(JSON.stringify(commits)).not.toContain("private");
  });

  test("calls in flight share a commit", async () => {
    const { store, commits } = watched("durable");
    const { host } = world([tool()], { store });

    await Promise.all(Array.from({ length: 64 }, () => host.call({ name: "probe" }, context)));

    expect(commits.flat()).toHaveLength(128);
    expect(commits.length).toBeLessThanOrEqual(6);
  });

  test("when its start cannot be written, the call does not run; when its end cannot, the outcome has a warning", async () => {
    let fail = 1;
    let count = 0;
    const { store } = watched("durable", async () => {
      if (++count === fail) throw new Error("disk full");
    });
    let ran = 0;
    const { host } = world([tool(() => data(++ran))], { store });

    expect(await host.call({ name: "probe" }, context)).toMatchObject({
      status: "failed",
      result: { code: "UNAVAILABLE", error: expect.stringContaining("audit") },
    });
    expect(ran).toBe(0);
    fail = count + 2;
    expect(await host.call({ name: "probe" }, context)).toMatchObject({
      status: "ok",
      result: { data: 1, warnings: ["its end could not be written to the audit"] },
    });
    expect(await host.call({ name: "probe" }, context)).toMatchObject({ status: "ok", result: { data: 2 } });
    expect(checkAudit(await store.audit.read(), await store.audit.heads())).toEqual([]);
  });
});

test("the end of a call has its error code and its phase in the audit", async () => {
  const { store, audit } = watched("durable");
  const { host } = world([tool(() => ({ error: "no", code: "TOO_BIG" }))], { store });

  await host.call({ name: "probe" }, context);
  await host.call({ name: "missing" }, context);
  await host.call({ name: "probe", arguments: "[" }, context);

  const ends = (await audit.read()).map(({ entry }) => entry).filter(({ kind }) => kind === "end");
  expect(ends).toMatchObject([
    { status: "failed", code: "TOO_BIG", error: "no", phase: "shape" },
    { status: "not_found", code: "TOOL_NOT_FOUND", phase: "find" },
    { status: "invalid", code: "INVALID_ARGUMENTS", phase: "parse" },
  ]);
  expect(ends[0]).not.toHaveProperty("arguments");
});

test("audit: batched waits for nothing, and everything is stored when the host has closed", async () => {
  const { store, commits } = watched("batched");
  const { host } = world([tool(() => data(kinds(commits.flat())))], { store });
  expect((await host.call({ name: "probe" }, context)).result.data).toEqual([]);
  await host.close();
  expect(kinds(commits.flat())).toEqual(["start", "end"]);
});

test("audit: batched is written a thousand records at a time, also while the host makes calls without a pause", async () => {
  const { store, commits } = watched("batched");
  const { host } = world([tool(() => data(1))], { store });
  for (let call = 0; call < 1_600; call++) await host.call({ name: "probe" }, context);
  // No timer has fired since, and what is left over waits for one.
  expect(commits.flat().length).toBeGreaterThanOrEqual(3_000);
  await host.close();

  expect(Math.max(...commits.map(({ length }) => length))).toBe(1_000);
  expect(commits.flat()).toHaveLength(3_200);
  expect(checkAudit(await store.audit.read(), await store.audit.heads())).toEqual([]);
});

test("audit: mixed waits for calls that change something, and not for calls that read", async () => {
  const { store, commits } = watched("mixed");
  const look = () => data(kinds(commits.flat()));
  const { host } = world([tool(look), tool(look, { name: "writes", category: "write" })], { store });
  expect((await host.call({ name: "probe" }, context)).result.data).toEqual([]);
  expect((await host.call({ name: "writes" }, context)).result.data).toEqual(["start", "end", "start"]);
});

test("audit: changes is durable for calls that change something, and records no calls that read or have no tool", async () => {
  const { store, commits, audit } = watched("changes");
  const look = () => data(commits.flat().map(({ kind, tool: name }) => `${kind} ${name}`));
  const { host } = world([tool(look), tool(look, { name: "writes", category: "write" })], { store });

  await host.call({ name: "probe" }, context);
  await host.call({ name: "none" }, context);
  expect(commits, "no commit, so no database is opened").toEqual([]);
  expect((await host.call({ name: "writes" }, context)).result.data).toEqual(["start writes"]);
  expect(commits.flat().map(({ kind }) => kind)).toEqual(["start", "end"]);
  await host.call({ name: "probe" }, context);
  await host.close();
  expect(commits.flat()).toHaveLength(2);
  expect(checkAudit(await audit.read(), await audit.heads())).toEqual([]);
});

test("every call has exactly one end, whether it ran, was denied, was invalid or had no tool", async () => {
  const { store, audit } = watched("durable");
  const { host } = world([tool(), tool(undefined, { name: "asks", requiresConfirmation: true })], { store });
  const outcomes = [
    await host.call({ name: "probe", arguments: { password: "hunter2" } }, context),
    await host.call({ name: "probe", arguments: "[1]" }, context),
    await host.call({ name: "none" }, context),
    await host.call({ name: "asks" }, context),
  ];
  await host.approvals.decide(
    (await host.approvals.list())[0]!.id,
    { decision: "deny", reason: "no" },
    "bob",
  );
  await host.resume(outcomes[3]!.ticket!, context);
  await host.close();

  const entries = (await audit.read()).map(({ entry }) => entry);
  for (const { runId } of outcomes)
    expect(entries.filter((entry) => entry.runId === runId && entry.kind === "end")).toHaveLength(1);
  expect(entries.filter(({ kind }) => kind === "start")).toHaveLength(1);
  expect(entries.find(({ kind }) => kind === "decision")).toMatchObject({
    decision: "deny",
    by: "bob",
    reason: "no",
  });
  expect(JSON.stringify(entries)).not.toContain("hunter2");
});

describe("the chain", () => {
  async function written() {
    const { store, audit } = watched("durable");
    const { host } = world([tool()], { store });
    for (let n = 0; n < 5; n++) await host.call({ name: "probe", arguments: { n, text: "żółć" } }, context);
    await host.close();
    return { records: await audit.read(), heads: await audit.heads() };
  }

  test("every changed byte, and every removed, swapped, doubled or cut record is found", async () => {
    const { records, heads } = await written();
    expect(checkAudit(records, heads)).toEqual([]);
    const found = (changed: readonly AuditRecord[]) => checkAudit(changed, heads).length > 0;
    records.forEach((record, at) => {
      const line = JSON.stringify(record);
      for (let byte = 0; byte < line.length; byte++) {
        const other = `${line.slice(0, byte)}${line[byte] === "0" ? "1" : "0"}${line.slice(byte + 1)}`;
        const parsed = tryParse(other);
        if (parsed !== null) expect(found(records.with(at, parsed)), other).toBe(true);
      }
      expect(found(records.toSpliced(at, 1))).toBe(true);
      expect(found(records.toSpliced(at, 0, record))).toBe(true);
      if (at > 0) expect(found(swapped(records, at))).toBe(true);
    });
    expect(found([])).toBe(true);
    const unlinked = records.with(2, { ...records[2]!, previous: "0" });
    expect(checkAudit(unlinked, heads)[0]).toMatchObject({
      sequence: 3,
      problem: "it does not follow the record before it",
    });
    expect(checkAudit(records, []).length).toBe(1);
  });

  test("what is wrong is said with the writer and the record, once for each place", async () => {
    const { records, heads } = await written();
    const writer = heads[0]?.writer;
    const check = (changed: readonly AuditRecord[], known = heads) =>
      checkAudit(changed, known).map((problem) => {
        expect(problem.writer).toBe(writer);
        return `${problem.sequence}: ${problem.problem}`;
      });
    const last = records.length;
    const edited = (at: number) => ({ ...records[at]!, entry: { ...records[at]!.entry, at: 1 } });

    expect(check(records.toReversed())).toEqual([]);
    expect(check(records.with(1, edited(1)))).toEqual(["2: it was changed"]);
    expect(check(records.with(last - 1, edited(last - 1)))).toEqual([`${last}: it was changed`]);
    expect(check(records.toSpliced(2, 1))).toEqual(["4: record 3 is expected here"]);
    expect(check(records.slice(1))).toEqual(["2: record 1 is expected here"]);
    expect(check(records.slice(0, -1))).toEqual([`${last}: the newest records are missing or changed`]);
    expect(check([])).toEqual([`${last}: the newest records are missing or changed`]);
    expect(check(records, [])).toEqual([`${last + 1}: its head is missing`]);
  });
});

/** A record and the one before it in each other's place in the chain. */
function swapped(records: readonly AuditRecord[], at: number): readonly AuditRecord[] {
  const [before, after] = [records[at - 1]!, records[at]!];
  return records
    .with(at, { ...before, sequence: after.sequence })
    .with(at - 1, { ...after, sequence: before.sequence });
}

/** The record in a line; null for a line that is no longer JSON, which its reader finds. */
function tryParse(text: string): AuditRecord | null {
  try {
    return JSON.parse(text) as AuditRecord;
  } catch {
    return null;
  }
}

test("an audit that grows while it is checked is read in pages, and what is wrong in it is found", async () => {
  const { store, audit: sink } = watched("batched");
  const { host } = world([tool()], { store });
  await Promise.all(Array.from({ length: 600 }, () => host.call({ name: "probe" }, context)));
  await host.close();
  const [whole, heads] = [await sink.read(), await sink.heads()];
  let sizes: number[] = [];
  const checked = (records: readonly AuditRecord[], later: readonly AuditRecord[] = []) => {
    sizes = [];
    return checkSink({
      ...sink,
      heads: async () => (sizes.length === 0 ? heads : [...heads, ...later]),
      read: async ({ page } = {}) => {
        const from = page!.after === undefined ? 0 : records.indexOf(page!.after) + 1;
        const found = [...records, ...later].slice(from, from + page!.size);
        sizes.push(found.length);
        return found;
      },
    });
  };

  expect(await checked(whole)).toEqual({ records: 1_200, problems: [] });
  expect(sizes).toEqual([500, 500, 200]);
  const other = { ...whole[0]!, writer: "another process" };
  expect((await checked(whole, [{ ...other, sequence: 2 }])).problems).toEqual([]);
  for (const changed of [
    whole.slice(0, -1),
    whole.slice(1),
    whole.toSpliced(600, 1),
    whole.toSpliced(9, 1, { ...whole[9]!, entry: whole[8]!.entry }),
  ])
    expect((await checked(changed)).problems).toEqual(checkAudit(changed, heads));
});
