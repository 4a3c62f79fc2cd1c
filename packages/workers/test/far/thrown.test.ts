import { data, ToolError, ToolInterrupt } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { returnedJson, thrownJson } from "../../src/far/to-json.ts";
import { describedFailure, rebuildThrown } from "../../src/process/rebuild-thrown.ts";

/** What a host gets of a value that a tool threw in a process. */
const across = (thrown: unknown) => rebuildThrown(JSON.parse(JSON.stringify(thrownJson(thrown))) as never);

describe("what a tool throws in a process comes to the host", () => {
  test.each([null, undefined, "text", 7, -0.5, true, false])("the value %s as it is", (thrown) => {
    expect(across(thrown)).toBe(thrown);
  });

  test("a symbol as one of its text, and an object as an empty one", () => {
    expect(String(across(Symbol("a")))).toBe("Symbol(Symbol(a))");
    expect(across({ a: 1 })).toEqual({});
    expect(across(Object.create(null))).toEqual({});
  });

  test("an error with its name, its words and its place", () => {
    const thrown = new RangeError("too far");
    const error = across(thrown) as Error;
    expect([error instanceof Error, error.name, error.message, error.stack]).toEqual([
      true,
      "RangeError",
      "too far",
      thrown.stack,
    ]);
    expect(Object.keys(error)).toEqual([]);
    expect(across(Object.assign(new Error("x"), { stack: undefined }))).toMatchObject({ message: "x" });
  });

  test("a failure with its code and its details, where those are JSON", () => {
    const error = across(new ToolError("no", { code: "POOR", details: { left: 0 } }));
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ name: "ToolError", message: "no", code: "POOR", details: { left: 0 } });
    const odd = Object.assign(new ToolError("no"), { code: 7, details: { f: () => 1 } });
    expect(thrownJson(odd)).toEqual({ kind: "error", name: "ToolError", message: "no", stack: odd.stack });
    expect(across(odd)).toBeInstanceOf(ToolError);
  });

  test("an interrupt with its question", () => {
    const interrupt = across(new ToolInterrupt({ ask: "sure?" }, "wait"));
    expect(interrupt).toBeInstanceOf(ToolInterrupt);
    expect(interrupt).toMatchObject({ value: { ask: "sure?" }, message: "wait" });
  });

  test("the failure that the tool's contract makes of an error", () => {
    const failure = { error: "described", code: "C" };
    const error = across(Object.assign(new Error("x"), { described: failure }));
    expect(describedFailure(error)).toEqual(failure);
    expect([describedFailure(across(new Error("x"))), describedFailure(null), describedFailure("x")]).toEqual(
      [undefined, undefined, undefined],
    );
  });
});

describe("what a tool returns in a process", () => {
  test.each([[undefined], [null], ["text"], [[1, { a: 2 }]], [{ a: 1 }]])("%j crosses as it is", (value) => {
    expect(returnedJson(value)).toEqual(value);
  });

  test("a result of data crosses as a plain object", () => {
    expect(Object.getPrototypeOf(returnedJson(data({ a: 1 })))).toBe(Object.prototype);
  });

  test.each([
    [1n, "it returned a value of type bigint, not a result; return data(…) or failure(…)"],
    [Symbol("a"), "it returned a value of type symbol, not a result; return data(…) or failure(…)"],
    [() => 1, "it returned a value of type function, not a result; return data(…) or failure(…)"],
    [{ data: { f: () => 1 } }, "its answer "],
    [[new Date(0)], "its answer "],
    [
      Object.defineProperty({}, "data", {
        enumerable: true,
        get() {
          throw new RangeError("x");
        },
      }),
      "its answer could not be read: RangeError",
    ],
    [
      Object.defineProperty({}, "data", {
        enumerable: true,
        get() {
          throw "x";
        },
      }),
      "its answer could not be read: string",
    ],
  ])("%# breaks the contract in words", (value, problem) => {
    expect(() => returnedJson(value)).toThrow(problem);
  });
});
