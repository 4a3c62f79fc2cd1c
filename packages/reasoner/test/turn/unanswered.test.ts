import { expect, test } from "vitest";
import type { CallState } from "../../src/session/view.ts";
import type { Calling } from "../../src/turn/calling.ts";
import {
  answerCancelled,
  answerCut,
  answerFailed,
  answerOverBudget,
  answerUnknown,
} from "../../src/turn/unanswered.ts";

/** A call of the model's last answer, of the tool `send` as it was offered under another name. */
const state = (callId: string, more: Partial<CallState> = {}): CallState => ({
  call: { callId, name: "offered", arguments: "{}" } as never,
  started: false,
  output: null,
  notes: [],
  child: null,
  waits: null,
  ...more,
});
const child = (sessionId: string, ended: boolean) => ({ sessionId, ended, before: {} as never });
const waits = { ticket: "t", waitsFor: "client" as const, tool: "send", arguments: {}, asking: false };

/** What the calls of an answer do, in order. */
function calling(calls: readonly CallState[], isOpen = true) {
  const done: unknown[] = [];
  const made = {
    log: {
      view: { turn: isOpen ? { calls } : null },
      append: async ({ kind, ...entry }: { kind: string }) => void done.push([kind, entry]),
    },
    readCall: () => ({ name: "send" }),
    repaired: async (...given: unknown[]) => void done.push(["repaired", ...given]),
    emit: ({ type, ...event }: { type: string }) => void done.push([type, event]),
    cancelChild: async (id: string) => void done.push(["cancelled", id]),
  };
  return { calling: made as unknown as Calling, done };
}

/** A call that is answered is in the log, is reported as repaired, and is an event of the turn. */
const answered = (callId: string, status: string, text: string) => [
  ["output", { callId, item: { type: "function_call_output", call_id: callId, output: text }, status }],
  ["repaired", callId, status],
  ["tool_result", { callId, tool: "send", status, durationMs: 0, text }],
];
const cancelled = '{"error":"Request was cancelled","cancelled":true,"tool":"send"}';
const failed = "Error: the turn failed before the call ran";
const unknown =
  'Error: "send" was started, and it is not known whether it finished; check its effects before calling it again [OUTCOME_UNKNOWN]';

test("a call that may have run elsewhere is answered as unknown, and one without a budget as denied", async () => {
  const { calling: one, done } = calling([]);
  await answerUnknown(state("c-1"), one);
  await answerOverBudget(state("c-2"), one);

  expect(done).toEqual([
    ...answered("c-1", "unknown", unknown),
    ...answered(
      "c-2",
      "denied",
      "Error: the budget of calls of this turn is used up; the call did not run [AGENT_BUDGET_EXHAUSTED]",
    ),
  ]);
});

test("the calls of an answer that was cut fail, but for those that have an output", async () => {
  const { calling: one, done } = calling([state("c-1"), state("c-2", { output: {} }), state("c-3")]);
  await answerCut(one, "max_output_tokens");
  const text =
    'Error: your answer was cut (max_output_tokens) before it was complete, so its call of "send" did not run; answer again in smaller steps [ANSWER_CUT]';

  expect(done).toEqual([...answered("c-1", "failed", text), ...answered("c-3", "failed", text)]);
});

test("a cancelled turn cancels the sub-agents that have not ended, and answers each call", async () => {
  const { calling: one, done } = calling([
    state("c-1"),
    state("c-2", { child: child("s-2", false) }),
    state("c-3", { child: child("s-3", true) }),
    state("c-4", { output: {}, child: child("s-4", false) }),
  ]);
  await answerCancelled(one);

  expect(done).toEqual([
    ...answered("c-1", "cancelled", cancelled),
    ["cancelled", "s-2"],
    ...answered("c-2", "cancelled", cancelled),
    ...answered("c-3", "cancelled", cancelled),
  ]);
});

test("in a turn that failed, a call that had begun is unknown, and one that waits has not run", async () => {
  const { calling: one, done } = calling([
    state("c-1"),
    state("c-2", { started: true }),
    state("c-3", { started: true, waits }),
    state("c-4", { started: true, child: child("s-4", false), waits }),
    state("c-5", { child: child("s-5", true) }),
  ]);
  await answerFailed(one);

  expect(done).toEqual([
    ...answered("c-1", "failed", failed),
    ...answered("c-2", "unknown", unknown),
    ...answered("c-3", "failed", failed),
    ["cancelled", "s-4"],
    ...answered("c-4", "failed", failed),
    ...answered("c-5", "failed", failed),
  ]);
});

test("where no turn is open, no call is answered", async () => {
  const { calling: one, done } = calling([state("c-1")], false);
  await answerCut(one, "length");
  await answerCancelled(one);
  await answerFailed(one);

  expect(done).toEqual([]);
});
