import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** What was found by using the packed packages: how many findings each group has. */
const groups = { M: 12, T: 8, O: 11, A: 5, H: 4, R: 20, S: 8 };

/** The texts of all tests, by file. */
async function readTests(): Promise<ReadonlyMap<string, string>> {
  const files = glob(["{packages,tools}/*/test/**/*.ts", "test/**/*.ts"], {
    cwd: root,
    exclude: (path) => path.includes("node_modules"),
  });
  const texts = new Map<string, string>();
  for await (const file of files) texts.set(file, await readFile(join(root, file), "utf8"));
  return texts;
}

test("each finding has a test whose title begins with its number", async () => {
  const titles = [...(await readTests()).values()].join("\n");
  const proved = new Set(
    [...titles.matchAll(/["'`]((?:[MTOAHRS]\d+, )*[MTOAHRS]\d+): /g)].flatMap(([, ids = ""]) =>
      ids.split(", "),
    ),
  );
  const numbers = Object.entries(groups).flatMap(([group, count]) =>
    Array.from({ length: count }, (_, at) => `${group}${at + 1}`),
  );

  expect(numbers).toHaveLength(68);
  expect(numbers.filter((number) => !proved.has(number))).toEqual([]);
});

/** Data beside the repository that only some machines have. */
const readsForeignData = /(?:\.\.\/|["'`/])shared\//;

test("M10: a test that needs data beside the repository says skipped where they are absent, and never just returns", async () => {
  const readers = [...(await readTests())].filter(
    ([file, text]) => readsForeignData.test(text) && !file.endsWith("findings.test.ts"),
  );
  const returns = /if \((?:!existsSync\([^)]*\)|absent|folder === undefined)\) return;/;

  expect(readers.length).toBeGreaterThan(10);
  expect(readers.filter(([, text]) => returns.test(text)).map(([file]) => file)).toEqual([]);
  const silent = readers.filter(([file, text]) => file.endsWith(".test.ts") && !/skip/.test(text));
  expect(silent.map(([file]) => file)).toEqual([]);
});

test.each(["ai-sdk", "langchain", "openai", "anthropic", "gemini"])(
  "A3: users of %s have a page, which the list of pages links and which a test runs",
  async (name) => {
    const page = `use-with-${name}.md`;
    const [text, list, run] = await Promise.all(
      [`docs/${page}`, "docs/README.md", "test/docs.test.ts"].map((path) =>
        readFile(join(root, path), "utf8"),
      ),
    );

    expect(text).toContain("@toolmount/interop");
    expect(list).toContain(`(${page})`);
    expect(run).toContain(`"docs/${page}"`);
  },
);
