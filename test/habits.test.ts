import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

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

/** Sources that use `spawn` of Node itself: they read no stream of the child, or are of the command, which ends with its work. */
const spawnsItself = [
  "packages/cli/src/agent/look-into.ts",
  "packages/cli/src/process/open-browser.ts",
  "packages/cli/src/scaffold/init-files.ts",
  "packages/paths/src/attributes.ts",
  "packages/sandbox/src/system/process-trees.ts",
];

test("hosts start programs by spawnChild of @toolmount/sandbox, which throws where no descriptors are left", async () => {
  const files = glob("{packages,tools}/*/src/**/*.ts", { cwd: root });
  const found: string[] = [];
  for await (const file of files) {
    const text = await readFile(join(root, file), "utf8");
    if (/import \{[^}]*\bspawn\b[^}]*\} from "node:child_process"/.test(text)) found.push(file);
  }
  expect(found.toSorted()).toEqual(spawnsItself);
});

/** Data beside the repository that only some machines have. */
const readsForeignData = /(?:\.\.\/|["'`/])shared\//;

test("a test that needs data beside the repository says skipped where they are absent, and never just returns", async () => {
  const readers = [...(await readTests())].filter(
    ([file, text]) => readsForeignData.test(text) && !file.endsWith("habits.test.ts"),
  );
  const returns = /if \((?:!existsSync\([^)]*\)|absent|folder === undefined)\) return;/;

  expect(readers.length).toBeGreaterThan(10);
  expect(readers.filter(([, text]) => returns.test(text)).map(([file]) => file)).toEqual([]);
  const silent = readers.filter(([file, text]) => file.endsWith(".test.ts") && !/skip/.test(text));
  expect(silent.map(([file]) => file)).toEqual([]);
});

test.each(["ai-sdk", "langchain", "openai", "anthropic", "gemini"])(
  "users of %s have a page, which the list of pages links and which a test runs",
  async (name) => {
    const page = `use-with-${name}.md`;
    const [text, list, run] = await Promise.all(
      [`docs/${page}`, "docs/README.md", "test/docs.process.test.ts"].map((path) =>
        readFile(join(root, path), "utf8"),
      ),
    );

    expect(text).toContain("@toolmount/interop");
    expect(list).toContain(`(${page})`);
    expect(run).toContain(`"docs/${page}"`);
  },
);
