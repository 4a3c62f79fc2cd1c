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
    declared: { status: "ok", approvedBy: "the declared default" },
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
