// Changes one token of a package's sources at a time, and says which changes the package's own tests do not notice:
// `pnpm mutate --packages policy`. Without `--each`, it tries all of them.
//
// All changes are written into the sources at once, each behind a switch, so a test process tries many of them. A first pass
// without a change has to be green, and says which test reaches which. Then each test runs once for each that it reaches and
// no other test has noticed, the quickest first (mutate-runner.mjs). What runs only while a module is imported costs a
// process each. Needs a working tree of its own: the sources are put back at the end, also on SIGINT and SIGTERM.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { descriptors, Hunt } from "./mutate-tests.mjs";
import { mutationsOf, numbers, withSwitches } from "./mutations.mjs";

const root = dirname(import.meta.dirname);
const { values } = parseArgs({
  options: {
    packages: { type: "string", default: "all" },
    /** Part of the paths of sources. */
    only: { type: "string", default: "" },
    /** Part of the paths of test files. */
    tests: { type: "string", default: "" },
    each: { type: "string", default: "Infinity" },
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: "2" },
    /** Milliseconds of the slowest test that is repeated for every mutation. */
    slowest: { type: "string", default: "Infinity" },
    /** How many tests that are slower are tried for a mutation that no other test notices, the most specific first. */
    slow: { type: "string", default: "4" },
    /** How many tests are tried for a mutation, the most specific first: a quick look where hundreds of tests reach a place. */
    depth: { type: "string", default: "Infinity" },
    /** How many of those that run only while a module is imported are tried; the others are not counted. */
    static: { type: "string", default: "Infinity" },
  },
});

const everything = globSync("{packages,tools}/*/package.json", { cwd: root }).toSorted().map(dirname);
const packages = values.packages === "all" ? everything : values.packages.split(",").map(folderOf);
/** What each changed source was. */
const sources = new Map();
const restore = () => sources.forEach((code, path) => writeFileSync(join(root, path), code));
process.once("exit", restore);
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
])
  process.once(signal, () => process.exit(code));

/**
 * Appended to each source. What a border forbids, environment variables and files, comes through inherited descriptors: a
 * process without the variables may live longer than a test, so it looks each time.
 */
const switchCode = `
function mutated(number) {
  const state = globalThis.mutations ?? startMutations();
  const isOn = (state.readActive === undefined ? state.active : state.readActive()) === number;
  if (!state.reached.has(number)) {
    state.reached.add(number);
    state.report?.(number);
  }
  return isOn;
}
function startMutations() {
  const { readSync, writeSync } = process.getBuiltinModule("node:fs");
  const read = (descriptor) => {
    const bytes = Buffer.alloc(4096);
    try {
      return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytes.length, 0));
    } catch {
      return "";
    }
  };
  const readActive = () => Number.parseInt(read(${descriptors.active}), 10);
  const { MUTATE_TEST: test, MUTATE_PROCESS: owner } = process.env;
  const report = (number) => {
    try {
      const place = owner === undefined ? JSON.parse(read(${descriptors.place}) || "{}") : { test };
      writeSync(${descriptors.reached}, JSON.stringify({ kind: "reached", ...place, mutations: [number] }) + "\\n");
    } catch {}
  };
  const state = { active: readActive(), reached: new Set(), report };
  if (owner === undefined) state.readActive = readActive;
  return (globalThis.mutations = state);
}
`;

for (const folder of packages) await measure(folder);

async function measure(folder) {
  const paths = globSync(`${folder}/src/**/*.ts`, { cwd: root, exclude: ["**/index.ts", "**/*.d.ts"] });
  const chosen = paths.toSorted().filter((path) => path.includes(values.only));
  for (const path of chosen) sources.set(path, readFileSync(join(root, path), "utf8"));
  const all = chosen.flatMap((path) => mutationsOf(path, sources.get(path)));
  const drawn = draw(all).map((one, number) => ({ ...one, number }));
  for (const [path, own] of Map.groupBy(drawn, (one) => one.path)) writeSwitches(path, own);
  const reports = join(root, ".reports", `mutate-${basename(folder)}`);
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const hunt = new Hunt(reports, testsOf(folder), {
    workers: values.workers,
    slowestMs: Number(values.slowest),
    slowDepth: Number(values.slow),
    depth: Number(values.depth),
    mostStatic: Number(values.static),
  });
  const list = `.reports/survivors-${basename(folder)}.txt`;
  const write = (ends, soFar) => {
    const summary = `${summaryOf(folder, drawn, ends)}${soFar}`;
    writeFileSync(join(root, list), `${summary}\n${listOf(drawn, ends)}`);
    return summary;
  };
  // A run that is ended leaves what it found.
  const ends = await hunt.run(drawn, (ended) => write(ended, ", so far"));
  restore();
  sources.clear();
  if (ends === undefined) {
    console.log(`NOT MEASURED ${folder}: its tests fail without a change, see ${hunt.log}`);
    process.exitCode = 1;
    return;
  }
  console.log(`${write(ends, "")}. Those that survive: ${list}`);
}

/** `core` is packages/core, `bash` is tools/bash, and `tools/testing` is itself. */
function folderOf(name) {
  return [name, `packages/${name}`, `tools/${name}`].find((folder) => existsSync(join(root, folder)));
}

/** The same seed draws the same ones. */
function draw(mutations) {
  const each = Number(values.each);
  if (each >= mutations.length) return mutations;
  const random = numbers(Number(values.seed));
  const pool = [...mutations];
  return Array.from({ length: each }, () => pool.splice(Math.floor(random.next().value * pool.length), 1)[0]);
}

/**
 * A package's own tests: those in its folder, those in folders of its name that need other packages or the command, and the test
 * of the bounds of all configs.
 */
function testsOf(folder) {
  const name = basename(folder);
  const folders = [`${folder}/test`, `test/${name}`, `packages/cli/test/${name}`];
  const found = globSync(["test/config-bounds.test.ts", ...folders.map((one) => `${one}/**/*.test.ts`)], {
    cwd: root,
  });
  return found.toSorted().filter((path) => path.includes(values.tests));
}

function writeSwitches(path, own) {
  writeFileSync(join(root, path), withSwitches(sources.get(path), own) + switchCode);
}

function summaryOf(folder, drawn, ends) {
  const counts = Map.groupBy(drawn, ({ number }) => ends.get(number));
  const of = (end) => counts.get(end)?.length ?? 0;
  const tried = drawn.length - of("not tried");
  const seed = drawn.length === Number(values.each) ? ` (seed ${values.seed})` : "";
  const share = `${((100 * of("killed")) / Math.max(tried, 1)).toFixed(1)} %`;
  return `${folder}: ${of("killed")} of ${tried} killed, ${share}${seed}; ${of("not reached")} not reached, ${of("not tried")} not tried`;
}

function listOf(drawn, ends) {
  const alive = drawn.filter(({ number }) => ends.get(number) !== "killed");
  const paths = [...Map.groupBy(alive, ({ path }) => path)].toSorted(([, a], [, b]) => b.length - a.length);
  const short = (text) => text.replaceAll(/\s+/g, " ").slice(0, 90);
  const lines = paths.map(([path, own]) => [
    `\n${path}: ${own.length}`,
    ...own
      .toSorted((a, b) => a.line - b.line)
      .map(
        ({ line, number, before, after }) =>
          `  ${line} ${ends.get(number)}: ${short(before)} -> ${short(after)}`,
      ),
  ]);
  return `${lines.flat().join("\n")}\n`;
}
