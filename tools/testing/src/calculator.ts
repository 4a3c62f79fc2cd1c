import { data, defineTool, failure } from "@toolmount/core";
import { z } from "zod";
import { callIds, callIdShape } from "./call-ids.ts";
import { calculatorUsage as usage } from "./usage.ts";

const operationMissing = "CalculatorTool requires 'operation' (add|subtract|multiply|divide).";
const operandMissing = "CalculatorTool requires both 'left' and 'right' numeric values.";

const schema = z.strictObject({
  operation: z
    .string({ error: operationMissing })
    .regex(/\S/, operationMissing)
    .describe("add, subtract, multiply or divide; case and space around it do not matter"),
  left: z.number({ error: operandMissing }).describe("The first number"),
  right: z.number({ error: operandMissing }).describe("The second number; not 0 when dividing"),
});

const outputSchema = z.strictObject({
  Operation: z.string(),
  Left: z.number(),
  Right: z.number(),
  Result: z.number(),
  ...callIdShape,
});

const operations = new Map<string, (left: number, right: number) => number>([
  ["add", (left, right) => left + right],
  ["subtract", (left, right) => left - right],
  ["multiply", (left, right) => left * right],
  ["divide", (left, right) => left / right],
]);

/** Makes the tool `testing_calculator`, which adds, subtracts, multiplies or divides two numbers. */
export function createCalculator() {
  return defineTool({
    name: "testing_calculator",
    description:
      "Adds, subtracts, multiplies or divides two numbers, in double precision. Use for one operation on two numbers; not for expressions.",
    summary: "One operation on two numbers.",
    usage,
    schema,
    outputSchema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    idempotent: true,
    tags: ["testing"],
    version: "1.0.0",
    execute({ operation: asGiven, left, right }, context) {
      const operation = asGiven.trim().toLowerCase();
      const calculate = operations.get(operation);
      if (calculate === undefined) return unsupported(asGiven);
      if (operation === "divide" && right === 0) return divideByZero();
      const result = calculate(left, right);
      if (!Number.isFinite(result)) return notFinite();
      return data({ Operation: operation, Left: left, Right: right, Result: result, ...callIds(context) });
    },
  });
}

function unsupported(asGiven: string) {
  return failure(`CalculatorTool unsupported operation '${asGiven.slice(0, 200)}'.`, {
    code: "UNSUPPORTED_OPERATION",
    details: { supported: [...operations.keys()] },
  });
}

function divideByZero() {
  return failure("CalculatorTool divide-by-zero is not allowed.", { code: "DIVIDE_BY_ZERO" });
}

/** Returns the failure for an infinite result, which JSON cannot represent. */
function notFinite() {
  return failure("CalculatorTool result is too large for a number.", { code: "RESULT_NOT_FINITE" });
}
