import { createMemoryStore, data, defineTool, type StateStore } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CallHistory } from "../src/journal/call-history.ts";
import { historyOf } from "./support/history.ts";

/** A process that knows of calls, and calls `echo`. */
function processOf(store?: StateStore) {
  const { host, journal, history } = historyOf(store);
  const echo = (id: string, text = id) =>
    host.call({ id, name: "echo", arguments: { text } }, { sessionId: "s", userId: "ana" });
  const ids = async (filter: object) => {
    const { calls, hasMore } = await history.list({ limit: 10, ...filter });
    return [calls.map(({ callId }) => callId), hasMore] as const;
  };
  return { host, journal, history, echo, ids };
}

const audited = () => createMemoryStore({ audit: "durable" });

describe("the calls of a host without an audit", () => {
  test("are those of this process, a page at a time", async () => {
    const { echo, ids } = processOf();
    for (const id of ["a", "b", "c"]) await echo(id);
    expect(await ids({ limit: 2 })).toEqual([["c", "b"], true]);
    expect(await ids({ limit: 3 })).toEqual([["c", "b", "a"], false]);
  });

  test("have their details, and nothing is known of others", async () => {
    const { echo, history } = processOf();
    const { runId } = await echo("a");
    expect(await history.get(runId)).toMatchObject({
      runId,
      callId: "a",
      status: "ok",
      phase: null,
      arguments: { value: { text: "a" } },
      result: { value: { data: { text: "a" } } },
      steps: [{ name: "arrived" }, { name: "tool:pre" }, { name: "tool:post" }, { name: "ended" }],
    });
    expect(await history.get("other")).toBeNull();
    expect([...(await history.argumentsOf([runId, "other"]))]).toEqual([[runId, { text: "a" }]]);
    expect([...(await processOf().history.argumentsOf([runId]))]).toEqual([]);
  });
});

test.each([["this process"], ["the audit"]])(
  "what a result leaves out is a step of the call, as %s knows it",
  async (by) => {
    const store = audited();
    const { host, history } = processOf(store);
    const omitted = [{ what: "links", amount: "2 files", why: "they are links", how: "read_file" }];
    const noted = {
      description: "Lists. Use when asked.",
      schema: z.strictObject({}),
      category: "read",
    } as const;
    const flags = { consequenceLevel: "low", requiresConfirmation: false } as const;
    host.coordinator.mount(
      "tools",
      defineTool({ name: "list", ...noted, ...flags, execute: () => data(1, { omitted }) }),
    );
    const { runId } = await host.call({ name: "list" });
    const known = by === "the audit" ? processOf(store).history : history;

    const note = "links (2 files): they are links. To get it: read_file";
    expect((await known.get(runId))!.steps.at(-1)).toMatchObject({ name: "omitted", note });
  },
);

describe("the calls of a host with an audit", () => {
  test("are those of processes before, and of this one as it knows them", async () => {
    const store = audited();
    const before = processOf(store);
    for (const id of ["a", "b"]) await before.echo(id);
    const now = processOf(store);
    await now.echo("c");
    expect(await now.ids({})).toEqual([["c", "b", "a"], false]);
    expect(await now.ids({ limit: 2 })).toEqual([["c", "b"], true]);
    expect(await now.ids({ limit: 3 })).toEqual([["c", "b", "a"], false]);
    expect(await now.ids({ text: "b" })).toEqual([["b"], false]);
    const { calls } = await now.history.list({ limit: 10 });
    expect(calls.map(({ change }) => change > 0)).toEqual([true, false, false]);
    expect(await now.ids({ text: "c" })).toEqual([["c"], false]);
  });

  test("that asked here and ended at another server have their end", async () => {
    const store = audited();
    const [here, there] = [processOf(store), processOf(store)];
    const asked = await here.host.call({ name: "wipe" }, { sessionId: "s" });
    const [question] = await there.host.approvals.list();
    await there.host.approvals.decide(question!.id, "approve", "ben");
    await there.host.resume(asked.ticket!, { sessionId: "s" });
    const seen = async () => {
      const { calls } = await here.history.list({ limit: 10 });
      return [calls.map(({ status }) => status), (await here.history.get(asked.runId))?.status];
    };
    await expect.poll(seen).toEqual([["ok"], "ok"]);
  });

  test("are also those of this process that the audit leaves out", async () => {
    const store = audited();
    const quiet = { ...store.audit!, calls: async () => ({ calls: [], hasMore: false }) };
    const other = processOf({ ...store, audit: quiet });
    await other.echo("b");
    await other.echo("c");
    expect(await other.ids({})).toEqual([["c", "b"], false]);
    expect(await other.ids({ limit: 1 })).toEqual([["c"], true]);
    expect(await other.ids({ text: "b" })).toEqual([[], false]);
  });

  test("are not older than the last of a page that has more", async () => {
    const store = audited();
    const { echo, host, journal } = processOf(store);
    const asked: object[] = [];
    await echo("a");
    const first = journal.list({ limit: 1 })[0]!;
    const stored = { ...first, startedAt: first.startedAt + 1_000 };
    const calls = async (filter: object) => {
      asked.push(filter);
      return "runIds" in filter
        ? { calls: [], hasMore: false }
        : { calls: [{ ...stored, runId: "r", callId: "z" }], hasMore: true };
    };
    const history = new CallHistory(
      { ...host, coordinator: { ...host.coordinator, get: () => ({ calls }) } },
      journal,
    );
    const page = await history.list({ limit: 1 });
    expect([page.calls.map(({ callId }) => callId), page.hasMore]).toEqual([["z"], true]);
    expect(asked).toEqual([{ limit: 1 }]);
    await history.list({ limit: 1, since: first.startedAt + 5_000 });
    expect(asked).toHaveLength(2);
  });

  test("of a process before have the details that the audit has", async () => {
    const store = audited();
    const before = processOf(store);
    const { runId } = await before.echo("a");
    const { history } = processOf(store);
    expect(await history.get(runId)).toEqual({
      runId,
      callId: "a",
      tool: "echo",
      status: "ok",
      startedAt: expect.any(Number),
      durationMs: expect.any(Number),
      code: null,
      sessionId: "s",
      userId: "ana",
      turnId: null,
      parentRunId: null,
      kind: "call",
      place: null,
      line: expect.stringContaining("a"),
      change: 0,
      phase: null,
      traceparent: null,
      arguments: { value: { text: "a" } },
      result: expect.objectContaining({ value: expect.anything() }),
      steps: [
        { at: expect.any(Number), name: "started" },
        { at: expect.any(Number), name: "ended", note: "ok" },
      ],
    });
    expect([...(await history.argumentsOf([runId]))]).toEqual([[runId, { text: "a" }]]);
  });

  test("that failed say why, and those that a person decided say who", async () => {
    const store = audited();
    const { host } = processOf(store);
    const gone = await host.call({ name: "gone", arguments: {} });
    const decide = async (decision: "approve" | "deny", reason?: string) => {
      const { runId, ticket } = await host.call({ name: "wipe" }, { sessionId: "s" });
      const [question] = await host.approvals.list();
      await host.approvals.decide(
        question!.id,
        { decision, ...(reason !== undefined && { reason }) },
        "olga",
      );
      await host.resume(ticket!, { sessionId: "s" });
      return runId;
    };
    const [approved, denied] = [await decide("approve"), await decide("deny", "no")];
    const { history } = processOf(store);
    const stepsOf = async (runId: string) =>
      (await history.get(runId))!.steps.map(({ name, note }) => [name, note]);
    expect((await stepsOf(gone.runId)).at(-1)).toEqual(["ended", expect.stringContaining("gone")]);
    expect((await history.get(gone.runId))!.result).toEqual({ value: expect.stringContaining("gone") });
    expect(await stepsOf(approved)).toEqual([
      ["waits", undefined],
      ["approval:granted", "olga"],
      ["started", undefined],
      ["ended", "ok"],
    ]);
    expect((await stepsOf(denied)).slice(0, 2)).toEqual([
      ["waits", undefined],
      ["approval:denied", "olga: no"],
    ]);
  });

  test("that a person ran in the place of its caller say who", async () => {
    const store = audited();
    const { host } = processOf(store);
    const { runId } = await host.call({ name: "wipe" }, { sessionId: "s" });
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, "approve", "olga");
    await host.approvals.run(question!.id, "ann");

    const { steps } = (await processOf(store).history.get(runId))!;
    expect(steps.map(({ name, note }) => [name, note]).slice(1)).toEqual([
      ["approval:granted", "olga"],
      ["started", "run by ann"],
      ["ended", "ok"],
    ]);
  });

  test("of which this process forgot the details have those of the audit", async () => {
    const store = audited();
    const { echo, journal, history } = processOf(store);
    const { runId } = await echo("a");
    const record = journal.get(runId)!;
    record.arguments = record.result = null;
    expect((await history.get(runId))!.steps.map(({ name }) => name)).toEqual(["started", "ended"]);
    record.isHere = true;
    expect((await history.get(runId))!.steps.map(({ name }) => name)).toContain("arrived");
  });
});
