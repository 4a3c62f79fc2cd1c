import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { expect, test } from "vitest";

const { mutationsOf, withProbes } = await import(join(import.meta.dirname, "../scripts/mutations.mjs"));

interface Mutation {
  readonly line: number;
  readonly before: string;
  readonly probe: object | undefined;
  readonly number: number;
}

function mutationsIn(code: string): Mutation[] {
  return mutationsOf("a.ts", code).map((one: object, number: number) => ({ ...one, number }));
}

test("probes say which mutations a run reaches, and change nothing that it does", () => {
  const code = `
    const sizes: Record<string, number> = { "a-b": 2 };
    const ends: string[] = [];
    function isLarge(size: number): boolean {
      if (size > 5 && size !== 7) return true;
      ends.push("small");
      return size < 1 ? !ends : false;
    }
    out.push(isLarge(sizes["a-b"] ?? 9), ends);
  `;
  const all = mutationsIn(code);
  const run = compileFunction(stripTypeScriptTypes(withProbes(code, all, "reached")), ["out", "reached"]);
  const out: unknown[] = [];
  const reached = new Set<number>();
  run(out, (number: number) => reached.add(number));

  expect(out).toEqual([false, ["small"]]);
  expect(all.filter(({ number, probe }) => probe && !reached.has(number)).map(placeOf)).toEqual([
    '5 "!=="', // The left side of && was false already.
    '5 "7"',
    '5 "true"',
    '7 "!"',
    '9 "9"',
  ]);
  expect(all.filter(({ probe }) => probe === undefined).map(placeOf)).toEqual(['2 "\\"a-b\\""']);
});

function placeOf({ line, before }: Mutation): string {
  return `${line} ${JSON.stringify(before)}`;
}
