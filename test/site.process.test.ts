import { globSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";

interface Section {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

const { sidebars, writePages } = (await import(
  pathToFileURL(join(import.meta.dirname, "../site/pages.mjs")).href
)) as {
  readonly sidebars: () => Readonly<Record<"/" | "/reference/", readonly Section[]>>;
  readonly writePages: (folder: string, repository?: string) => readonly string[];
};

/** The site's pages in a folder of their own; `pnpm site` makes HTML of them. */
async function pagesOf(repository?: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-site-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  writePages(folder, repository);
  return folder;
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Links of a page that are neither addresses nor places on the same page. */
const linksOf = (text: string) =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/\]\((?!\w+:|#)([^)#\s]+)[^)]*\)/g)].map(
    ([, link = ""]) => link,
  );

test("each link of the site's pages leads to a page or a picture of the site", async () => {
  const folder = await pagesOf();
  const dead = globSync("**/*.md", { cwd: folder }).flatMap((page) =>
    linksOf(readFileSync(join(folder, page), "utf8"))
      .filter((link) => !isFile(join(folder, dirname(page), link)))
      .map((link) => `${page}: ${link}`),
  );

  expect(dead).toEqual([]);
});

test("with the repository's address, a link to a source leads there", async () => {
  const folder = await pagesOf("https://example.com/owner/name");

  expect(readFileSync(join(folder, "reference/comparison.md"), "utf8")).toContain(
    "(https://example.com/owner/name/blob/main/packages/policy/test/rules.test.ts)",
  );
});

test.each([
  ["the guide", "/", "*.md"],
  ["the reference", "/reference/", "reference/{,api/}*.md"],
] as const)(
  "the sidebar of %s leads to each of its pages, and to no page of the other",
  async (_, at, files) => {
    const folder = await pagesOf();
    const linked = sidebars()[at].flatMap(({ items }) => items.map(({ link }) => link.slice(1)));
    const pages = globSync(files, { cwd: folder })
      .map((page) => page.replace(/\.md$/, ""))
      .filter((page) => page !== "index");

    expect(pages.filter((page) => !linked.includes(page))).toEqual([]);
    expect(linked.filter((link) => link.startsWith("reference/") !== (at === "/reference/"))).toEqual(
      at === "/" ? [] : ["pages"],
    );
  },
);

test("a guide says how long it takes to read, and what is looked up does not", async () => {
  const folder = await pagesOf();
  const withTime = (files: string) =>
    globSync(files, { cwd: folder }).filter((page) =>
      /^# .+\n\n_\d+ min to read_$/m.test(readFileSync(join(folder, page), "utf8")),
    );

  expect(withTime("*.md")).toEqual(globSync("*.md", { cwd: folder }).filter((page) => page !== "index.md"));
  expect(withTime("reference/**/*.md")).toEqual([]);
});
