import { expect, test } from "vitest";
import { readAnswer, readMessage } from "../../src/fleet/answer.ts";

/** A row of the ledger, which anything with the database's password may have written. */
const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`) as never;

test.each([100, 5_000, 400_000])(
  "an answer of %i levels in the ledger is refused before it is read",
  (levels) => {
    const answer = { type: "returned", runId: "r", value: nested(levels) };
    expect(() => readAnswer(answer)).toThrow("nested deeper than 72 levels");
    expect(() =>
      readAnswer({
        type: "failed",
        code: "X",
        message: "m",
        status: "failed",
        details: { a: nested(levels) },
      }),
    ).toThrow("nested deeper");
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
