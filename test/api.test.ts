import { existsSync } from "node:fs";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { readEntries, renderPage } from "./support/api-pages.ts";

const root = join(import.meta.dirname, "..");
const packages = (await readdir(join(root, "packages")))
  .map((name) => join("packages", name))
  .filter((folder) => existsSync(join(root, folder, "src/index.ts")));

test.each(packages)("docs/api has the current page of %s (pnpm api writes it)", async (folder) => {
  const page = join(root, "docs/reference/api", `${basename(folder)}.md`);
  const rendered = await renderPage(join(root, folder));
  if (process.env["TOOLMOUNT_WRITE"] === "1") await writeFile(page, rendered);

  expect(await readFile(page, "utf8")).toBe(rendered);
});

test.each(packages)("the README of %s links to its page in docs/reference/api", async (folder) => {
  expect(await readFile(join(root, folder, "README.md"), "utf8")).toContain(
    `docs/reference/api/${basename(folder)}.md`,
  );
});

test("every page of docs/api belongs to a package", async () => {
  expect((await readdir(join(root, "docs/reference/api"))).toSorted()).toEqual(
    packages.map((folder) => `${basename(folder)}.md`).toSorted(),
  );
});

test.each(packages)("every public name of %s has a docstring", async (folder) => {
  const entries = await readEntries(join(root, folder));
  const bare = entries.flatMap(({ groups }) =>
    groups.flatMap(({ names }) => names.filter(({ doc }) => doc === "").map(({ name }) => name)),
  );

  expect(bare).toEqual([]);
});
