import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { standingLines, viewLines } from "../../src/host/approval-lines.ts";
import { markedScreen } from "../support/marked-screen.ts";

const short = (id: string) => id.slice(0, 2);
const minute = 60_000;

beforeEach(() => void vi.useFakeTimers({ now: 100 * minute }));
afterEach(() => void vi.useRealTimers());

const view = {
  id: "abcd",
  tool: "pay",
  arguments: { to: "Bo" },
  reasons: [{ reason: "it pays" }, { reason: "it is high", rule: "rules[0]" }],
  info: {},
  decision: null,
  createdAt: 95 * minute,
  expiresAt: 110 * minute,
};

test("a question is its tool, why it is asked, whose it is, its time and its arguments", () => {
  const lines = (over: object) => viewLines({ ...view, ...over } as never, short, markedScreen().screen);

  expect(lines({})).toEqual([
    "pay  ab",
    "  because it pays",
    "  because it is high (rules[0])",
    "  asked 5 min ago, ends in 10 min",
    "    {",
    '      "to": "Bo"',
    "    }",
    "",
  ]);
  expect(lines({ info: { userId: "ada\u0007", sessionId: "s1" } })[3]).toBe("  for ada\\u0007 in s1");
  expect(lines({ info: { sessionId: "s1" } })[3]).toBe("  for s1");
  expect(lines({ decision: { decision: "approve", by: "bob" }, runnable: true }).slice(4, 6)).toEqual([
    "  approved by bob; its caller has not run it yet",
    "  toolmount approvals run ab runs it",
  ]);
});

const standing = {
  id: "abcd",
  tool: "pay",
  by: "ada",
  at: 40 * minute,
  userId: null,
  sessionId: null,
  scope: "arguments",
  pattern: null,
  expiresAt: null,
  uses: 0,
  usedAt: null,
};

test.each([
  [{}, ["with the same arguments", "approved by ada 1 h ago, not used yet, until it is revoked"]],
  [
    { scope: "session", sessionId: "s1", userId: "bo", uses: 1, usedAt: 90 * minute },
    [
      "with the same arguments, in session s1, for calls of bo",
      "approved by ada 1 h ago, used 1 time, the last 10 min ago, until it is revoked",
    ],
  ],
  [
    { uses: 2, expiresAt: 200 * minute, pattern: { to: "Bo", amount: 5 } },
    [
      "where to is Bo and amount is 5",
      "approved by ada 1 h ago, used 2 times, the last 1 h ago, until 1970-01-01T03:20:00.000Z",
    ],
  ],
])("a remembered approval with %j says what it answers and what became of it", (over, [what, end]) => {
  expect(standingLines({ ...standing, ...over } as never, short)).toEqual([
    "pay  ab",
    `  ${what}`,
    `  ${end}`,
    "",
  ]);
});
