import { createCalculator } from "@toolmount/tool-testing";
import { expect, test } from "vitest";

const tool = createCalculator();

test.each([
  { operation: "add", left: 2, right: 3, result: 5 },
  { operation: "subtract", left: 2, right: 3, result: -1 },
  { operation: "multiply", left: 6, right: 7, result: 42 },
  { operation: "divide", left: 1, right: 4, result: 0.25 },
  { operation: "divide", left: 0, right: 4, result: 0 },
])("APTIX-82, APTIX-77: $left $operation $right is $result", async ({ operation, left, right, result }) => {
  const { data } = await tool.execute({ operation, left, right }, { sessionId: "s-1" });

  expect(data).toEqual({
    Operation: operation,
    Left: left,
    Right: right,
    Result: result,
    SessionId: "s-1",
    ConversationId: null,
  });
});

test("the operation is reported as it was understood", async () => {
  const { data } = await tool.execute({ operation: " ADD\n", left: 1, right: 1 });

  expect(data).toMatchObject({ Operation: "add", Result: 2 });
});

const operationMissing = "CalculatorTool requires 'operation' (add|subtract|multiply|divide).";
const operandMissing = "CalculatorTool requires both 'left' and 'right' numeric values.";

test.each([
  { title: "no operation", params: { left: 1, right: 2 }, error: operationMissing },
  { title: "a blank operation", params: { operation: " ", left: 1, right: 2 }, error: operationMissing },
  { title: "no left number", params: { operation: "add", right: 2 }, error: operandMissing },
  { title: "no right number", params: { operation: "add", left: 1 }, error: operandMissing },
  { title: "a number as text", params: { operation: "add", left: "1", right: 2 }, error: operandMissing },
  {
    title: "an infinite number",
    params: { operation: "add", left: Infinity, right: 2 },
    error: operandMissing,
  },
])("APTIX-29, APTIX-31, APTIX-77: $title is refused in the tool's own words", async ({ params, error }) => {
  expect(await tool.execute(params)).toMatchObject({ error, code: "INVALID_ARGUMENTS" });
});

test.each([
  {
    title: "dividing by zero",
    params: { operation: "divide", left: 1, right: 0 },
    error: "CalculatorTool divide-by-zero is not allowed.",
    code: "DIVIDE_BY_ZERO",
  },
  {
    title: "dividing by minus zero",
    params: { operation: "divide", left: 1, right: -0 },
    error: "CalculatorTool divide-by-zero is not allowed.",
    code: "DIVIDE_BY_ZERO",
  },
  {
    title: "another operation",
    params: { operation: " Power", left: 2, right: 3 },
    error: "CalculatorTool unsupported operation ' Power'.",
    code: "UNSUPPORTED_OPERATION",
  },
  {
    title: "a name every object has",
    params: { operation: "constructor", left: 2, right: 3 },
    error: "CalculatorTool unsupported operation 'constructor'.",
    code: "UNSUPPORTED_OPERATION",
  },
  {
    title: "a result that JSON cannot hold",
    params: { operation: "multiply", left: 1e308, right: 10 },
    error: "CalculatorTool result is too large for a number.",
    code: "RESULT_NOT_FINITE",
  },
])("APTIX-42, APTIX-82: $title fails with $code", async ({ params, error, code }) => {
  expect(await tool.execute(params)).toMatchObject({ error, code });
});

test("FORGE-31: testing_calculator does not calculate for a call that was cancelled before", async () => {
  const params = { operation: "add", left: 1, right: 1 };

  expect(await tool.execute(params, { abortSignal: AbortSignal.abort() })).toMatchObject({
    code: "CANCELLED",
  });
});
