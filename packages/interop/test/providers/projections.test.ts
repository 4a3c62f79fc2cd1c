import { data, failure, type Json, type PartialResult, type ToolOutcome } from "@toolmount/core";
import {
  fromInvokeResult,
  fromAmplifierResult,
  InvokeResult,
  toAgentToolCallResult,
  toInvokeResult,
  toAmplifierResult,
} from "@toolmount/interop";
import { toModelText } from "@toolmount/interop/internal";
import fc from "fast-check";
import { expect, test } from "vitest";

function outcomeOf(result: PartialResult, more: Partial<ToolOutcome> = {}): ToolOutcome {
  return {
    callId: "call-1",
    runId: "run-1",
    tool: "echo",
    status: result.error === undefined ? "ok" : "failed",
    result: { tool: "echo", fetchedAt: "2026-01-01T00:00:00.000Z", ...result },
    durationMs: 12.4,
    sessionId: "s-1",
    ...more,
  };
}

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
const closed = { origin: "aptix", outputSchema: { additionalProperties: false } } as const;

test("APTIX-34, APTIX-35: a success goes to an Aptix envelope and back unchanged", () => {
  fc.assert(
    fc.property(json, fc.array(fc.string()), (value, warnings) => {
      const result = data(value, warnings.length > 0 ? { warnings } : {});
      const envelope = toInvokeResult(outcomeOf(result), closed);

      expect(envelope).toMatchObject({ Successful: true, Errors: [], ErrorMessage: null });
      // Through JSON, since JSON has no -0.
      expect(JSON.stringify(fromInvokeResult("echo", envelope))).toBe(JSON.stringify(result));
    }),
  );
});

test("APTIX-N30: errors, codes and warnings of an envelope come back from a result as they were", () => {
  const message = fc.record({
    Message: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ""),
    ErrorCode: fc.option(fc.stringMatching(/^MY_[A-Z_]{1,9}$/), { nil: null }),
  });
  fc.assert(
    fc.property(fc.array(message, { minLength: 1 }), fc.array(fc.string()), (Errors, warned) => {
      const ErrorMessage = Errors[0]!.Message.trim();
      const Warnings = warned.map((Message) => ({ Message }));
      const envelope = { Successful: false, Result: null, Errors, Warnings, ErrorMessage };

      expect(toInvokeResult(outcomeOf(fromInvokeResult("echo", envelope)))).toEqual(envelope);
    }),
  );
});

test("AMP-3, AMP-N2: an Amplifier result goes to one of ours and back unchanged", () => {
  const succeeded = fc.record({ success: fc.constant(true), output: json, error: fc.constant(null) });
  const failed = fc.record({
    success: fc.constant(false),
    output: json.filter(
      (output) => output !== null && output !== "" && !(Array.isArray(output) && output.length === 0),
    ),
    error: fc.record({
      message: fc.stringMatching(/^[a-z]{1,20}$/),
      type: fc.string(),
      occurrences: fc.nat(),
    }),
  });
  fc.assert(
    fc.property(fc.oneof(succeeded, failed), (given) => {
      expect(toAmplifierResult(outcomeOf(fromAmplifierResult("echo", given)))).toEqual(given);
    }),
  );
});

test("APTIX-36, APTIX-37: SessionId and ConversationId are added to an open object payload, null-safely; what is there stays", () => {
  const open = toInvokeResult(outcomeOf(data({ Message: "Hi", SessionId: "own" })));

  expect(JSON.parse(open.Result!)).toEqual({ SessionId: "own", ConversationId: null, Message: "Hi" });
  expect(toInvokeResult(outcomeOf(data({ modes: [] })), closed).Result).toBe('{"modes":[]}');
  expect(toInvokeResult(outcomeOf(data([1]))).Result).toBe("[1]");
});

test("APTIX-95, APTIX-44: a failure is an unsuccessful envelope with its message, and no payload", () => {
  expect(toInvokeResult(outcomeOf(failure("no such mode", { code: "NOT_FOUND" })))).toEqual({
    Successful: false,
    Result: null,
    Errors: [{ Message: "no such mode", ErrorCode: "NOT_FOUND" }],
    Warnings: [],
    ErrorMessage: "no such mode",
  });
});

test("a failed envelope without a word says which tool failed; a host's code in it is only kept", () => {
  expect(fromInvokeResult("echo", { Successful: false })).toEqual({ error: "echo failed" });
  expect(fromInvokeResult("echo", InvokeResult.FromError("no", "CANCELLED"))).toEqual({
    error: "no",
    details: { Errors: [{ Message: "no", ErrorCode: "CANCELLED" }] },
  });
});

test("APTIX-N8: the record of a call has id, name, execution side, milliseconds, result, error", () => {
  expect(toAgentToolCallResult(outcomeOf(data({ a: 1 })), { ...closed, execution: "server" })).toEqual({
    ToolCallId: "call-1",
    Name: "echo",
    RequiresClientExecution: false,
    ExecutionMs: 12,
    ResultJson: '{"a":1}',
    ErrorMessage: null,
  });
  const waiting = outcomeOf(failure("waiting", { code: "PENDING" }), { status: "pending" });
  expect(toAgentToolCallResult(waiting, { ...closed, execution: "client" })).toMatchObject({
    RequiresClientExecution: true,
    ResultJson: null,
    ErrorMessage: null,
  });
});

test("AMP-24: a result is asserted by success and by error being null", () => {
  const result = toAmplifierResult(outcomeOf(data("done")));

  expect(result.success).toBe(true);
  expect(result.error).toBeNull();
});

test.each([
  { title: "no result", given: "text", rule: "{ success, output, error }" },
  { title: "a success with an error", given: { success: true, error: { message: "no" } }, rule: "no error" },
  { title: "an error that is a text", given: { success: false, error: "no" }, rule: "an object" },
  { title: "a success that is a text", given: { success: "yes" }, rule: "true or false" },
])("$title is no Amplifier result", ({ given, rule }) => {
  expect(() => fromAmplifierResult("echo", given)).toThrow(rule);
});

test.each([
  { result: { success: true, output: { a: [1] }, error: null }, text: '{"a":[1]}' },
  { result: { success: true, output: "plain", error: null }, text: "plain" },
  { result: { success: true, output: 7, error: null }, text: "7" },
  { result: { success: true, output: false, error: null }, text: "false" },
  { result: { success: true, output: null, error: null }, text: "Success" },
  { result: { success: false, output: { code: 1 }, error: { message: "no" } }, text: '{"code":1}' },
  { result: { success: false, output: null, error: { message: "no" } }, text: "Error: no" },
  { result: { success: false, output: null, error: null }, text: "Error: unknown error" },
  {
    result: { success: true, output: "a\u0000b\u001b[2J\tc\r\n\ud800d", error: null },
    text: "ab[2J\tc\r\nd",
  },
])("AMP-N3: the model reads $text", ({ result, text }) => {
  expect(toModelText(result)).toBe(text);
});
