import { describe, expect, test } from "vitest";
import {
  createMemoryStore,
  data,
  type ApprovalAnswer,
  type ApprovalQuestion,
  type ApprovalScope,
  type HookResult,
  type HostOptions,
  type PolicyAnswer,
} from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const ids = { sessionId: "s", userId: "ada" };
const digest = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
const fields = { requiresConfirmation: true, category: "write" } as const;

/** A host whose approver keeps each question, and answers as the test says. */
function asked(answer: unknown, options: HostOptions = {}, more: object = {}) {
  const questions: ApprovalQuestion[] = [];
  const clock = createFakeClock();
  const approver = (question: ApprovalQuestion) => {
    questions.push(question);
    return (typeof answer === "function" ? (answer as () => unknown)() : answer) as ApprovalAnswer;
  };
  const made = world([tool((given) => data(given), { ...fields, ...more })], { clock, approver, ...options });
  return { ...made, questions, clock };
}

/** Events of approvals, without their time. */
function approvalEvents({ events }: Pick<ReturnType<typeof asked>, "events">) {
  return events.flatMap(({ event, data: { timestamp: _, ...given } }) =>
    event.startsWith("approval:") ? [[event, given]] : [],
  );
}

test("a question has the call, the words of who asks, and how it may be answered", async () => {
  const { host, questions } = asked({ decision: "approve" });
  const { runId } = await host.call({ id: "x", name: "probe", arguments: { a: 1 } }, ids);

  expect(questions).toEqual([
    {
      info: { callId: "x", runId, tool: "probe", depth: 0, ...ids },
      tool: host.tools()[0],
      arguments: { a: 1 },
      approvalId: expect.stringMatching(/^.{20,}$/) as string,
      prompt: expect.stringMatching(/^Run "probe"\? \S/) as string,
      reasons: [{ source: "confirmation", reason: expect.any(String) as string }],
      options: ["Allow", "Deny"],
      digest,
      timeoutMs: 300_000,
      default: "deny",
      canWait: false,
      rememberable: false,
    },
  ]);
  expect(Object.isFrozen(questions[0]) && Object.isFrozen(questions[0]!.reasons)).toBe(true);
});

test("a gate says the prompt, the options, the time and the default; and reasons are read in a fixed order", async () => {
  const store = createMemoryStore();
  const gate: HookResult = {
    action: "ask_user",
    reason: "a gate asks",
    approvalPrompt: "Really?",
    approvalOptions: ["Yes", "No"],
    approvalTimeoutMs: 9,
    approvalDefault: "allow",
  };
  const { host, questions } = asked({ decision: "approve" }, { store });
  const rule: PolicyAnswer = { answer: "ask", reason: "a rule asks", rule: "r1" };
  host.coordinator.mount("policies", { name: "p", prepare: () => () => rule });
  host.coordinator.hooks.gate("tool:pre", () => gate);
  await host.call({ name: "probe" }, ids);

  expect(questions[0]).toMatchObject({
    prompt: "Really?",
    options: ["Yes", "No"],
    timeoutMs: 9,
    default: "approve",
    canWait: true,
    rememberable: false,
  });
  expect(questions[0]!.reasons.map(({ source }) => source)).toEqual(["gate", "rule", "confirmation"]);
});

describe("what the model reads of a call that was not approved", () => {
  test.each<[unknown, string, string]>([
    [{ decision: "deny" }, "DENIED", "the approver denied it"],
    [{ decision: "deny", reason: "not on a Friday" }, "DENIED", "not on a Friday"],
    [
      { decision: "later" },
      "DENIED",
      "the approver answered later, and the host has no store for the question",
    ],
    [
      { decision: "yes" },
      "DENIED",
      'the approver returned an invalid answer: expected decision "approve", "deny" or "later"',
    ],
    [
      null,
      "DENIED",
      'the approver returned an invalid answer: expected decision "approve", "deny" or "later"',
    ],
    [
      () => {
        throw new Error("no screen");
      },
      "DENIED",
      "the approver failed",
    ],
  ])("for the answer %o", async (answer, code, reason) => {
    const { host } = asked(answer);
    const { status, result } = await host.call({ name: "probe" });

    expect([status, result.code, result.error]).toEqual(["denied", code, `"probe" was not run: ${reason}`]);
  });

  test("when nothing can ask, it says what is missing", async () => {
    const { host } = world([tool(undefined, fields)]);

    expect((await host.call({ name: "probe" })).result.error).toMatch(
      /^"probe" was not run: it needs approval \(\S.*\) and the host has no approver; give the host an approver or a store$/,
    );
  });

  test.each<["allow" | "deny", string]>([
    ["allow", "ok"],
    ["deny", "denied"],
  ])("after the time of a question whose default is %s", async (approvalDefault, status) => {
    const { host, clock, events } = asked(() => new Promise(() => {}));
    host.coordinator.hooks.gate("tool:pre", () => ({
      action: "ask_user",
      reason: "a gate asks",
      approvalTimeoutMs: 50,
      approvalDefault,
    }));
    const called = host.call({ name: "probe" });
    await clock.advance(49);
    expect(events.map(({ event }) => event)).not.toContain("tool:pre");
    await clock.advance(1);
    const outcome = await called;

    expect(outcome.status).toBe(status);
    if (status === "denied")
      expect(outcome.result).toMatchObject({
        code: "APPROVAL_EXPIRED",
        error: 'the approval of "probe" expired without an answer; call the tool again to ask again',
      });
  });
});

test("a question and its answer are whole events, without the approval's id", async () => {
  const granted = asked({ decision: "approve", by: "bob" });
  const { runId } = await granted.host.call({ id: "x", name: "probe" }, ids);
  const common = { tool_name: "probe", tool_call_id: "x", run_id: runId, session_id: "s" };
  const prompt = expect.stringMatching(/^Run "probe"/) as string;
  const reasons = [{ source: "confirmation", reason: expect.any(String) as string }];

  expect(approvalEvents(granted)).toStrictEqual([
    ["approval:required", { ...common, prompt, reasons }],
    ["approval:granted", { ...common, by: "bob" }],
  ]);
  const denied = asked({ decision: "deny", reason: "no" });
  const other = await denied.host.call({ name: "probe" });
  const bare = { tool_name: "probe", tool_call_id: other.runId, run_id: other.runId };
  expect(approvalEvents(denied)).toStrictEqual([
    ["approval:required", { ...bare, prompt, reasons }],
    ["approval:denied", { ...bare, by: "the approver", reason: "no" }],
  ]);
});

describe("an approval is not remembered, and approves this once", () => {
  test.each<[object, object, string]>([
    [{ scope: "session" }, {}, "the call has no session for which it could be remembered"],
    [
      { scope: "rule", arguments: {} },
      ids,
      "the pattern must narrow at least one argument; a tool is never approved by its name alone",
    ],
    [
      { scope: "rule", arguments: { a: "**", b: [], c: [{ d: "*" }] } },
      ids,
      "the pattern must narrow at least one argument; a tool is never approved by its name alone",
    ],
    [{ scope: "all" }, ids, "the scope must be arguments, session or rule"],
    [
      { scope: "arguments", forMs: 315_360_000_001 },
      ids,
      "forMs must be a whole number of milliseconds from 1 to those of ten years",
    ],
    [
      { scope: "arguments", forMs: 0 },
      ids,
      "forMs must be a whole number of milliseconds from 1 to those of ten years",
    ],
    [{ scope: "rule", arguments: { a: 1n } }, ids, "it is of type bigint, which JSON cannot hold"],
  ])("with the scope %o", async (remember, context, problem) => {
    const warnings: (string | undefined)[] = [];
    const ignore = () => {};
    const logger = {
      trace: ignore,
      debug: ignore,
      info: ignore,
      warn: (_: object, text?: string) => void warnings.push(text),
      error: ignore,
      child: () => logger,
    };
    const { host, questions } = asked(
      { decision: "approve", remember: remember as ApprovalScope },
      { store: createMemoryStore(), logger },
    );
    const call = () => host.call({ name: "probe", arguments: { a: "x" } }, context);

    expect((await call()).status).toBe("ok");
    expect(warnings[0]).toContain(`approved this once only: option remember: ${problem}`);
    await call();
    expect(questions).toHaveLength(2);
  });
});

test.each<[ApprovalScope, object, string]>([
  [{ scope: "arguments" }, { a: "x" }, "the approver"],
  [{ scope: "arguments", forMs: 315_360_000_000 }, { a: "x" }, "the approver"],
  [{ scope: "session" }, { a: "x" }, "the approver"],
  [{ scope: "rule", arguments: { a: "x*" } }, { a: "xyz" }, "the approver"],
  [{ scope: "rule", arguments: { a: 1 } }, { a: 1 }, "the approver"],
])("an approval that is remembered for %o answers the next call %o", async (remember, given, by) => {
  const made = asked({ decision: "approve", remember }, { store: createMemoryStore() });
  await made.host.call({ name: "probe", arguments: { a: "a" in given && given.a === 1 ? 1 : "x" } }, ids);
  made.events.length = 0;
  const { runId } = await made.host.call({ name: "probe", arguments: given as never }, ids);

  expect(made.questions).toHaveLength(1);
  expect(made.questions[0]!.rememberable).toBe(true);
  expect(approvalEvents(made)).toStrictEqual([
    ["approval:granted", { tool_name: "probe", tool_call_id: runId, run_id: runId, session_id: "s", by }],
  ]);
});
