import { silentLogger, systemClock, type Host } from "@toolmount/core";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CallJournal } from "../src/journal/call-journal.ts";
import type { CallSummary } from "../src/journal/call-record.ts";
import { createWorld } from "./support/world.ts";

/** The journal of a host, at a time that stands still, and every change that it reports. */
function journalOf(host: Host = createWorld().host) {
  const errors: unknown[][] = [];
  const logger = { ...silentLogger, error: (...words: unknown[]) => void errors.push(words) };
  const journal = new CallJournal(host, { ...systemClock, now: () => 7 }, logger);
  onTestFinished(async () => {
    journal.close();
    await host.close();
  });
  const seen: CallSummary[] = [];
  const stop = journal.watch((call) => void seen.push(call));
  const stepsOf = (runId: string) => journal.get(runId)!.steps.map(({ name, note }) => [name, note]);
  return { host, journal, seen, stop, stepsOf, errors };
}

const list = { limit: 10 };

describe("a call that is followed as it happens", () => {
  test("is listed from its arrival to its end, with a number for each change", async () => {
    const { host, journal, seen, stepsOf } = journalOf();
    const context = { sessionId: "s", userId: "ana", turnId: "t" };
    const { runId } = await host.call({ id: "c1", name: "echo", arguments: { text: "hi" } }, context);
    const summary = {
      runId,
      callId: "c1",
      tool: "echo",
      startedAt: 7,
      durationMs: null,
      code: null,
      sessionId: "s",
      userId: "ana",
      turnId: "t",
      parentRunId: null,
      kind: "call",
      place: null,
      line: "",
    };
    expect(seen).toEqual([
      { ...summary, status: "running", change: 1 },
      { ...summary, status: "running", change: 2, line: seen[1]!.line },
      { ...summary, status: "running", change: 3, line: seen[1]!.line },
      { ...summary, status: "ok", change: 4, line: seen[1]!.line, durationMs: expect.any(Number) },
    ]);
    expect(seen[1]!.line).toContain("hi");
    expect(journal.list(list)).toEqual([seen[3]]);
    expect(stepsOf(runId)).toEqual([
      ["arrived", undefined],
      ["tool:pre", undefined],
      ["tool:post", undefined],
      ["ended", "ok"],
    ]);
    expect(journal.get(runId)).toMatchObject({
      isHere: false,
      phase: null,
      arguments: { text: '{"text":"hi"}', characters: 13 },
      steps: [{ at: 7 }, { at: 7 }, { at: 7 }, { at: 7 }],
    });
    expect(JSON.parse(journal.get(runId)!.result!.text)).toMatchObject({ data: { text: "hi" } });
    expect(journal.get("other")).toBeUndefined();
  });

  test("that reports its progress says how far it is", async () => {
    const { host, stepsOf } = journalOf();
    const { runId } = await host.call({ name: "count" });
    const progress = [1, 2, 3].map((one) => ["tool:progress", String(one)]);
    expect(stepsOf(runId).filter(([name]) => name === "tool:progress")).toEqual(progress);
  });

  test("that fails has its code, and the sentence at its end", async () => {
    const { host, journal, stepsOf } = journalOf();
    const { runId } = await host.call({ name: "gone" });
    expect(journal.get(runId)).toMatchObject({ status: "not_found", code: "TOOL_NOT_FOUND", tool: "gone" });
    expect(stepsOf(runId).at(-1)).toEqual(["ended", expect.stringContaining('no tool named "gone"')]);
  });

  test.each([
    ["approve", undefined, "approval:granted", "olga", "ok"],
    ["approve", "it is fine", "approval:granted", "olga: it is fine", "ok"],
    ["deny", "no", "approval:denied", "olga: no", "denied"],
  ] as const)(
    "that waits until a person decides to %s (%s) says who and why",
    async (decision, reason, step, note, end) => {
      const { host, journal, stepsOf } = journalOf();
      const { runId, ticket } = await host.call({ name: "wipe" }, { sessionId: "s" });
      expect(journal.get(runId)).toMatchObject({ status: "waiting", durationMs: null, isHere: false });
      const asked = [
        ["arrived", undefined],
        ["approval:required", 'Run "wipe"? "wipe" asks for confirmation'],
        ["tool:pre", undefined],
        ["waits", "pending"],
      ];
      expect(stepsOf(runId)).toEqual(asked);
      expect(journal.running).toBe(0);
      const [question] = await host.approvals.list();
      await host.approvals.decide(
        question!.id,
        { decision, ...(reason !== undefined && { reason }) },
        "olga",
      );
      expect([journal.get(runId)!.status, stepsOf(runId).at(-1)]).toEqual(["decided", [step, note]]);
      await host.resume(ticket!, { sessionId: "s" });
      const after = end === "ok" ? ["tool:post", "ended"] : ["tool:error", "ended"];
      expect(stepsOf(runId).slice(0, 5)).toEqual([...asked, [step, note]]);
      expect(
        stepsOf(runId)
          .slice(5)
          .map(([name]) => name),
      ).toEqual(["resumed", ...after]);
      expect(journal.get(runId)).toMatchObject({ status: end, durationMs: expect.any(Number) });
    },
  );

  test("runs again when an approver of its own process has approved it", async () => {
    const approver = async () => ({ decision: "approve", by: "olga" }) as const;
    const { host, journal } = journalOf(createWorld({ approver }).host);
    const seen: string[] = [];
    journal.watch(({ status }) => void seen.push(status));
    expect((await host.call({ name: "wipe" }, { sessionId: "s" })).status).toBe("ok");
    expect(seen.filter((status, at) => status !== seen[at - 1])).toEqual([
      "running",
      "waiting",
      "running",
      "ok",
    ]);
  });

  test("counts as running until it ends", async () => {
    const { host, release, started } = createWorld();
    const { journal } = journalOf(host);
    const running = host.call({ name: "wait" });
    await vi.waitUntil(() => started.length > 0, 60_000);
    expect([journal.running, journal.list(list)[0]!.status]).toEqual([1, "running"]);
    release();
    await running;
    expect(journal.running).toBe(0);
  });
});

describe("the list of calls", () => {
  test("is of the newest first, those that changed since, and those that a filter chooses", async () => {
    const { host, journal } = journalOf();
    for (const text of ["one", "two", "three"])
      await host.call({ id: text, name: "echo", arguments: { text } }, { sessionId: text });
    await host.call({ id: "none", name: "gone" }, { sessionId: "x" });
    const ids = (filter: object) => journal.list({ ...list, ...filter }).map(({ callId }) => callId);
    expect(ids({})).toEqual(["none", "three", "two", "one"]);
    expect(ids({ limit: 2 })).toEqual(["none", "three"]);
    expect(ids({ limit: 0 })).toEqual([]);
    const [, three] = journal.list(list);
    expect(ids({ changedAfter: three!.change })).toEqual(["none"]);
    expect(ids({ changedAfter: three!.change - 1 })).toEqual(["none", "three"]);
    expect(ids({ text: "two" })).toEqual(["two"]);
    expect(ids({ text: "t*" })).toEqual(expect.arrayContaining(["three", "two"]));
    expect(ids({ text: "nothing" })).toEqual([]);
    expect(ids({ sessionId: "one" })).toEqual(["one"]);
    expect(ids({ tool: "gone" })).toEqual(["none"]);
  });

  test("has no secrets", async () => {
    const { host, journal } = journalOf();
    const { runId } = await host.call({
      name: "echo",
      arguments: { text: "a", password: "hunter-2" },
    });
    expect(JSON.stringify(journal.get(runId))).not.toContain("hunter-2");
  });

  test("is of one host, and stays as it is when the journal is closed", async () => {
    const { host, journal, seen, stop } = journalOf();
    const other = journalOf();
    await host.call({ name: "echo" });
    expect([journal.list(list).length, other.journal.list(list).length]).toEqual([1, 0]);
    stop();
    await host.call({ name: "echo" });
    expect([journal.list(list).length, seen.length]).toEqual([2, 4]);
    journal.close();
    await host.call({ name: "echo" });
    expect(journal.list(list)).toHaveLength(2);
  });

  test("is kept also where one who watches it fails, and the log says so", async () => {
    const { host, journal, errors, seen } = journalOf();
    journal.watch(() => {
      throw new Error("it is broken");
    });
    await host.call({ name: "echo" });
    expect([journal.list(list).length, seen.length]).toEqual([1, 4]);
    expect(errors[0]).toEqual([{ err: new Error("it is broken") }, "a call could not be kept for the page"]);
  });

  test("has ten thousand calls, and the oldest that has ended makes room", async () => {
    const { host, release, started } = createWorld();
    const { journal } = journalOf(host);
    const running = host.call({ id: "waits", name: "wait" });
    await vi.waitUntil(() => started.length > 0, 60_000);
    await host.call({ id: "first", name: "gone" });
    for (let count = 0; count < 9_998; count++) await host.call({ name: "gone" });
    const all = () => journal.list({ limit: 20_000 }).map(({ callId }) => callId);
    expect([all().length, all().slice(-2)]).toEqual([10_000, ["first", "waits"]]);
    await host.call({ name: "gone" });
    expect([all().length, all().includes("first"), all().at(-1)]).toEqual([10_000, false, "waits"]);
    release();
    await running;
  });
});

test("the oldest details make room for new ones, and their calls stay", async () => {
  const { host, journal } = journalOf();
  const text = "x".repeat(30_000);
  const first = await host.call({ name: "echo", arguments: { text } });
  const kept = journal.get(first.runId)!;
  expect([kept.arguments!.text.length, kept.arguments!.characters]).toEqual([20_000, 30_011]);
  for (let count = 1; count < 400; count++) await host.call({ name: "echo", arguments: { text } });
  expect(journal.get(first.runId)!.arguments).not.toBeNull();
  await host.call({ name: "echo", arguments: { text } });
  expect(journal.get(first.runId)).toMatchObject({ arguments: null, result: null, status: "ok" });
});
