import type { Story, StoryCall } from "@toolmount/record";
import { expect, test } from "vitest";
import { writeSessions, writeTicket, writeSessionStory } from "../../src/render/session-story.ts";
import { markedScreen } from "../support/marked-screen.ts";

const at = Date.parse("2026-01-01T10:00:00Z");

function written(write: (screen: ReturnType<typeof markedScreen>["screen"]) => void, columns?: number) {
  const { screen, lines } = markedScreen(columns);
  write(screen);
  return lines();
}

const call = (more: object) =>
  ({
    startedAt: at,
    tool: "pay",
    line: "to: ACME\u202e",
    place: null,
    question: null,
    allowedBy: null,
    omitted: [],
    says: "ran",
    durationMs: 4.4,
    callId: "c1",
    ...more,
  }) as unknown as StoryCall;

const story = (more: object): Story =>
  ({
    session: "s1",
    user: "ada",
    from: at,
    workedMs: 4,
    spent: null,
    stands: "nothing is open",
    steps: [],
    changes: [],
    difference: { effects: [], unknown: [] },
    ...more,
  }) as never;

const asked = {
  rules: ["plan.yaml:4"],
  askedAt: at,
  by: "bob",
  answer: "approved",
  answeredAt: at + 60_000,
  reason: "as *agreed*",
};

test("a session of a client is its calls, with who was asked and what became of them", () => {
  const steps = [
    { kind: "call", depth: 0, call: call({ question: asked, says: "approved by bob; ran" }) },
    { kind: "call", depth: 1, call: call({ tool: "log", line: "" }) },
  ];
  const changes = [{ tool: "pay", arguments: { to: "ACME" }, isUndone: false }];
  const effects = [{ target: "a.txt", change: "change", difference: "-one\n+two" }];
  const difference = { effects, unknown: [] };
  const shown = { conversation: null, story: story({ steps, changes, difference }) };

  expect(
    written((screen) => writeSessionStory(screen, shown, at))
      .join("\n")
      .split("\n"),
  ).toEqual([
    "# Session `s1`",
    "",
    "nothing is open, user `ada`, from 2026-01-01 (times are UTC)",
    "Its calls ran 0.0 s; what its client's model cost is not known here.",
    "",
    "- 10:00:00 `pay` `to: ACME\\u{202e}`: approved by bob; ran (4 ms)",
    "  - asked by plan.yaml:4 at 10:00:00; answered by bob at 10:01:00: as \\*agreed\\*",
    "  - 10:00:00 `log`: ran (4 ms)",
    "",
    "## Changes",
    "",
    "- `pay` `to: ACME`: can be undone",
    "",
    "change `a.txt`",
    "",
    "```diff",
    "-one",
    "+two",
    "```",
  ]);
  expect(written((screen) => writeTicket(screen, shown))).toEqual(
    written((screen) => writeSessionStory(screen, shown, at)),
  );
});

test("a plan without an audit says so in a ticket", () => {
  expect(written((screen) => writeTicket(screen, { conversation: null, story: null }))).toEqual([
    "The plan has no audit: its calls are not known.",
  ]);
});

test("sessions of clients are a table of their own", () => {
  const client = { session: "web\u0007", user: null, calls: 3, from: at, to: at, stands: "nothing is open" };
  const [, row] = written((screen) => writeSessions(screen, { sessions: [], ofClients: [client] }, at));

  expect(row!.split(/ {2,}/)).toEqual(["bold(web\\u0007)", "just now", "3", "–", "nothing is open"]);
  expect(written((screen) => writeSessions(screen, { sessions: [], ofClients: [] }, at))).toEqual([
    "no sessions yet",
  ]);
});
