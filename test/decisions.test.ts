import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const page = join(root, "docs/reference/decisions/10-where-contracts-disagree.md");
const contract = join(root, "../shared/contract/DECISIONS.md");

/** The rows of the project's own table: the id, and the files where it is made true. */
async function readRows() {
  const text = await readFile(page, "utf8");
  return [...text.matchAll(/^\| (C\d+) +\| ([^|]+?) *\| (.+?) *\|$/gm)].map(
    ([, id = "", meaning = "", where = ""]) => ({
      id,
      meaning,
      files: [...where.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link),
    }),
  );
}

/** Ids at the beginning of a title, in whichever order. */
const ids = /["'`]((?:(?:C|APTIX-N?|AMP-N?|FORGE-N?)\d+, )*(?:C|APTIX-N?|AMP-N?|FORGE-N?)\d+): /g;

function idsOfTitles(text: string): readonly string[] {
  return [...text.matchAll(ids)]
    .flatMap(([, list = ""]) => list.split(", "))
    .filter((id) => id.startsWith("C"));
}

async function provedIds(): Promise<ReadonlySet<string>> {
  const proved = new Set<string>();
  const tests = glob(["{packages,tools}/*/test/**/*.test.ts", "test/**/*.test.ts"], {
    cwd: root,
    exclude: (path) => path.includes("node_modules") || path.endsWith("test/decisions.test.ts"),
  });
  for await (const path of tests)
    for (const id of idsOfTitles(await readFile(join(root, path), "utf8"))) proved.add(id);
  return proved;
}

test("every decision about the contracts names files that implement it, and they exist", async () => {
  for (const { id, meaning, files } of await readRows()) {
    expect([id, meaning.length > 20, files.length > 0]).toEqual([id, true, true]);
    for (const file of files)
      expect([id, file, existsSync(join(dirname(page), file))]).toEqual([id, file, true]);
  }
});

test("every decision about the contracts has a test whose title begins with its id", async () => {
  const proved = await provedIds();
  const listed = (await readRows()).map(({ id }) => id);

  expect(listed).toEqual(Array.from({ length: 40 }, (_, at) => `C${at + 1}`));
  expect(listed.filter((id) => !proved.has(id))).toEqual([]);
});

test("a title that only mentions a decision does not prove it", () => {
  expect(idsOfTitles('test("as C3 says: a name", run)')).toEqual([]);
  expect(idsOfTitles('test("AMP-1, C3, C4: a name", run)')).toEqual(["C3", "C4"]);
});

const isThere = existsSync(contract);

test.skipIf(!isThere)("the decisions are those of the contract (needs ../shared)", async () => {
  const given = [...(await readFile(contract, "utf8")).matchAll(/^\| (C\d+) \|/gm)].map(([, id]) => id);

  expect((await readRows()).map(({ id }) => id)).toEqual(given);
});
