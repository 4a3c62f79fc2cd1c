import { expect, test } from "vitest";
import { parseTape, tapeHeader } from "../src/index.ts";

const call = {
  order: 1,
  tool: "add",
  definition: "d",
  arguments: { count: 1 },
  decision: "allow",
  ran: true,
  result: { data: 1 },
};
const answer = { answer: { output: [] }, request: "r" };
const print = (...lines: readonly (object | string)[]) =>
  [tapeHeader, ...lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))), ""].join(
    "\n",
  );
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** A person repairs a tape by hand: the error has the line, and what is wrong in it. */
test.each([
  ["{ oops", "it is not JSON"],
  ["7", "it is not an object"],
  ["[]", "it is not an object"],
  [deep(80), "it is not an object"],
  [`{"answer":${deep(80)}}`, "it is nested deeper than 68 levels"],
  [{ answer: {} }, "answer is not a response with an output"],
  [{ answer: [] }, "answer is not a response with an output"],
  [{ answer: null }, "answer is not a response with an output"],
  [{ ...answer, request: 1 }, "request is not a digest"],
  [{ ...call, order: "1" }, "order, tool, arguments or ran is missing"],
  [{ ...call, tool: null }, "order, tool, arguments or ran is missing"],
  [{ ...call, ran: "yes" }, "order, tool, arguments or ran is missing"],
  [{ ...call, arguments: undefined }, "order, tool, arguments or ran is missing"],
  [{ ...call, definition: 1 }, "definition is neither a digest nor null"],
  [{ ...call, definition: undefined }, "definition is neither a digest nor null"],
  [{ ...call, decision: "maybe" }, "decision is not allow, ask, deny or none"],
  [{ ...call, result: null }, "result has neither data nor error, or both"],
  [{ ...call, result: {} }, "result has neither data nor error, or both"],
  [{ ...call, result: { data: 1, error: "e" } }, "result has neither data nor error, or both"],
])("the line %j is refused: %s", (line, problem) => {
  expect(() => parseTape(print(call, line))).toThrow(
    expect.objectContaining({ message: `line 3: ${problem}` }),
  );
  expect(() => parseTape(print(line))).toThrow(expect.objectContaining({ line: 2 }));
});

test("every form that a line may have is read, calls in the order in which they began", () => {
  const forms = [
    { ...call, order: 3, definition: null, decision: "ask" },
    { ...call, order: 1, decision: "deny", ran: false, result: { error: "no", code: "DENIED" } },
    { ...call, order: 2, decision: "none", arguments: null, nested: true },
  ];
  const { calls, answers } = parseTape(print(answer, ...forms, { answer: { output: [1] } }));

  expect(calls).toEqual([forms[1], forms[2], forms[0]]);
  expect(answers).toEqual([answer, { answer: { output: [1] } }]);
  expect(parseTape(print()).calls).toEqual([]);
});

test("what is after the last line break is left out, and a text without the header is no tape", () => {
  expect(parseTape(`${print(call)}{"order":2`).calls).toHaveLength(1);
  for (const text of ["", `${tapeHeader} `, print().slice(1)])
    expect(() => parseTape(text)).toThrow("line 1: the first line is not the header of a tape");
});
