import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";

type Count = { readonly entries: number; readonly files: number; readonly moves: number };

/** How far a call of each way may go. What is not held grows: a call went through 13 % more functions within one month. */
const most: Readonly<Record<string, Omit<Count, "entries">>> = {
  plain: { files: 19, moves: 36 },
  approved: { files: 38, moves: 181 },
  question: { files: 33, moves: 107 },
  decision: { files: 12, moves: 27 },
  resumption: { files: 37, moves: 136 },
};

let counts: Readonly<Record<string, Count>>;

beforeAll(async () => {
  const script = join(import.meta.dirname, "../scripts/tree-of-a-call.mjs");
  const args = ["-C", "@toolmount/source", script, "--json"];
  counts = JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
});

test("the count knows every way of a call", () => {
  expect(Object.keys(counts)).toEqual(Object.keys(most));
});

test.each(Object.entries(most))("a call (%s) enters at most %o", (way, { files, moves }) => {
  expect(counts[way]!.files, "files").toBeLessThanOrEqual(files);
  expect(counts[way]!.moves, "moves from one file to another").toBeLessThanOrEqual(moves);
});
