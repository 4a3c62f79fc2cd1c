import type { ToolOutcome } from "@toolmount/core";
import { expect, test } from "vitest";
import { toAgentToolCallResult, toInvokeResult } from "../../src/index.ts";

const outcome = (status: string, result: object, more: object = {}) =>
  ({
    callId: "c",
    runId: "r",
    tool: "t",
    status,
    result: { tool: "t", fetchedAt: "", ...result },
    durationMs: 7.6,
    ...more,
  }) as ToolOutcome;
const ids = { sessionId: "s", conversationId: "v" };
const aptix = { origin: "aptix" } as const;
const success = (Result: unknown, Warnings: readonly object[] = []) => ({
  Successful: true,
  Result: JSON.stringify(Result),
  Errors: [],
  Warnings,
  ErrorMessage: null,
});
const failed = (ErrorMessage: string, Errors: readonly object[]) => ({
  Successful: false,
  Result: null,
  Errors,
  Warnings: [],
  ErrorMessage,
});

test.each<[ToolOutcome, Parameters<typeof toInvokeResult>[1], object]>([
  [outcome("ok", { data: 1 }), undefined, success(1)],
  [outcome("ok", { data: { a: 1 } }, ids), undefined, success({ SessionId: "s", ConversationId: "v", a: 1 })],
  [
    outcome("ok", { data: { SessionId: "own" } }),
    undefined,
    success({ SessionId: "own", ConversationId: null }),
  ],
  [
    outcome("ok", { data: { a: 1 } }, ids),
    { origin: "toolmount", outputSchema: { additionalProperties: false } },
    success({ a: 1 }),
  ],
  [outcome("ok", { data: [1], warnings: ["w"] }), undefined, success([1], [{ Message: "w" }])],
  [
    outcome("failed", { error: "no", code: "C" }),
    undefined,
    failed("no", [{ Message: "no", ErrorCode: "C" }]),
  ],
  [outcome("failed", { error: "no" }), undefined, failed("no", [{ Message: "no", ErrorCode: null }])],
  [
    outcome("failed", { error: "no", details: { Errors: [{ Message: "a" }, { Message: "b" }] } }),
    undefined,
    failed("no", [{ Message: "a" }, { Message: "b" }]),
  ],
  [
    outcome("failed", { error: "no", details: { Errors: [{ Message: 7 }] } }),
    undefined,
    failed("no", [{ Message: "no", ErrorCode: null }]),
  ],
  [
    outcome("cancelled", { error: "stopped", code: "CANCELLED" }, ids),
    aptix,
    success({
      WasCancelled: true,
      Message: "stopped",
      ElapsedMilliseconds: 8,
      SessionId: "s",
      ConversationId: "v",
    }),
  ],
  [
    outcome("cancelled", { error: "stopped", code: "CANCELLED" }),
    { origin: "toolmount" },
    failed("stopped", [{ Message: "stopped", ErrorCode: "CANCELLED" }]),
  ],
])("the outcome %j of %j is %j for Aptix", (given, tool, result) => {
  expect(toInvokeResult(given, tool)).toEqual(result);
});

const common = { ToolCallId: "c", Name: "t", RequiresClientExecution: false, ExecutionMs: 8 };

test.each<[ToolOutcome, "client" | "server", object]>([
  [outcome("ok", { data: 1 }), "server", { ...common, ResultJson: "1", ErrorMessage: null }],
  [outcome("failed", { error: "no" }), "server", { ...common, ResultJson: null, ErrorMessage: "no" }],
  [
    outcome("pending", { error: "waiting", code: "PENDING" }),
    "client",
    { ...common, RequiresClientExecution: true, ResultJson: null, ErrorMessage: null },
  ],
  [
    outcome("pending", { error: "waiting" }),
    "server",
    { ...common, ResultJson: null, ErrorMessage: "waiting" },
  ],
  [outcome("ok", { data: 1 }), "client", { ...common, ResultJson: "1", ErrorMessage: null }],
])("the outcome %j of a tool that runs at the %s is the record %j", (given, execution, record) => {
  expect(toAgentToolCallResult(given, { origin: "toolmount", execution })).toEqual(record);
});
