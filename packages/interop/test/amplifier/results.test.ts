import { expect, test } from "vitest";
import {
  fromAmplifierHookResult,
  fromAmplifierResult,
  toAmplifierHookResult,
  toAmplifierResult,
} from "../../src/index.ts";

/** Each field under its other name; times are seconds there and milliseconds here. */
const here = {
  action: "ask_user",
  data: { a: 1 },
  reason: "r",
  contextInjection: "c",
  contextInjectionRole: "user",
  ephemeral: true,
  approvalPrompt: "p",
  approvalOptions: ["Allow"],
  approvalTimeoutMs: 1_500,
  approvalDefault: "allow",
  suppressOutput: true,
  userMessage: "m",
  userMessageLevel: "warning",
  userMessageSource: "s",
  appendToLastToolResult: true,
} as const;
const there = {
  action: "ask_user",
  data: { a: 1 },
  reason: "r",
  context_injection: "c",
  context_injection_role: "user",
  ephemeral: true,
  approval_prompt: "p",
  approval_options: ["Allow"],
  approval_timeout: 1.5,
  approval_default: "allow",
  suppress_output: true,
  user_message: "m",
  user_message_level: "warning",
  user_message_source: "s",
  append_to_last_tool_result: true,
};

test("an answer of a hook is read under both names of each field, and theirs win", () => {
  expect(fromAmplifierHookResult(there)).toEqual(here);
  expect(fromAmplifierHookResult(here)).toEqual(here);
  expect(fromAmplifierHookResult({ ...here, approval_timeout: 3, user_message: null, other: 1 })).toEqual({
    ...here,
    approvalTimeoutMs: 3_000,
  });
  for (const nothing of [undefined, null]) expect(fromAmplifierHookResult(nothing)).toBeUndefined();
  for (const odd of ["text", 7, [1]]) expect(fromAmplifierHookResult(odd)).toBe(odd);
  expect(fromAmplifierHookResult({ reason: null, data: undefined })).toEqual({});
});

test("an answer of ours has every field of theirs, with its default", () => {
  expect(toAmplifierHookResult(here)).toEqual(there);
  expect(toAmplifierHookResult({ action: "continue" })).toEqual({
    action: "continue",
    data: null,
    reason: null,
    context_injection: null,
    context_injection_role: "system",
    ephemeral: false,
    approval_prompt: null,
    approval_options: null,
    approval_timeout: 300,
    approval_default: "deny",
    suppress_output: false,
    user_message: null,
    user_message_level: "info",
    user_message_source: null,
    append_to_last_tool_result: false,
  });
});

test.each<[unknown, object | string]>([
  [{ success: true, output: 1 }, { data: 1 }],
  [{}, { data: null }],
  [{ success: false }, { error: "t failed", details: { output: null, error: null } }],
  [
    { success: false, output: "o", error: { message: " no " } },
    { error: "no", details: { output: "o", error: { message: " no " } } },
  ],
  [
    { success: false, error: { message: 7 } },
    { error: "t failed", details: { output: null, error: { message: 7 } } },
  ],
  [
    { data: { n: 1 } },
    {
      data: { data: { n: 1 } },
      warnings: [
        "an Amplifier tool answers with { success, output, error }; this answer has none of them, so all of it is the output",
      ],
    },
  ],
  [
    { output: 1, note: "n", more: 2 },
    {
      data: 1,
      warnings: ["an Amplifier tool answers with { success, output, error }; not read were: note, more"],
    },
  ],
  [
    { success: false, error: { message: "no" }, note: "n" },
    {
      error: "no",
      details: { output: null, error: { message: "no" } },
      warnings: ["an Amplifier tool answers with { success, output, error }; not read were: note"],
    },
  ],
  ["text", "an Amplifier tool answers with { success, output, error }"],
  [[1], "an Amplifier tool answers with { success, output, error }"],
  [{ success: "yes" }, "success is true or false"],
  [{ success: false, error: "no" }, "error is an object with a message, or null"],
  [{ error: { message: "no" } }, "a result with success true has no error"],
])("the answer %j of a tool of Amplifier is %j", (given, result) => {
  if (typeof result === "string")
    expect(() => fromAmplifierResult("t", given)).toThrow(expect.objectContaining({ message: result }));
  else expect({ ...fromAmplifierResult("t", given) }).toEqual(result);
});

const facts = { tool: "t", fetchedAt: "" };

test.each<[object, object]>([
  [{ data: 1 }, { success: true, output: 1, error: null }],
  [{ data: undefined }, { success: true, output: null, error: null }],
  [{ error: "no" }, { success: false, output: "no", error: { message: "no" } }],
  [
    { error: "no", code: "C" },
    { success: false, output: "no", error: { message: "no", type: "C" } },
  ],
  [
    { error: "no", code: "C", details: { output: "o", error: { message: "old", type: "T" } } },
    { success: false, output: "o", error: { message: "no", type: "T" } },
  ],
  [
    { error: "no", details: { output: "" } },
    { success: false, output: "no", error: { message: "no" } },
  ],
  [
    { error: "no", details: { output: [] } },
    { success: false, output: "no", error: { message: "no" } },
  ],
  [
    { error: "no", details: { output: [0] } },
    { success: false, output: [0], error: { message: "no" } },
  ],
  [
    { error: "no", details: "text" },
    { success: false, output: "no", error: { message: "no" } },
  ],
])("the result %j is %j for Amplifier", (result, shown) => {
  expect(toAmplifierResult({ result: { ...facts, ...result } as never })).toEqual(shown);
});
