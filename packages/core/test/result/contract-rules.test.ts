import { expect, test } from "vitest";
import { data, failure } from "../../src/index.ts";
import { isContractBreach, isHostCode, normalizeResult } from "../../src/result/normalize.ts";

const at = "2026-01-01T00:00:00.000Z";
/** What a tool `declared`, offered as `offered`, returned: as a whole result, or the rule that it broke. */
function read(answer: unknown): unknown {
  try {
    return { ...normalizeResult("declared", "offered", at, answer) };
  } catch (error) {
    if (!isContractBreach(error)) throw error;
    return error.message;
  }
}
const facts = { tool: "offered", fetchedAt: at };
const code = "code is not UPPER_SNAKE of at most 100 characters";
const blocks = "content is not a list of text, image, audio or file blocks";
const iso = "fetchedAt is not an ISO 8601 time";
const left = { what: "w", amount: "1 file", why: "y", how: "h" };
const omitted = "omitted is not a list of { what, amount, why, how }";
const mayHaveRun = "a result has mayHaveRun: true, with an error, or no mayHaveRun";
const form = "return data(…) or failure(…)";

test.each<[unknown, string]>([
  [undefined, `it returned a value of type undefined, not a result; ${form}`],
  [null, `it returned null, not a result; ${form}`],
  ["text", `it returned a value of type string, not a result; ${form}`],
  [7, `it returned a value of type number, not a result; ${form}`],
  [[1], `it returned a list, not a result; ${form}`],
  [{}, "a result has data or error: exactly one of them"],
  [{ data: undefined }, "a result has data or error: exactly one of them"],
  [{ data: 1, error: "e" }, "a result has data or error: exactly one of them"],
  [{ success: true, data: 1 }, 'a result has no "success": a failure is a result with an error'],
  [{ timestamp: at, data: 1 }, 'a result has no "timestamp": the field is fetchedAt'],
  [{ hello: 1 }, `a result has no "hello"; ${form}`],
  [{ data: 1, ["k".repeat(200)]: 1 }, `a result has no "${"k".repeat(100)}"; ${form}`],
  [{ data: 1, tool: "other" }, 'its result names the tool "other"'],
  [{ data: 1, tool: "offered" }, 'its result names the tool "offered"'],
  [{ data: 1, tool: "t".repeat(200) }, `its result names the tool "${"t".repeat(100)}"`],
  [{ data: 1, fetchedAt: 7 }, iso],
  [{ data: 1, fetchedAt: "yesterday" }, iso],
  [{ data: 1, fetchedAt: "2026-01-01T00:00:00" }, iso],
  [{ error: "" }, "error is not a sentence"],
  [{ error: null }, "error is not a sentence"],
  [{ data: 1, code: "C" }, "a success has no code"],
  [{ error: "e", code: "lower" }, code],
  [{ error: "e", code: "1A" }, code],
  [{ error: "e", code: 7 }, code],
  [{ error: "e", code: "C".repeat(101) }, code],
  [{ data: 1, mayHaveRun: true }, mayHaveRun],
  [{ error: "e", mayHaveRun: false }, mayHaveRun],
  [{ data: 1, content: "text" }, blocks],
  [{ data: 1, content: [null] }, blocks],
  [{ data: 1, content: ["text"] }, blocks],
  [{ data: 1, content: [{ type: "text", text: 7 }] }, blocks],
  [{ data: 1, content: [{ type: "image", data: "A" }] }, blocks],
  [{ data: 1, content: [{ type: "audio", mimeType: "a/b" }] }, blocks],
  [{ data: 1, content: [{ type: "file", uri: 7 }] }, blocks],
  [{ data: 1, content: [{ type: "video", uri: "a:b" }] }, blocks],
  [{ data: 1, warnings: "w" }, "warnings is not a list of sentences"],
  [{ data: 1, warnings: ["w", 7] }, "warnings is not a list of sentences"],
  [{ data: 1, omitted: [] }, omitted],
  [{ data: 1, omitted: left }, omitted],
  [{ data: 1, omitted: [left, "x"] }, omitted],
  [{ data: 1, omitted: [{ ...left, how: " " }] }, omitted],
  [{ data: 1, omitted: [{ ...left, amount: 3 }] }, omitted],
  [{ data: 1, meta: [] }, "meta is not an object"],
  [{ data: 1, meta: null }, "meta is not an object"],
])("the return value %j breaks the contract: %s", (answer, rule) => {
  expect(read(answer)).toBe(rule);
});

const content = [
  { type: "text", text: "" },
  { type: "image", data: "A", mimeType: "a/b" },
  { type: "audio", data: "A", mimeType: "a/b" },
  { type: "file", uri: "a:b" },
];

test.each<[unknown, object]>([
  [{ data: null }, { data: null }],
  [{ data: 1, tool: "declared" }, { data: 1 }],
  [
    { data: 1, fetchedAt: "2025-01-01T00:00:00Z" },
    { data: 1, fetchedAt: "2025-01-01T00:00:00Z" },
  ],
  [
    { data: 1, fetchedAt: "2025-01-01T00:00:00.5+02:00" },
    { data: 1, fetchedAt: "2025-01-01T00:00:00.5+02:00" },
  ],
  [{ error: "e" }, { error: "e" }],
  [
    { error: "e", code: "C" },
    { error: "e", code: "C" },
  ],
  [
    { error: "e", code: "C".repeat(100) },
    { error: "e", code: "C".repeat(100) },
  ],
  [
    { error: "e", details: 0, content, warnings: [], meta: {} },
    { error: "e", details: 0, content, warnings: [], meta: {} },
  ],
  [{ data: 1, details: undefined, content: undefined }, { data: 1 }],
  [data(1, { warnings: ["w"], meta: { m: 1 } }), { data: 1, warnings: ["w"], meta: { m: 1 } }],
  [data(undefined), { data: null }],
  [data(1, { omitted: [] }), { data: 1 }],
  [data(1, { omitted: [left] }), { data: 1, omitted: [left] }],
  [failure("e", { omitted: [left] }), { error: "e", omitted: [left] }],
  [failure("e", { code: "C", details: { d: 1 } }), { error: "e", code: "C", details: { d: 1 } }],
])("the return value %j is a whole result", (answer, result) => {
  expect(read(answer)).toStrictEqual({ ...facts, ...result });
});

test("codes of the host are its own, and a breach is known by its name", () => {
  expect(["DENIED", "INTERNAL", "MINE", undefined].map(isHostCode)).toEqual([true, true, false, false]);
  expect(isContractBreach(Object.assign(new Error("x"), { name: "ContractBreach" }))).toBe(true);
  for (const other of [new Error("x"), { name: "ContractBreach" }, null])
    expect(isContractBreach(other)).toBe(false);
});
