// Makes the pages of the site from `docs/`: the same files, with links that also work outside of the repository.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";

const root = dirname(import.meta.dirname);

/** Pages that are elsewhere in the repository, by their place on the site. */
const moved = {
  "site/home.md": "index.md",
  "docs/README.md": "pages.md",
  "README.md": "about.md",
  "CONTRIBUTING.md": "contributing.md",
  "SECURITY.md": "security.md",
  "examples/README.md": "examples/index.md",
  ...Object.fromEntries(
    globSync("examples/*/README.md", { cwd: root }).map((path) => [path, path.replace("/README.md", ".md")]),
  ),
};

/** Where a file of the repository is on the site; undefined when it is not there. */
function placeOf(path) {
  if (moved[path] !== undefined) return moved[path];
  if (!path.startsWith("docs/")) return undefined;
  return path.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
}

/**
 * Writes the pages and their pictures into a folder. A link to a folder, or to a file that is no page, leads to `repository`, its address,
 * and is plain text without one.
 */
export function writePages(folder, repository) {
  rmSync(folder, { recursive: true, force: true });
  const pages = [...new Set([...globSync("docs/**/*.md", { cwd: root }), ...Object.keys(moved)])];
  for (const page of pages) {
    const target = join(folder, placeOf(page));
    mkdirSync(dirname(target), { recursive: true });
    const text = readFileSync(join(root, page), "utf8");
    writeFileSync(target, withTime(page, withLinks(page, text, repository)));
  }
  cpSync(join(root, "docs/pictures"), join(folder, "pictures"), { recursive: true });
  return pages;
}

/** Says below the title of a guide how long it takes to read, at 200 words a minute. What is looked up has no such time. */
function withTime(page, text) {
  if (page.startsWith("docs/reference/")) return text;
  const minutes = Math.max(1, Math.round(text.split(/\s+/).filter(Boolean).length / 200));
  return text.replace(/^# .+$/m, `$&\n\n_${minutes} min to read_`);
}

/** Changes the links of a page; what is in code stays as it is. */
function withLinks(page, text, repository) {
  const parts = text.split(/(^```[\s\S]*?^```$|`[^`\n]+`)/m);
  const change = (part) =>
    part.replaceAll(
      /(!?)\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)(#[^)]*)?\)/g,
      (_, image, words, link, hash = "") => {
        const path = posix.normalize(posix.join(posix.dirname(page), link));
        const place = placeOf(path);
        if (image === "!" || (/\.(?:md|svg|png)$/.test(place ?? "") && existsSync(join(root, path))))
          return `${image}[${words}](${linkTo(placeOf(page), place ?? path)}${hash})`;
        return repository === undefined ? words : `[${words}](${repository}/blob/main/${path})`;
      },
    );
  // A page title in a code span inside of a link's words is rare, so links are changed piece by piece.
  const whole = joinLinks(parts);
  return whole.map((part) => (part.startsWith("```") ? fence(part) : change(part))).join("");
}

/** Puts code spans back to the text around them, so that a link with code in its words is seen whole. */
function joinLinks(parts) {
  const joined = [""];
  for (const part of parts) {
    if (part.startsWith("```")) joined.push(part, "");
    else joined[joined.length - 1] += part;
  }
  return joined;
}

/** What follows a fence's language says how a test runs it; readers need only the language. */
function fence(block) {
  return block.replace(/^```(\w+) .*$/m, "```$1");
}

function linkTo(from, to) {
  const path = relative(dirname(`/${from}`), `/${to}`);
  return path.startsWith(".") ? path : `./${path}`;
}

/**
 * The sidebars: the guide has the index of all pages and each section of `docs/README.md`, with the pages that its list links. Pages below
 * `reference/` have their own, with the API of each package.
 */
export function sidebars() {
  const text = readFileSync(join(root, "docs/README.md"), "utf8");
  const sections = text.split(/^## /m).slice(1);
  const listed = sections
    .map((section) => ({ text: section.split("\n")[0], items: linksOf(section) }))
    .filter(({ items }) => items.length > 0);
  const isReference = ({ text: title }) => title === "Reference";
  const api = globSync("docs/reference/api/*.md", { cwd: root })
    .toSorted()
    .map((path) => ({
      text: `@toolmount/${path.slice("docs/reference/api/".length, -3)}`,
      link: siteLink(path),
    }));
  const index = { text: "Start", items: [{ text: "All pages", link: "/pages" }] };
  return {
    "/": [index, ...listed.filter((section) => !isReference(section))],
    "/reference/": [index, ...listed.filter(isReference), { text: "API", items: api }],
  };
}

function linksOf(section) {
  const rows = section.split("\n").filter((line) => line.startsWith("- "));
  return rows.flatMap((row) =>
    [...row.matchAll(/\[([^\]]+)\]\(([^)#]+)[^)]*\)/g)].flatMap(([, words, link]) => {
      const path = posix.normalize(posix.join("docs", link));
      // The README of a package is no page of the site, nor is a folder.
      if (!path.endsWith(".md") || placeOf(path) === undefined) return [];
      const title = /^# (.+)$/m.exec(readFileSync(join(root, path), "utf8"))?.[1] ?? words;
      return [{ text: title.replaceAll("`", ""), link: siteLink(path) }];
    }),
  );
}

const siteLink = (path) => `/${placeOf(path).replace(/(?:index)?\.md$/, "")}`;
