import { expect, test } from "vitest";
import { answerOf } from "../src/answer.ts";
import type { End, Thrown } from "../src/sandbox/messages.ts";
import { endOf, foundIn, isOutOfMemory, placeIn } from "../src/sandbox/thrown.ts";
import { asFunction, mayHaveTypes, toJavaScript } from "../src/sandbox/source.ts";

const source = "let a = 1;\nfor (const b of []) a;\ndo { await tools.add({}) } while (a);\nreturn a;";
const names = ["add", "read_file"];

/** What a model reads of this end. */
const said = (end: End, text = source) =>
  answerOf(end, { source: text, names }, { made: 3, omitted: [] }, "") as { readonly error?: string };

test.each<[End, string]>([
  [
    { limit: "steps" },
    "Look for a loop that does not end, such as the one (line 2:1: for (const b of []) a;).",
  ],
  [
    { limit: "steps", line: 2 },
    "Look for a loop that does not end, such as the one (line 2:1: for (const b of []) a;).",
  ],
  [
    { limit: "steps", line: 3, column: 9 },
    "Look for a loop that does not end, such as the one (line 3:1: do { await tools.add({}) } while (a);).",
  ],
  [{ limit: "steps", line: 4 }, "Look for a loop that does not end."],
  [{ limit: "steps", line: 99 }, "Look for a loop that does not end."],
])("an end by %j names the first loop from its line on", (end, text) => {
  expect(said(end)).toEqual({
    error: `The program computed for too long. ${text}`,
    code: "PROGRAM_LIMIT",
    details: { calls: 3 },
  });
});

test("other limits name no loop, and keep what was printed", () => {
  expect(answerOf({ limit: "memory", line: 2 }, { source, names }, { made: 0, omitted: [] }, "a\n")).toEqual({
    error: "The program used too much memory. Keep less of what it reads.",
    code: "PROGRAM_LIMIT",
    details: { calls: 0, output: "a\n" },
  });
  expect(answerOf({ value: "[1]" }, { source, names }, { made: 2, omitted: [] }, "a\n")).toEqual({
    data: { result: [1], calls: 2, output: "a\n" },
  });
  expect(answerOf({ value: null }, { source, names }, { made: 2, omitted: [] }, "a\n")).toEqual({
    data: {
      result: null,
      calls: 2,
      output: "a\n",
      note: "the program returned nothing; end it with return",
    },
  });
});

const thrown = (more: Partial<Thrown>): Thrown => ({ name: "TypeError", message: "no", ...more });
const notJson = "the program returned what is no JSON: ";

test.each<[Partial<Thrown>, string, string?]>([
  [{}, "TypeError: no"],
  [{ message: "" }, "TypeError"],
  [{ line: 1 }, "TypeError: no (line 1: let a = 1;)"],
  [{ line: 4, column: 8 }, "TypeError: no (line 4:8: return a;)"],
  [{ line: 9, column: 1 }, "TypeError: no"],
  // The message names what is in a later line than the engine knows.
  [
    { message: 'there is no tool "add"', line: 1, column: 5 },
    'TypeError: there is no tool "add" (line 3:18: do { await tools.add({}) } while (a);)',
  ],
  [{ message: "'a' is odd", line: 1, column: 5 }, "TypeError: 'a' is odd (line 1:5: let a = 1;)"],
  [{ message: "'zz' is odd", line: 1, column: 5 }, "TypeError: 'zz' is odd (line 1:5: let a = 1;)"],
  [{ message: "\"b\" and 'zz'", line: 1 }, "TypeError: \"b\" and 'zz' (line 2:12: for (const b of []) a;)"],
  [
    { message: "add is not defined", line: 1 },
    "TypeError: add is not defined; did you mean tools.add? (line 3:18: do { await tools.add({}) } while (a);)",
  ],
  [
    { message: "zz is not defined", line: 2 },
    "TypeError: zz is not defined (line 2: for (const b of []) a;)",
  ],
  [{ message: "x add is not defined", line: 4 }, "TypeError: x add is not defined (line 4: return a;)"],
  [{ message: `${notJson}a Map` }, `TypeError: ${notJson}a Map (line 4:1: return a;)`],
  [{ message: `${notJson}a Map` }, `TypeError: ${notJson}a Map`, "if (a) return 1;\nreturn 2;"],
  [{ message: `${notJson}a Map` }, `TypeError: ${notJson}a Map`, "1;"],
  [
    { message: "TypeScript enum is not supported in strip-only mode" },
    "TypeError: TypeScript enum is not supported in strip-only mode; types are only taken out, so write it in JavaScript, such as a constant object for an enum",
  ],
  [
    { message: "could not load module 'x'" },
    "TypeError: could not load module 'x'; the source is the body of a function: it has tools and no modules, and ends with return",
  ],
  [{ message: "no", line: 1 }, `TypeError: no (line 1: ${"x".repeat(200)})`, `  ${"x".repeat(201)}`],
])("an error with %j is shown as %s", (error, text, other = source) => {
  expect(said({ thrown: thrown(error) }, other)).toEqual({
    error: text,
    code: "PROGRAM_FAILED",
    details: { calls: 3 },
  });
});

test("the code of an error is a detail", () => {
  expect(
    answerOf({ thrown: thrown({ code: "E" }) }, { source, names }, { made: 1, omitted: [] }, ""),
  ).toMatchObject({
    details: { calls: 1, thrown: "E" },
  });
});

test.each([
  ["", null, null],
  ["at <anonymous> (program.ts:5:7)\nat program.ts:9:1", 4, 7],
  ["at program.ts:5", 4, null],
  ["at program.ts:1:3", 1, 3],
  ["at program_ts:5:7", null, null],
  ["at prelude.js:5:7", null, null],
])("the stack %j has the place %s:%s", (stack, line, column) => {
  expect(placeIn(stack)).toEqual({ line, column });
  expect(foundIn(stack)).toEqual({
    ...(line === null ? {} : { line }),
    ...(column === null ? {} : { column }),
  });
});

test("an error ends with at most 2000 characters, and a code with at most 200", () => {
  const [message, code] = ["m".repeat(2_001), "c".repeat(201)];
  expect(endOf({ name: "E", message, code, stack: "program.ts:3:1" })).toEqual({
    thrown: { name: "E", message: message.slice(1), code: code.slice(1), line: 2, column: 1 },
  });
  expect(endOf({ name: "E", message: "m" })).toEqual({ thrown: { name: "E", message: "m" } });
  const memory = { name: "InternalError", message: "out of memory" };
  expect([
    isOutOfMemory(memory),
    isOutOfMemory({ ...memory, name: "E" }),
    isOutOfMemory({ ...memory, message: "m" }),
  ]).toEqual([true, false, false]);
});

test.each([
  ["f<T>(x)", true],
  ["f<T> (x)", true],
  ["f<T>`x`", true],
  ["1 < 2, 3 > /a/", true],
  ["<T>(x)", true],
  ["1 < 2", false],
  ["2 > (1)", false],
  ["2 > (1), 1 < 2", false],
  ["a < b && c => (d)", false],
  ["1 < 2 && 3 > 4", false],
])("%j may have type arguments: %s", (text, may) => {
  expect(mayHaveTypes(text)).toBe(may);
});

test("a program is stripped in its place, and a mistake has its line and column", () => {
  expect(asFunction("return 1")).toBe("(async () => {\nreturn 1\n})");
  expect(toJavaScript("let a: number = 1")).toEqual({ code: "(async () => {\nlet a         = 1\n})" });
  const mistake = (text: string) => (toJavaScript(text) as { readonly thrown: Thrown }).thrown;
  expect(mistake("let b = ;")).toEqual({
    name: "SyntaxError",
    message: "Expression expected",
    line: 1,
    column: 9,
  });
  expect(mistake("let a = 1;\nenum A { B }")).toEqual({
    name: "SyntaxError",
    message: "TypeScript enum is not supported in strip-only mode",
    line: 2,
    column: 1,
  });
  // Node marks what is behind the program, whose frame is not the program's.
  expect(mistake("if (a) {")).toMatchObject({ name: "SyntaxError", message: expect.any(String) });
});

test("more than 100,000 values are not parsed, and the program reads what to do", () => {
  const answer = (count: number) =>
    answerOf(
      { value: JSON.stringify(Array.from({ length: count }, () => ({}))) },
      { source, names },
      { made: 0, omitted: [] },
      "",
    );
  expect(answer(50_000)).not.toHaveProperty("code");
  expect(answer(500_000)).toMatchObject({
    error: "The program returned more than 4 million characters or 100,000 values. Return a summary.",
    code: "PROGRAM_LIMIT",
  });
});
