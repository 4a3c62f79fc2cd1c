import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { contractVersion } from "@toolmount/core";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const root = join(import.meta.dirname, "..");

const frontMatter = z.strictObject({
  contract: z.literal("tool"),
  contract_version: z.string().regex(/^\d+\.\d+\.\d+$/),
  related_files: z.array(z.strictObject({ path: z.string(), symbols: z.array(z.string()).min(1) })).min(1),
});

async function page() {
  const text = await readFile(join(root, "docs/reference/contract.md"), "utf8");
  const [, head = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  return { head: frontMatter.parse(parse(head)), body };
}

/** Names that a source file exports, types too. */
async function exportsOf(path: string): Promise<string[]> {
  const code = await readFile(join(root, path), "utf8");
  const { module } = parseSync(path, code);
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName }) => exportName.name ?? []),
  );
}

test("AMP-26: the contract page has a version, and every symbol that it names is exported where it says", async () => {
  const { head } = await page();

  for (const { path, symbols } of head.related_files) {
    const exported = await exportsOf(path);
    for (const symbol of symbols) expect(exported, path).toContain(symbol);
  }
});

test("the page's major version is the one that packages declare", async () => {
  const { head } = await page();

  expect(Number.parseInt(head.contract_version, 10)).toBe(contractVersion);
});

test("AMP-26: every symbol that the page links to is public, and one that is not there would be found missing", async () => {
  const { head } = await page();
  const index = await readFile(join(root, "packages/core/src/index.ts"), "utf8");
  const whole = [...index.matchAll(/^export type \* from "\.\/(.+)";$/gm)].map(
    ([, file]) => `packages/core/src/${file}`,
  );

  for (const { path, symbols } of head.related_files)
    if (!whole.includes(path))
      for (const symbol of symbols) expect(index, path).toMatch(new RegExp(`\\b${symbol}\\b`));
  expect(await exportsOf("packages/core/src/registry/define-tool.ts")).not.toContain("defineNothing");
});

test("AMP-26: what the page calls a type or a function in its text is one of its symbols, or a member of one", async () => {
  const { head, body } = await page();
  const symbols = new Set(head.related_files.flatMap((file) => file.symbols));
  const named = [...body.matchAll(/`([A-Z][a-z]+[A-Z]\w+)`/g)].map(([, name = ""]) => name);

  expect(named.length).toBeGreaterThan(3);
  for (const name of named) expect([...symbols]).toContain(name);
});
