import type { AuditEntry } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { callOf, isWanted, RunJoiner } from "../../src/audit/audited-calls.ts";

function entry(over: object): AuditEntry {
  return { kind: "end", at: 5, runId: "r1", tool: "pay", ...over } as never;
}

const asked = [{ source: "policy", rule: "rules[0]" }, { source: "level", rule: null }, {}];

describe("a record as a call", () => {
  test("of a call that ended has all that the record has", () => {
    const ended = {
      arguments: { to: "Bo" },
      userId: "ada",
      sessionId: "s1",
      asked,
      by: "bo",
      status: "ok",
      result: { paid: 1 },
      durationMs: 7,
    };

    expect(callOf(entry(ended))).toEqual({
      at: 5,
      run: "r1",
      tool: "pay",
      arguments: { to: "Bo" },
      user: "ada",
      session: "s1",
      answer: "ask",
      rules: ["rules[0]", "level", "rule"],
      kind: "call",
      approvedBy: null,
      deniedBy: "bo",
      runBy: null,
      allowedBy: null,
      person: null,
      status: "ok",
      code: null,
      error: null,
      result: { paid: 1 },
      durationMs: 7,
    });
  });

  test("without more than a kind has nothing", () => {
    const nothing = {
      arguments: null,
      user: null,
      session: null,
      kind: "call",
      approvedBy: null,
      deniedBy: null,
      runBy: null,
      allowedBy: null,
      person: null,
      code: null,
      error: null,
    };

    expect(callOf(entry({ kind: "start", arguments: [1], userId: "", durationMs: "7" }))).toEqual({
      at: 5,
      run: "r1",
      tool: "pay",
      ...nothing,
      answer: "allow",
      rules: [],
      status: "running",
      result: null,
      durationMs: null,
    });
  });

  test("of which only the beginning is kept says so", () => {
    expect(callOf(entry({ arguments: '{"a', resultText: '{"b', result: null }))).toMatchObject({
      arguments: '{"a',
      result: '{"b…',
    });
  });

  test.each([
    [{ kind: "start" }, "allow", "running"],
    [{ kind: "start", asked }, "ask", "waiting"],
    [{ status: "ok" }, "allow", "ok"],
    [{ status: "denied" }, "deny", "denied"],
    [{ status: "denied", asked }, "ask", "denied"],
    [{ kind: "start", status: "denied" }, "allow", "running"],
  ])("of %j was answered with %s and is %s", (over, answer, status) => {
    expect(callOf(entry(over))).toMatchObject({ answer, status });
  });

  test.each([
    [{ asked, status: "ok", approvedBy: "bo" }, "allowed"],
    [{ asked, status: "ok", allowedBy: "the declared default" }, null],
    [{ asked, status: "denied", approvedBy: "bo", by: "bo" }, "allowed"],
    [{ asked, status: "denied", by: "bo" }, "denied"],
    [{ asked, status: "denied", by: "the host" }, null],
    [{ asked, status: "denied", by: "timeout" }, null],
    [{ asked, status: "denied" }, null],
    [{ asked, status: "cancelled", by: "bo" }, null],
    [{ asked, kind: "ask", status: "denied", by: "bo" }, null],
    [{ status: "denied", by: "bo" }, null],
  ])("of %j says of a person: %s", (over, person) => {
    expect(callOf(entry(over)).person).toBe(person);
  });

  test("names who denied, who approved, and what allowed it without a person", () => {
    expect(callOf(entry({ by: "bo", approvedBy: "al" }))).toMatchObject({ deniedBy: "bo", approvedBy: "al" });
    expect(callOf(entry({ allowedBy: "plan.yaml:1:1" }))).toMatchObject({
      approvedBy: null,
      deniedBy: null,
      runBy: null,
      allowedBy: "plan.yaml:1:1",
    });
  });

  test.each([
    [{}, "call"],
    [{ rehearsalId: "r" }, "rehearsal"],
    [{ undoOf: "r" }, "undo"],
  ])("of %j is a %s", (over, kind) => {
    expect(callOf(entry(over)).kind).toBe(kind);
  });
});

describe("the records of runs", () => {
  test("are joined: what only an earlier one has is kept, and a run that ended is given once", () => {
    const runs = new RunJoiner();
    expect(runs.add(entry({ kind: "start", arguments: { a: 1 }, status: "x" }))).toBeNull();
    expect(runs.add(entry({ kind: "ask", asked, approvedBy: "bo", by: "bo" }))).toBeNull();
    expect([...runs.rest()]).toHaveLength(1);
    const ended = runs.add(entry({ status: "ok", at: 9 }));

    expect(ended).toEqual(
      entry({ status: "ok", at: 9, arguments: { a: 1 }, asked, approvedBy: "bo", by: "bo" }),
    );
    expect([...runs.rest()]).toEqual([]);
    expect(runs.add(entry({ status: "ok" }))).toEqual(entry({ status: "ok" }));
  });

  test("that have not ended are bounded: the one that was seen the longest ago is given as it is", () => {
    const runs = new RunJoiner();
    const add = (runId: string) => runs.add(entry({ kind: "start", runId }));
    for (let at = 0; at < 50_000; at++) expect(add(`r${at}`)).toBeNull();
    expect(add("r0")).toBeNull();

    expect(add("more")).toMatchObject({ runId: "r1" });
    expect(add("last")).toMatchObject({ runId: "r2" });
    expect([...runs.rest()]).toHaveLength(50_000);
  });
});

test.each([
  [{}, true],
  [{ run: "r1", tool: "pay", user: "ada", session: "s1", status: "failed", code: "E" }, true],
  [{ run: "r2" }, false],
  [{ tool: "send" }, false],
  [{ user: "bo" }, false],
  [{ session: "s2" }, false],
  [{ status: "ok" }, false],
  [{ code: "F" }, false],
  [{ since: 5 }, true],
  [{ since: 6 }, false],
  [{ until: 6 }, true],
  [{ until: 5 }, false],
  [{ text: "invoice" }, true],
  [{ text: "letter" }, false],
])("whether a call fits the filter %j: %s", (filter, isFit) => {
  const call = {
    userId: "ada",
    sessionId: "s1",
    status: "failed",
    code: "E",
    error: "no",
    arguments: { what: "an invoice" },
  };

  expect(isWanted(entry(call), filter)).toBe(isFit);
});
