import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decisions, given, modified, noWaysIn, verdicts, waysIn, type Verdicts } from "./support/ways-in.ts";

const root = join(import.meta.dirname, "..");

const expected: Readonly<Record<Verdicts[keyof Verdicts], readonly unknown[]>> = {
  runs: [given],
  "runs modified": [modified],
  "does not run": [],
};

describe.each(waysIn)("one decision, whichever way a call comes: $name", ({ go, verdicts: own = {} }) => {
  test.each(decisions)("%s", async (decision) => {
    const { ran, reported } = await go(decision);
    expect(ran, reported).toEqual(expected[{ ...verdicts, ...own }[decision]]);
  });
});

test("every file that calls a host is in a row of the table, or is excepted with a reason", async () => {
  const callers: string[] = [];
  for await (const file of glob("{packages,tools}/*/src/**/*.ts", { cwd: root })) {
    const source = await readFile(join(root, file), "utf8");
    if (/\b(host|session|state|this\.#run\.host)\.(call|callFrom|resume)\(/.test(source)) callers.push(file);
  }
  const named = new Set([...waysIn.flatMap(({ sources }) => sources), ...Object.keys(noWaysIn)]);
  expect(callers.filter((file) => !named.has(file))).toEqual([]);
  expect(callers.length).toBeGreaterThan(5);
});

test("every file in the table exists", () => {
  const named = [...waysIn.flatMap(({ sources }) => sources), ...Object.keys(noWaysIn)];
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
