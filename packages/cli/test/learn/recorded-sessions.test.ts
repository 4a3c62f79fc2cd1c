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
