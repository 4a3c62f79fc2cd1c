// Which test files a change reaches, by what files import, name and read. A file that only the types of another need is no
// link: `tsc` looks at those.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";

const root = join(import.meta.dirname, "..");

/** A change of these reaches everything. */
const everywhere =
  /^(?:package\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|tsconfig[^/]*|vitest\.config\.ts|\.node-version)$/;

const sources = "{packages,tools}/*/{src,ui,test,bin}/**/*.{ts,tsx,mjs,js}";
const others = "{test,scripts,mount-plans,examples}/**/*.{ts,mjs,js,yaml}";
const skipped = new Set(["node_modules", "dist", ".turbo"]);

/** Files that differ from a commit, those that git does not track with them. */
export function changedSince(commit) {
  const git = (...words) =>
    execFileSync("git", words, { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
  return [
    ...git("diff", "--name-only", "--no-renames", "-z", commit),
    ...git("ls-files", "--others", "--exclude-standard", "-z"),
  ];
}

/** The test files that a change of `changed` reaches, the nearest first; for equal ones in the order of `seed`. */
export function reachedTests(changed, seed = "") {
  const links = readLinks();
  const isTest = (file) => file.endsWith(".test.ts");
  const all = [...links.keys()].filter(isTest);
  const distances = changed.some((file) => everywhere.test(file))
    ? new Map(all.map((file) => [file, 0]))
    : walk(backwards(links), changed);
  return all
    .filter((file) => distances.has(file))
    .map((file) => ({ file, distance: distances.get(file), drawn: shuffle(seed + file) }))
    .toSorted((left, right) => left.distance - right.distance || left.drawn - right.drawn)
    .map(({ file }) => file);
}

/** Steps from the changed files to each file that they reach. */
function walk(users, changed) {
  const distances = new Map(changed.map((file) => [file, 0]));
  for (const file of distances.keys())
    for (const user of users.get(file) ?? [])
      if (!distances.has(user)) distances.set(user, distances.get(file) + 1);
  return distances;
}

function backwards(links) {
  const users = new Map();
  for (const [file, named] of links)
    for (const other of named) {
      if (!users.has(other)) users.set(other, []);
      users.get(other).push(file);
    }
  return users;
}

/** Each source and test with the files that it imports or names. */
function readLinks() {
  const options = { cwd: root, exclude: (path) => skipped.has(basename(path)) };
  const entries = packageEntries();
  return new Map(
    [...globSync(sources, options), ...globSync(others, options)].map((file) => [
      file,
      namedBy(file, entries),
    ]),
  );
}

/** Where the packages of this repository begin: `@toolmount/core/text` → `packages/core/src/text.ts`. */
function packageEntries() {
  const entries = new Map();
  for (const path of globSync("{packages,tools}/*/package.json", { cwd: root })) {
    const { name, exports = {}, bin = {} } = JSON.parse(readFileSync(join(root, path), "utf8"));
    const add = (id, file) => entries.set(id, [...(entries.get(id) ?? []), join(dirname(path), file)]);
    for (const [entry, target] of Object.entries(exports)) {
      const file = target["@toolmount/source"] ?? target;
      if (typeof file === "string") add(join(name, entry), file);
    }
    if (Object.keys(bin).length > 0) add(name, "src/main.ts");
    // A plan names a tool by its short name.
    if (path.startsWith("tools/")) add(`module: ${basename(dirname(path))}`, "src/index.ts");
  }
  return entries;
}

function namedBy(file, entries) {
  const text = readFileSync(join(root, file), "utf8").replaceAll(/^import type [^;]*;$/gm, "");
  const literals = [...text.matchAll(/["'`]([\w@./ -]{2,120})["'`]/g)].map(([, literal]) => literal);
  const modules = [...text.matchAll(/module: "?(?:@toolmount\/tool-)?([\w-]+)/g)].map(
    ([, id]) => `module: ${id}`,
  );
  return [...new Set([...literals, ...modules].flatMap((word) => entries.get(word) ?? filesOf(word, file)))];
}

/** Folders whose files are read as a whole by the tests that name them. */
const whole = new Set(["docs", "mount-plans", "examples"]);

/** Files that a word of a source names: beside it, or from the root. */
function filesOf(word, file) {
  if (whole.has(word))
    return globSync(`${word}/**/*.*`, { cwd: root, exclude: (path) => skipped.has(basename(path)) });
  const places = word.startsWith(".") ? [join(dirname(file), word)] : [join(dirname(file), word), word];
  return places.map((place) => normalize(place)).filter((place) => isFile(place));
}

const isFile = (path) =>
  !path.startsWith("..") && existsSync(join(root, path)) && statSync(join(root, path)).isFile();

/** A number that a text always has, and that orders texts in no meaningful way. */
function shuffle(text) {
  let number = 7;
  for (const letter of text) number = (number * 31 + letter.codePointAt(0)) % 1_000_003;
  return number;
}
