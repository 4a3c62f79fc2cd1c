import { expect, test } from "vitest";
import { partsOfLine } from "../../src/agent/prompt-files.ts";

test("a pasted block in a line is not what the user typed, wherever it stands and however often", () => {
  const pastes = new Set(["", "one\ntwo", "one\ntwo\nthree"]);

  expect(partsOfLine("see one\ntwo\nthree, then one\ntwo.", pastes)).toEqual([
    { author: "typed", text: "see " },
    { author: "pasted", text: "one\ntwo\nthree" },
    { author: "typed", text: ", then " },
    { author: "pasted", text: "one\ntwo" },
    { author: "typed", text: "." },
  ]);
  expect(partsOfLine("one\ntwo", pastes)).toEqual([{ author: "pasted", text: "one\ntwo" }]);
  expect(partsOfLine("hello", pastes)).toEqual([{ author: "typed", text: "hello" }]);
});
