import { describe, expect, test } from "vitest";
import { readHookAnswer, writeHookInput } from "../src/hook-wire.ts";

const data = {
  session_id: "s-1",
  tool_name: "note",
  tool_input: { text: "hello" },
  tool_call_id: "c-1",
  timestamp: "2026-05-05T00:00:00Z",
  tool_result: { data: 1 },
};

describe("what a hook reads", () => {
  test.each([
    ["claude", "tool:pre", "PreToolUse"],
    ["claude", "tool:post", "PostToolUse"],
    ["gemini", "tool:pre", "BeforeTool"],
    ["gemini", "tool:post", "AfterTool"],
  ] as const)("in the dialect %s, %s is named %s", (dialect, event, name) => {
    expect(JSON.parse(writeHookInput(dialect, event, data, "/plan"))).toEqual({
      session_id: "s-1",
      cwd: "/plan",
      hook_event_name: name,
      tool_name: "note",
      tool_input: { text: "hello" },
      tool_use_id: "c-1",
      timestamp: "2026-05-05T00:00:00Z",
      ...(event === "tool:post" && { tool_response: { data: 1 } }),
    });
  });

  test("has an empty session and folder where the call has none", () => {
    const { session_id: _, ...rest } = data;
    expect(JSON.parse(writeHookInput("claude", "tool:pre", rest, undefined))).toMatchObject({
      session_id: "",
      cwd: "",
    });
  });
});

const read = (answer: unknown, event = "tool:pre") =>
  readHookAnswer(
    { kind: "exit", code: 0, stdout: ` \n${JSON.stringify(answer)}`, stderr: "ignored" },
    event,
    data,
  );
const said = (output: object, more: object = {}) => ({ hookSpecificOutput: output, ...more });
const denial = (reason: string) => ({ result: { action: "deny", reason } });

describe("what a hook answers before a call", () => {
  test.each([
    ["nothing", {}, { result: { action: "continue" } }],
    ["a message for the user", { systemMessage: "hi" }, continuing({ action: "continue" })],
    ["deny without a reason", { decision: "deny" }, denial("a hook denies it")],
    ["block", { decision: "block", reason: "so" }, denial("so")],
    [
      "its own decision before the older one",
      said({ permissionDecision: "deny" }, { decision: "allow" }),
      denial("a hook denies it"),
    ],
    [
      "its own reason before the older one",
      said({ permissionDecision: "deny", permissionDecisionReason: "new" }, { reason: "old" }),
      denial("new"),
    ],
    [
      "the older reason where it has none",
      said({ permissionDecision: "deny" }, { reason: "old" }),
      denial("old"),
    ],
    ["stop with a reason", { continue: false, stopReason: "stop", reason: "other" }, denial("stop")],
    ["stop with a reason of the decision", { continue: false, reason: "other" }, denial("other")],
    ["stop", { continue: false }, denial("a hook stopped the call")],
    ["go on", { continue: true }, { result: { action: "continue" } }],
    [
      "ask",
      { decision: "ask" },
      { result: { action: "ask_user", reason: undefined, approvalPrompt: "a hook asks" } },
    ],
    [
      "ask with a reason and a message",
      { decision: "ask", reason: "why", systemMessage: "hi" },
      continuing({ action: "ask_user", reason: "why", approvalPrompt: "why" }),
    ],
    [
      "ask with changed arguments",
      said({ permissionDecision: "ask", updatedInput: {} }),
      { failure: "it asks and changes the arguments; it may do one of the two" },
    ],
    [
      "other arguments and a message",
      said({ updatedInput: { text: "bye" } }, { systemMessage: "hi" }),
      continuing({ action: "modify", data: { ...data, tool_input: { text: "bye" } } }),
    ],
    [
      "other arguments, as Gemini CLI names them",
      said({ tool_input: { text: "bye" } }),
      { result: { action: "modify", data: { ...data, tool_input: { text: "bye" } } } },
    ],
    [
      "more context and a message",
      said({ additionalContext: "note" }, { systemMessage: "hi" }),
      continuing({ action: "inject_context", contextInjection: "note" }),
    ],
    ["members of other applications", { suppressOutput: true }, { result: { action: "continue" } }],
    ["a list", [], { failure: "its answer is not as hooks answer" }],
  ])("%s", (_title, answer, expected) => {
    const found = Array.isArray(answer)
      ? readHookAnswer({ kind: "exit", code: 0, stdout: "{]", stderr: "" }, "tool:pre", data)
      : read(answer);
    expect(found).toEqual(expected);
  });

  function continuing(result: object) {
    return { result: { ...result, userMessage: "hi", userMessageLevel: "warning" } };
  }
});

describe("what a hook answers after a call goes to the model beside the result", () => {
  test.each([
    [
      "a denial",
      { decision: "block", reason: "so" },
      { action: "inject_context", contextInjection: "so", appendToLastToolResult: true },
    ],
    [
      "a stop",
      { continue: false },
      {
        action: "inject_context",
        contextInjection: "a hook stopped the call",
        appendToLastToolResult: true,
      },
    ],
    [
      "more context",
      said({ additionalContext: "note" }),
      { action: "inject_context", contextInjection: "note" },
    ],
    ["other arguments, which come too late", said({ updatedInput: { text: "bye" } }), { action: "continue" }],
  ])("%s", (_title, answer, result) => {
    expect(read(answer, "tool:post")).toEqual({ result });
  });
});

describe("how a hook ends", () => {
  const ended = (code: number, stderr: string, event = "tool:pre") =>
    readHookAnswer({ kind: "exit", code, stdout: "not JSON", stderr }, event, data);

  test.each([
    [0, "anything", { result: { action: "continue" } }],
    [2, " no \n", denial("no")],
    [2, " ", denial("a hook denies it")],
    [1, "", { failure: "exit code 1" }],
    [3, "\nfirst\nsecond", { failure: "exit code 3: first" }],
    [1, "x".repeat(600), { failure: `exit code 1: ${"x".repeat(500)}` }],
  ])("with exit code %i and %j on standard error", (code, stderr, expected) => {
    expect(ended(code, stderr)).toEqual(expected);
  });

  test("a problem of the program is the failure", () => {
    expect(readHookAnswer({ kind: "failed", problem: "gone" }, "tool:pre", data)).toEqual({
      failure: "gone",
    });
  });

  test.each([
    ["a reason", (text: string) => ({ reason: text })],
    ["a reason to stop", (text: string) => ({ stopReason: text })],
    ["a message", (text: string) => ({ systemMessage: text })],
    ["a reason of the decision", (text: string) => said({ permissionDecisionReason: text })],
    ["context", (text: string) => said({ additionalContext: text })],
  ])("%s may have 65536 characters, and not one more", (_title, answer) => {
    expect(read(answer("x".repeat(65_536)))).toHaveProperty("result");
    expect(read(answer("x".repeat(65_537)))).toEqual({ failure: "its answer is not as hooks answer" });
  });
});
