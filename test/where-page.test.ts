import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** Rows of a page like docs/reference/where.md: the number, the question, the path. */
function readRows(page: string) {
  return [
    ...page.matchAll(/^\| (\d+) +\| (\w+) +\| (.+?) +\| \[`(.+?)`\]\(\.\.\/\.\.\/(.+?)\) +\| `(\w+)` +\|$/gm),
  ].map(([, number = "", area = "", question = "", path = "", link = "", name = ""]) => ({
    number: Number(number),
    area,
    question,
    path,
    link,
    name,
  }));
}

const rows = readRows(readFileSync(join(root, "docs/reference/where.md"), "utf8"));

test("docs/reference/where.md answers forty different questions, numbered, over nine areas", () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
  expect(new Set(rows.map(({ question }) => question)).size).toBe(40);
  expect(new Set(rows.map(({ area }) => area)).size).toBe(9);
});

test("every file of docs/reference/where.md exists, and its link leads to it", () => {
  expect(rows.filter(({ path, link }) => path !== link || !existsSync(join(root, path)))).toEqual([]);
});

/** Whether a file defines a function, a class, a value or a method of that name. */
function defines(path: string, name: string): boolean {
  const definition = new RegExp(
    `^(?:export )?(?:async )?(?:function\\*?|class|const) ${name}\\b|^  (?:async )?${name}\\(`,
    "m",
  );
  return existsSync(join(root, path)) && definition.test(readFileSync(join(root, path), "utf8"));
}

test("the file of each row defines the name that answers its question", () => {
  expect(rows.filter(({ path, name }) => !defines(path, name))).toEqual([]);
});

test("a row whose file or name is gone is found", () => {
  const [gone, renamed] = readRows(
    [
      "| 1 | core | What? | [`packages/core/src/gone.ts`](../../packages/core/src/gone.ts) | `gone` |",
      "| 2 | core | What? | [`packages/core/src/call/decide.ts`](../../packages/core/src/call/decide.ts) | `decided` |",
    ].join("\n"),
  );

  expect([gone!, renamed!].map(({ path, name }) => defines(path, name))).toEqual([false, false]);
});
