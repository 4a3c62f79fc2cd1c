import { RunnerFailure } from "@toolmount/core";
import { expect, test } from "vitest";
import { answerOfError, readAnswer, readMessage } from "../../src/fleet/answer.ts";

/** A row of the ledger, which anything with the database's password may have written. */
const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`) as never;

test.each([100, 5_000, 400_000])(
  "an answer of %i levels in the ledger is refused before it is read",
  (levels) => {
    const answer = { type: "returned", runId: "r", value: nested(levels) };
    expect(() => readAnswer(answer)).toThrow(
      expect.objectContaining({ message: "the answer of a worker is nested deeper than 72 levels" }),
    );
    expect(() =>
      readAnswer({
        type: "failed",
        code: "X",
        message: "m",
        status: "failed",
        details: { a: nested(levels) },
      }),
    ).toThrow(expect.objectContaining({ message: "the answer of a worker is nested deeper than 72 levels" }));
  },
);

test.each([100, 5_000, 400_000])("a message of %i levels is not one of a worker", (levels) => {
  expect(readMessage({ type: "set", runId: "r", key: "k", value: nested(levels) })).toBeUndefined();
  const call = { type: "call", runId: "r", id: 1, request: { name: "n", arguments: { a: nested(levels) } } };
  expect(readMessage(call)).toBeUndefined();
});

test("what a worker sends with the deepest result is read", () => {
  const value = { data: nested(64) as unknown };
  expect(readAnswer({ type: "returned", runId: "r", value } as never)).toMatchObject({ type: "returned" });
});

test.each([
  ["TIMED_OUT", "timed_out"],
  ["CANCELLED", "cancelled"],
  ["INVALID_ARGUMENTS", "invalid"],
  ["OUTCOME_UNKNOWN", "unknown"],
  ["TOOL_FAILED", "failed"],
] as const)(
  "a run that ends as %s on a worker has the same code, status and details for the host",
  (code, status) => {
    const failure = new RunnerFailure(code, "it ended", { status, details: { at: 3 } });
    const crossed = JSON.parse(JSON.stringify(answerOfError("r", failure))) as never;

    expect(readAnswer(crossed)).toEqual({
      type: "failed",
      code,
      message: "it ended",
      status,
      details: { at: 3 },
    });
  },
);
