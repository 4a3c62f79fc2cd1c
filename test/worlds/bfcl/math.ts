import { defineTool, type Tool } from "@toolmount/core";
import { z } from "zod";
import { roundBits, roundTo, squareRoot } from "./rounding.ts";
import { answer, error, read, type Service } from "./service.ts";
import { factors, lookUp, metres } from "./tables.ts";

/** A calculator. It has no state. */
export function createMath(): Service {
  return {
    tools: [
      ...pairTools(),
      ...listTools(),
      absolute(),
      percentage(),
      round(),
      root(),
      logarithm(),
      si(),
      imperial(),
    ],
    state: () => ({}),
  };
}

const result = (value: number) => answer({ result: value });

function pairTools(): Tool[] {
  const pair = z.strictObject({ a: z.number(), b: z.number() });
  const tool = (
    name: string,
    description: string,
    execute: (a: number, b: number) => ReturnType<typeof answer>,
  ) => defineTool({ ...read, name, description, schema: pair, execute: ({ a, b }) => execute(a, b) });
  return [
    tool("add", "Adds two numbers.", (a, b) => result(a + b)),
    tool("subtract", "Subtracts b from a.", (a, b) => result(a - b)),
    tool("multiply", "Multiplies two numbers.", (a, b) => result(a * b)),
    tool("divide", "Divides a by b.", (a, b) => (b === 0 ? error("Cannot divide by zero") : result(a / b))),
    defineTool({
      ...read,
      name: "power",
      description: "Raises a base to an exponent.",
      schema: z.strictObject({ base: z.number(), exponent: z.number() }),
      execute: ({ base, exponent }) => result(base ** exponent),
    }),
  ];
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const mean = (numbers: readonly number[]) => sum(numbers) / numbers.length;

function deviation(numbers: readonly number[]): number {
  const middle = mean(numbers);
  return Math.sqrt(sum(numbers.map((number) => (number - middle) ** 2)) / numbers.length);
}

function listTools(): Tool[] {
  const schema = z.strictObject({ numbers: z.array(z.number()) });
  const tool = (name: string, doing: string, calculate: (numbers: readonly number[]) => number) =>
    defineTool({
      ...read,
      name,
      description: `Finds the ${name.replaceAll("_", " ")} of a list of numbers.`,
      schema,
      execute: ({ numbers }) =>
        numbers.length === 0 ? error(`Cannot ${doing} of an empty list`) : result(calculate(numbers)),
    });
  return [
    tool("mean", "calculate mean", mean),
    tool("standard_deviation", "calculate standard deviation", deviation),
    tool("min_value", "find minimum", (numbers) => numbers.reduce((one, other) => Math.min(one, other))),
    tool("max_value", "find maximum", (numbers) => numbers.reduce((one, other) => Math.max(one, other))),
    tool("sum_values", "calculate sum", sum),
  ];
}

function absolute() {
  return defineTool({
    ...read,
    name: "absolute_value",
    description: "Finds the absolute value of a number.",
    schema: z.strictObject({ number: z.number() }),
    execute: ({ number }) => result(Math.abs(number)),
  });
}

function percentage() {
  return defineTool({
    ...read,
    name: "percentage",
    description: "Says how many percent a part is of a whole.",
    schema: z.strictObject({ part: z.number(), whole: z.number() }),
    execute: ({ part, whole }) =>
      whole === 0 ? error("Whole value cannot be zero") : result((part / whole) * 100),
  });
}

function round() {
  return defineTool({
    ...read,
    name: "round_number",
    description: "Rounds a number to so many decimals; ties go to the even digit.",
    schema: z.strictObject({ number: z.number(), decimal_places: z.int().default(0) }),
    execute: ({ number, decimal_places }) => result(roundTo(number, decimal_places)),
  });
}

function root() {
  return defineTool({
    ...read,
    name: "square_root",
    description: "Finds a square root to so many significant digits.",
    schema: z.strictObject({ number: z.number(), precision: z.int() }),
    execute: ({ number, precision }) =>
      number < 0
        ? error("Cannot calculate square root of a negative number")
        : result(squareRoot(number, precision)),
  });
}

function logarithm() {
  return defineTool({
    ...read,
    name: "logarithm",
    description: "Finds a logarithm to about so many decimal digits.",
    schema: z.strictObject({ value: z.number(), base: z.number(), precision: z.int() }),
    execute: ({ value, base, precision }) => {
      if (base === 1) return error("");
      const bits = Math.round((precision + 1) * 3.3219280948873626);
      const [top, bottom] = [roundBits(Math.log(value), bits), roundBits(Math.log(base), bits)];
      return result(roundBits(top / bottom, bits));
    },
  });
}

const conversion = z.strictObject({ value: z.number(), unit_in: z.string(), unit_out: z.string() });

const unsupported = (from: string, to: string) =>
  error(`Conversion from '${from}' to '${to}' is not supported`);

function si() {
  return defineTool({
    ...read,
    name: "si_unit_conversion",
    description: "Converts a length between metric units.",
    schema: conversion,
    execute: ({ value, unit_in, unit_out }) => {
      const [from, to] = [lookUp(metres, unit_in), lookUp(metres, unit_out)];
      if (from === undefined || to === undefined) return unsupported(unit_in, unit_out);
      return result(value * from * (1 / to));
    },
  });
}

function imperial() {
  return defineTool({
    ...read,
    name: "imperial_si_conversion",
    description: "Converts a value between imperial and metric units.",
    schema: conversion,
    execute: ({ value, unit_in, unit_out }) => {
      if (unit_in === unit_out) return result(value);
      const factor = lookUp(factors, `${unit_in}_to_${unit_out}`);
      if (factor === undefined) return unsupported(unit_in, unit_out);
      if (unit_in === "celsius") return result(value * factor + 32);
      return result(unit_in === "fahrenheit" ? (value - 32) * factor : value * factor);
    },
  });
}
