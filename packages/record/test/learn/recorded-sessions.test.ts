import type { SessionCall } from "@toolmount/reasoner";
import { expect, test } from "vitest";
import { callsOfSessions, readSessions } from "../../src/learn/recorded-sessions.ts";

const refund = (status: string): SessionCall => ({
  callId: "call_0",
  tool: "refund_order",
  arguments: { order: status },
  prompts: ["Refund it."],
  status,
  isAsked: true,
  output: null,
  isCopied: false,
});

test("calls to which a model gave the same id, before and after a compaction, are two calls", async () => {
  const sessions = await readSessions({
    list: async () => [{ id: "s", parentId: null }],
    calls: async () => [refund("denied"), refund("ok")],
  });

  const ids = sessions.flatMap(({ steps }) => steps.map(({ id }) => id));
  expect(new Set(ids).size).toBe(2);
  const asks = new Map([
    [ids[0]!, false],
    [ids[1]!, true],
  ]);
  const answers: unknown[] = [];
  for await (const { person, asksOfFlows } of callsOfSessions(sessions, asks))
    answers.push([person, asksOfFlows]);
  expect(answers).toEqual([
    ["denied", false],
    ["allowed", true],
  ]);
});

test("an answer that no person gave says nothing, where the audit knows who answered", async () => {
  const answers: Readonly<Record<string, object>> = {
    expired: { status: "denied", by: "timeout" },
    denied: { status: "denied", by: "ada" },
    declared: { status: "ok", allowedBy: "the declared default" },
    approved: { status: "ok", approvedBy: "ada" },
  };
  const entryOf = (runId: string) => ({
    kind: "end",
    runId,
    tool: "refund_order",
    asked: [{ source: "level" }],
    ...answers[runId],
  });
  const audit = {
    calls: async ({ callId }: { callId?: string }) => ({
      calls: answers[callId!] === undefined ? [] : [{ runId: callId }],
    }),
    read: async ({ runIds }: { runIds: readonly string[] }) =>
      runIds.map((runId) => ({ entry: entryOf(runId) })),
  };
  const calls = [...Object.entries(answers), ["unknown", { status: "denied" }] as const].map(
    ([callId, { status }]: readonly [string, { status?: string }]) => ({
      ...refund(status!),
      callId,
    }),
  );
  const [session] = await readSessions(
    { list: async () => [{ id: "s", parentId: null }], calls: async () => calls },
    audit as never,
  );
  expect(session!.steps.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["s denied", "denied"],
    ["s declared", "ran"],
    ["s approved", "approved"],
    ["s unknown", "denied"],
  ]);
});

test("each call is read with what happened to it, and calls that say nothing are left out", async () => {
  const given: readonly (Partial<SessionCall> & { readonly callId: string })[] = [
    { callId: "ran", status: "ok", isAsked: false, output: { sum: 3 } },
    { callId: "failed", status: "failed", isAsked: false },
    { callId: "approved", status: "ok" },
    { callId: "failed after", status: "failed" },
    { callId: "copied", status: "ok", isCopied: true },
    { callId: "copied no", status: "denied", isCopied: true },
    { callId: "denied by a rule", status: "denied", isAsked: false },
    { callId: "denied", status: "denied" },
    { callId: "without", status: "ok", arguments: null },
    ...["not_found", "invalid", "cancelled"].map((status) => ({ callId: status, status })),
  ];
  const filters: unknown[] = [];
  const sessions = await readSessions({
    list: async (filter) => {
      filters.push(filter);
      return [
        { id: "child", parentId: "s" },
        { id: "s", parentId: null },
      ];
    },
    calls: async (id) => given.map((facts) => ({ ...refund(id), ...facts })),
  });
  expect(filters).toEqual([{ limit: 500 }]);
  const facts = { tool: "refund_order", arguments: { order: "s" }, prompts: ["Refund it."], value: null };
  expect(sessions).toEqual([
    {
      id: "s",
      steps: [
        { ...facts, id: "s ran", value: { sum: 3 }, isError: false, outcome: "ran" },
        { ...facts, id: "s failed", isError: true, outcome: "ran" },
        { ...facts, id: "s approved", isError: false, outcome: "approved" },
        { ...facts, id: "s failed after", isError: true, outcome: "approved" },
        { ...facts, id: "s copied", isError: false, outcome: "ran" },
        { ...facts, id: "s denied", isError: true, outcome: "denied" },
      ],
    },
  ]);

  const calls: unknown[] = [];
  for await (const call of callsOfSessions(sessions, null)) calls.push(call);
  const call = { tool: "refund_order", arguments: { order: "s" }, answer: "ask", rules: [], session: "s" };
  expect(calls).toEqual([
    { ...call, id: "s approved", person: "allowed", user: undefined },
    { ...call, id: "s failed after", person: "allowed", user: undefined },
    { ...call, id: "s denied", person: "denied", user: undefined },
  ]);
  const asked: unknown[] = [];
  for await (const { asksOfFlows } of callsOfSessions(sessions, new Map([["s approved", true]])))
    asked.push(asksOfFlows);
  expect(asked).toEqual([true, false, false]);
});
