import { data } from "@toolmount/core";
import { parseExpression } from "./expression.ts";
import {
  divide,
  floorDivide,
  multiply,
  negate,
  power,
  subtract,
  add,
  toDouble,
  type Value,
} from "./python-number.ts";
import type { Expression } from "./expression.ts";
import { refuse } from "./database.ts";
import { roundMoney } from "./money.ts";

const allowed = /^[0-9+\-*/(). ]*$/;

/** Calculates as Python does, and answers with the text that Python prints for a float of two decimals. */
export function calculate(text: string) {
  if (!allowed.test(text)) return refuse("Invalid characters in expression");
  const expression = parseExpression(text);
  if (expression === null) return refuse("invalid syntax");
  const value = evaluate(expression);
  const double = typeof value === "string" ? value : toDouble(value);
  return typeof double === "string" ? refuse(double) : data(printFloat(roundMoney(double)));
}

const operations = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "//": floorDivide,
  "**": power,
} as const;

/** The value of an expression; a text says why there is none. */
function evaluate(expression: Expression): Value | string {
  if (expression.kind === "number") return expression.value;
  if (expression.kind === "sign") {
    const value = evaluate(expression.of);
    return typeof value === "string" || expression.sign === "+" ? value : negate(value);
  }
  const left = evaluate(expression.left);
  if (typeof left === "string") return left;
  const right = evaluate(expression.right);
  return typeof right === "string" ? right : operations[expression.operator](left, right);
}

/** Writes a double as Python's `repr`: `7.0`, `0.3`, `-0.0`, and from 10^16 on with an exponent: `1e+20`. */
export function printFloat(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  if (Math.abs(value) < 1e16) return Number.isInteger(value) ? `${value}.0` : String(value);
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  return `${digits}e+${exponent.slice(1).padStart(2, "0")}`;
}
