import type { TurnResult } from "@toolmount/reasoner";
import { expect, test } from "vitest";
import { exitCodeOfTurn, turnFooter } from "../../src/agent/turn-footer.ts";
import { markedScreen } from "../support/marked-screen.ts";

const turn = {
  sessionId: "s1",
  status: "done",
  usage: { inputTokens: 3, outputTokens: 2 },
  cost: null,
  iterations: 1,
  calls: 2,
} as unknown as TurnResult;

const footer = (over: object, options?: object) =>
  turnFooter(markedScreen().screen, { ...turn, ...over }, options);

test.each<[object, object | undefined, readonly string[]]>([
  [{}, undefined, ["dim(session s1 · 1 request · 2 calls · 3 + 2 tokens)"]],
  [{}, { isKnown: true }, ["dim(1 request · 2 calls · 3 + 2 tokens)"]],
  [{ sessionId: "" }, undefined, ["dim(1 request · 2 calls · 3 + 2 tokens)"]],
  [
    { cost: { amount: 0.01234, currency: "EUR" } },
    { isKnown: true },
    ["dim(1 request · 2 calls · 3 + 2 tokens · 0.0123 EUR)"],
  ],
  [
    { status: "cancelled", incomplete: "max_output_tokens\u0007" },
    { isKnown: true },
    [
      "dim(1 request · 2 calls · 3 + 2 tokens)",
      "yellow(the turn is incomplete (max_output_tokens\\u0007))",
      "yellow(the turn was cancelled; every call it made is answered)",
    ],
  ],
  [
    { status: "paused" },
    { plan: "plan.yaml", model: "m", baseUrl: "http://127.0.0.1:1" },
    [
      "dim(session s1 · 1 request · 2 calls · 3 + 2 tokens)",
      "resume with: cyan(toolmount sessions resume s1 plan.yaml --model m --base-url http://127.0.0.1:1)",
    ],
  ],
  [
    { status: "paused" },
    { isKnown: true },
    ["dim(1 request · 2 calls · 3 + 2 tokens)", "resume with: cyan(toolmount sessions resume s1)"],
  ],
  [{ status: "paused", sessionId: "" }, {}, ["dim(1 request · 2 calls · 3 + 2 tokens)"]],
])("a turn with %j and %j ends with %j", (over, options, lines) => {
  expect(footer(over, options)).toEqual(lines);
});

test.each([
  ["done", 0],
  ["paused", 3],
  ["cancelled", 1],
  ["failed", 1],
])("a turn that is %s ends the command with %i", (status, code) => {
  expect(exitCodeOfTurn({ ...turn, status } as never)).toBe(code);
});
