// One pass of a package's tests without a change: whether they pass, how long each file takes, and which places it reaches.
// The answer is kept in .reports: a later run repeats the pass only for test files that changed,
// and for those that reach a source that changed.
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { withProbes } from "./mutations.mjs";

const root = dirname(import.meta.dirname);
const reports = join(root, ".reports");
const log = join(reports, "reached.log");

/**
 * The descriptor of the log. Every process below the tests inherits it, and may write to it behind any border, which has the
 * log's path hidden. Node closes the inherited descriptors from 0 on in what it starts, up to the first that is not open.
 */
export const logDescriptor = 63;

/** Appended to each source. */
const probe = `
function reachedMutation(number) {
  const seen = (globalThis.reachedMutations ??= new Set());
  if (seen.has(number)) return;
  seen.add(number);
  const line = \`reached \${number} \${process.env.TOOLMOUNT_TEST_FILE ?? ""}\\n\`;
  const { appendFileSync, writeSync } = process.getBuiltinModule("node:fs");
  try {
    writeSync(${logDescriptor}, line);
  } catch {
    try {
      appendFileSync(${JSON.stringify(log)}, line);
    } catch {}
  }
}
`;

/**
 * Runs the tests with a probe in each place that a mutation can change. `undefined` where they fail without a change.
 *
 * `filesOf` gives the test files that reach a mutation, the quickest first: all of them where its place has no probe.
 */
export async function cleanPass(folder, tests, mutations, { passes, inPlace }) {
  mkdirSync(reports, { recursive: true });
  const file = join(reports, `reached-${folder.replace("/", "-")}.json`);
  const kept = existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : { hashes: {}, ms: {}, reached: {} };
  const hashes = hashesOf([...tests, ...mutations.map(({ path }) => path)]);
  const isChanged = (path) => kept.hashes[path] !== hashes[path];
  const sources = [...new Set(mutations.map(({ path }) => path))].filter(isChanged);
  const stale = Object.keys(kept.reached).filter((key) => sources.includes(key.split(":")[0]));
  const reachedBefore = new Set(stale.flatMap((key) => kept.reached[key]));
  const changed = tests.filter((test) => isChanged(test) || reachedBefore.has(test));
  const start = Date.now();
  if (changed.length > 0) {
    writeFileSync(log, "");
    const logged = openSync(log, "a");
    const env = { TOOLMOUNT_REACHED: log };
    const words = ["--config", "scripts/mutate.config.mjs"];
    const isGreen = await inPlace(probed(mutations), () =>
      passes(changed, 3_600_000, { words, env, logged }),
    );
    closeSync(logged);
    if (!isGreen) return undefined;
    for (const key of stale) delete kept.reached[key];
    addLog(kept, mutations);
    kept.hashes = hashes;
    writeFileSync(file, JSON.stringify(kept));
  }
  const msOf = (test) => kept.ms[test] ?? 0;
  const filesOf = (mutation) => {
    const reached = mutation.probe === undefined ? tests : (kept.reached[keyOf(mutation)] ?? []);
    const files = tests.filter((test) => reached.includes(test));
    return files.toSorted((a, b) => msOf(a) - msOf(b));
  };
  return { filesOf, msOf, seconds: Math.round((Date.now() - start) / 1000), ran: changed.length };
}

function hashesOf(paths) {
  const hash = (path) =>
    createHash("sha256")
      .update(readFileSync(join(root, path)))
      .digest("hex");
  return Object.fromEntries([...new Set(paths)].map((path) => [path, hash(path)]));
}

const keyOf = ({ path, start, end }) => `${path}:${start}-${end}`;

function probed(mutations) {
  const byPath = Map.groupBy(
    mutations.map((one, number) => ({ ...one, number })),
    ({ path }) => path,
  );
  return [...byPath].map(([path, own]) => [path, (code) => withProbes(code, own, "reachedMutation") + probe]);
}

/** A process that does not know its test file was started by one of those that ran at the time: it counts for each. */
function addLog(kept, mutations) {
  const running = new Map();
  for (const line of readFileSync(log, "utf8").trimEnd().split("\n")) {
    const [word, value, path = ""] = line.split(" ");
    const file = relative(root, path || root);
    if (word === "start") running.set(file, Number(value));
    if (word === "end") {
      kept.ms[file] = Number(value) - running.get(file);
      running.delete(file);
    }
    if (word !== "reached") continue;
    const files = (kept.reached[keyOf(mutations[Number(value)])] ??= []);
    for (const one of file === "" ? running.keys() : [file]) if (!files.includes(one)) files.push(one);
  }
  rmSync(log);
}
