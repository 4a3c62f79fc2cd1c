import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const page = "docs/reference/decisions/11-neighbour-rows.md";
const requirements = join(root, "../shared/contract/REQUIREMENTS.md");

/** Ids in the first column of the page's first table: rows without a test. */
async function rowsWithoutTest(): Promise<string[]> {
  const text = await readFile(join(root, page), "utf8");
  const table = text.slice(0, text.indexOf("Rows that hold in another form"));
  return [...table.matchAll(/^\| ((?:APTIX|AMP|FORGE)-N\d+(?:, FORGE-N\d+)*) +\|/gm)].flatMap(
    ([, ids = ""]) => ids.split(", "),
  );
}

/** Ids at the beginning of tests' titles. */
async function provedIds(): Promise<Set<string>> {
  const proved = new Set<string>();
  const tests = glob(["{packages,tools}/*/test/**/*.test.ts", "test/**/*.test.ts"], {
    cwd: root,
    exclude: (path) => path.includes("node_modules"),
  });
  for await (const path of tests)
    for (const [, ids = ""] of (await readFile(join(root, path), "utf8")).matchAll(
      /["'`]((?:(?:C|APTIX-N?|AMP-N?|FORGE-N?)\d+, )*(?:C|APTIX-N?|AMP-N?|FORGE-N?)\d+): /g,
    ))
      for (const id of ids.split(", ")) proved.add(id);
  return proved;
}

test("a row that the page excuses has no test", async () => {
  const excused = await rowsWithoutTest();
  const proved = await provedIds();

  expect(excused.length).toBeGreaterThan(5);
  expect(excused.filter((id) => proved.has(id))).toEqual([]);
});

test.skipIf(!existsSync(requirements))(
  "every neighbour row of the contract has a test or a line on the page (needs ../shared)",
  async () => {
    const rows = (await readFile(requirements, "utf8"))
      .split("\n")
      .flatMap((line) => /^\| ((?:APTIX|AMP|FORGE)-N\d+) \| (?!—)/.exec(line)?.[1] ?? []);
    const [proved, excused] = [await provedIds(), new Set(await rowsWithoutTest())];

    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter((id) => !proved.has(id) && !excused.has(id))).toEqual([]);
  },
);
