import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** Rows of a page like docs/where.md: the number, the question, the path. */
function readRows(page: string) {
  return [...page.matchAll(/^\| (\d+) +\| (\w+) +\| (.+?) +\| \[`(.+?)`\]\(\.\.\/(.+?)\) +\|$/gm)].map(
    ([, number = "", area = "", question = "", path = "", link = ""]) => ({
      number: Number(number),
      area,
      question,
      path,
      link,
    }),
  );
}

const rows = readRows(readFileSync(join(root, "docs/where.md"), "utf8"));

test("docs/where.md answers forty different questions, numbered, over nine areas", () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
  expect(new Set(rows.map(({ question }) => question)).size).toBe(40);
  expect(new Set(rows.map(({ area }) => area)).size).toBe(9);
});

test("every file of docs/where.md exists, and its link leads to it", () => {
  expect(rows.filter(({ path, link }) => path !== link || !existsSync(join(root, path)))).toEqual([]);
});

test("a row whose file is gone is found", () => {
  const [row] = readRows(
    "| 1 | core | What? | [`packages/core/src/gone.ts`](../packages/core/src/gone.ts) |",
  );

  expect(existsSync(join(root, row!.path))).toBe(false);
});
