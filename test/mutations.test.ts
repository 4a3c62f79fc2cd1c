import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { expect, test } from "vitest";

const { mutationsOf, withSwitches } = await import(join(import.meta.dirname, "../scripts/mutations.mjs"));

interface Mutation {
  readonly line: number;
  readonly before: string;
  readonly after: string;
  readonly number: number;
}

const code = `
  const sizes: Record<string, number> = { "a-b": 2 };
  const ends: string[] = [];
  function isLarge(size: number): boolean {
    if (size > 5 && size !== 7) return true;
    ends.push("small");
    return size < 1 ? !ends : false;
  }
  const last = out.push(isLarge(sizes["a-b"] ?? 9), ends, (sizes.c ?? 0) || 4);
`;
const all: Mutation[] = mutationsOf("a.ts", code).map((one: object, number: number) => ({ ...one, number }));
const run = compileFunction(stripTypeScriptTypes(withSwitches(code, all)), ["out", "mutated"]);

/** What the code does with a mutation, and which mutations it reaches. */
function runWith(active?: number) {
  const out: unknown[] = [];
  const reached = new Set<number>();
  run(out, (number: number) => reached.add(number) && number === active);
  return { out, reached };
}

test("one text has all mutations behind switches, and does what the code did while none is on", () => {
  const { out, reached } = runWith();

  expect(out).toEqual([false, ["small"], 4]);
  expect(all.filter(({ number }) => !reached.has(number)).map(placeOf)).toEqual([
    '5 "!==" -> "==="', // The left side of && was false already.
    '5 "7" -> "8"',
    '5 "true" -> "false"',
    '7 "!" -> ""',
    '9 "9" -> "10"',
  ]);
});

test("a switch changes its place alone", () => {
  const changed = all
    .map((one) => ({ place: placeOf(one), out: runWith(one.number).out }))
    .filter(({ out }) => JSON.stringify(out) !== JSON.stringify([false, ["small"], 4]));

  expect(Object.fromEntries(changed.map(({ place, out }) => [place, out]))).toEqual({
    '2 "\\"a-b\\"" -> "\\"a-b~\\""': [true, [], 4],
    '5 "&&" -> "||"': [true, [], 4],
    '6 "ends.push(\\"small\\");" -> ";"': [false, [], 4],
    '6 "\\"small\\"" -> "\\"small~\\""': [false, ["small~"], 4],
    '7 "false" -> "true"': [true, ["small"], 4],
    '9 "\\"a-b\\"" -> "\\"a-b~\\""': [true, [], 4],
    '9 "??" -> "&&"': [true, [], 4],
    '9 "||" -> "&&"': [false, ["small"], 0],
    '9 "0" -> "1"': [false, ["small"], 1],
    '9 "4" -> "5"': [false, ["small"], 5],
  });
});

function placeOf({ line, before, after }: Mutation): string {
  return `${line} ${JSON.stringify(before)} -> ${JSON.stringify(after)}`;
}
