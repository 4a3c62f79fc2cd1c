import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readCallOperands, readText } from "../../src/options/operands.ts";

test.each([
  { words: ["greet"], read: { plan: undefined, tool: "greet", text: undefined } },
  { words: ["greet", "{}"], read: { plan: undefined, tool: "greet", text: "{}" } },
  { words: ["greet", "-"], read: { plan: undefined, tool: "greet", text: "-" } },
  { words: ["greet", ""], read: { plan: undefined, tool: "greet", text: "" } },
  { words: ["greet", "{bad"], read: { plan: undefined, tool: "greet", text: "{bad" } },
  {
    words: ["greet", "name=Ada"],
    read: { plan: undefined, tool: "greet", text: undefined, pairs: ["name=Ada"] },
  },
  { words: ["plan.yaml", "greet"], read: { plan: "plan.yaml", tool: "greet", text: undefined } },
  { words: ["./plans", "greet"], read: { plan: "./plans", tool: "greet", text: undefined } },
  { words: [".", "greet"], read: { plan: ".", tool: "greet", text: undefined } },
  { words: ["plans", "greet", "{}"], read: { plan: "plans", tool: "greet", text: "{}" } },
  { words: ["plan.yaml", "greet", "-"], read: { plan: "plan.yaml", tool: "greet", text: "-" } },
])("$words are read", ({ words, read }) => {
  expect(readCallOperands(words)).toEqual({ pairs: [], ...read });
});

test.each([{ words: ["plan.yaml"] }, { words: ["a", "b", "c", "d"] }])("$words are refused", ({ words }) => {
  expect(() => readCallOperands(words)).toThrowError(expect.objectContaining({ code: "USAGE_INVALID" }));
});

test("input is read to its end, or until it is more than a host takes", async () => {
  expect(await readText(Readable.from([Buffer.from("né"), Buffer.from("e")]))).toBe("née");
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(65_536, "a");
    })(),
  );
  expect((await readText(endless)).length).toBe(2 ** 20 + 1);
});

test("nothing is asked for after the first byte too many", async () => {
  const chunks = function* () {
    yield Buffer.alloc(2 ** 20, "a");
    yield Buffer.from("b");
    throw new Error("it was asked for more");
  };
  expect(await readText(chunks() as unknown as Readable)).toBe(`${"a".repeat(2 ** 20)}b`);
});
