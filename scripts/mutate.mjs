// Changes one token of a package's sources at a time, and runs the package's own tests: `pnpm mutate --each 15 --seed 7`.
// A change that no test notices survives, and is printed with its place. Needs a working tree without changes below the
// packages, since it changes files where they are and puts each back; SIGINT puts the last ones back, too.
// Each package's tests have to pass without a change first, otherwise every mutation of it would count as noticed. That pass
// finds out which test files reach which place: only those run for a mutation, the quickest first.
import { spawn } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { mutationsOf, numbers } from "./mutations.mjs";
import { cleanPass, logDescriptor } from "./reached.mjs";

const root = dirname(import.meta.dirname);
const { values } = parseArgs({
  options: {
    packages: { type: "string", default: "all" },
    each: { type: "string", default: "15" },
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: "2" },
    // Counts a place that no test reaches as survived without a run. Behind a border a probe cannot say that it is reached.
    "trust-probes": { type: "boolean", default: false },
    report: { type: "string", default: ".reports/mutations.json" },
  },
});

const everything = globSync("{packages,tools}/*/package.json", { cwd: root }).toSorted().map(dirname);
const packages = values.packages === "all" ? everything : values.packages.split(",").map(folderOf);
const results = [];
/** What the last run of tests printed. */
const outputOfTests = ".reports/mutated-tests.log";
let restore = () => undefined;
let endTests = () => undefined;
process.once("SIGINT", () => {
  endTests();
  restore();
  process.exit(130);
});

for (const folder of packages) {
  const tests = testsOf(folder);
  const all = allMutations(folder);
  const clean = await cleanPass(folder, tests, all, { passes, inPlace });
  if (clean === undefined) {
    const failed = `.reports/failed-${basename(folder)}.log`;
    copyFileSync(join(root, outputOfTests), join(root, failed));
    console.log(`NOT MEASURED ${folder}: its tests fail without a change, see ${failed}`);
    process.exitCode = 1;
    continue;
  }
  console.log(
    `clean ${folder} in ${clean.seconds} s (${clean.ran} of ${tests.length} files are new or changed)`,
  );
  const drawn = draw(all);
  const unreached = drawn.filter((one) => clean.filesOf(one).length === 0);
  // What no test reaches runs together: where every test still passes, each of them survives.
  const isTried = unreached.length > 0 && !values["trust-probes"];
  const isNoticed = isTried && (await tryMutations(unreached, tests, clean)) === "killed";
  let killed = 0;
  for (const one of drawn) {
    const files = unreached.includes(one) && isNoticed ? tests : clean.filesOf(one);
    const end = await tryMutations([one], files, clean);
    if (end === "killed") killed += 1;
    report(one, end, files.length);
  }
  console.log(`${folder}: ${killed} of ${drawn.length} killed (seed ${values.seed})`);
}

/** `core` is packages/core, `bash` is tools/bash, and `tools/testing` is itself. */
function folderOf(name) {
  return [name, `packages/${name}`, `tools/${name}`].find((folder) => existsSync(join(root, folder)));
}

function allMutations(folder) {
  return globSync(`${folder}/src/**/*.ts`, { cwd: root, exclude: ["**/index.ts", "**/*.d.ts"] })
    .toSorted()
    .flatMap((path) => mutationsOf(path, readFileSync(join(root, path), "utf8")));
}

/** The same seed draws the same ones. */
function draw(mutations) {
  const random = numbers(Number(values.seed));
  const pool = [...mutations];
  const count = Math.min(Number(values.each), pool.length);
  return Array.from(
    { length: count },
    () => pool.splice(Math.floor(random.next().value * pool.length), 1)[0],
  );
}

/** A package's own tests: those in its folder, and those in folders of its name that need other packages or the command. */
function testsOf(folder) {
  const name = basename(folder);
  const folders = [`${folder}/test`, `test/${name}`, `packages/cli/test/${name}`];
  return globSync(
    folders.map((one) => `${one}/**/*.test.ts`),
    { cwd: root },
  ).toSorted();
}

/** Whether a test file notices the mutations: the quick files run first, so that most are noticed in seconds. */
function tryMutations(mutations, files, clean) {
  const changes = mutations
    .toSorted((a, b) => a.start - b.start)
    .map(({ path, start, end, after }) => [path, (code) => code.slice(0, start) + after + code.slice(end)]);
  return inPlace(changes, async () => {
    for (const stage of stagesOf(files, clean.msOf))
      if (!(await passes(stage.files, stage.limitMs))) return "killed";
    return "survived";
  });
}

/** The files of the first ten seconds, those of the first minute, and the others. */
function stagesOf(files, msOf) {
  const stages = [10_000, 60_000, Infinity].map((untilMs) => ({ untilMs, files: [], limitMs: 60_000 }));
  let sum = 0;
  for (const file of files) {
    sum += msOf(file);
    const stage = stages.find(({ untilMs }) => sum <= untilMs);
    stage.files.push(file);
    stage.limitMs += 3 * msOf(file);
  }
  return stages.filter((stage) => stage.files.length > 0);
}

/** Does the work while files are changed, and puts them back. */
async function inPlace(changes, work) {
  const codes = new Map(changes.map(([path]) => [path, readFileSync(join(root, path), "utf8")]));
  restore = () => codes.forEach((code, path) => writeFileSync(join(root, path), code));
  try {
    // The last place first, so that the others stay where they were.
    for (const [path, change] of changes.toReversed()) {
      const file = join(root, path);
      writeFileSync(file, change(readFileSync(file, "utf8")));
    }
    return await work();
  } finally {
    restore();
  }
}

/** A mutation that makes tests hang is noticed: the run ends at its limit. `logged` is a descriptor for all its processes. */
function passes(tests, limitMs, { workers = values.workers, words = [], env = {}, logged } = {}) {
  const run = ["run", "--bail", "1", "--maxWorkers", workers, "--reporter", "dot", ...words, ...tests];
  mkdirSync(dirname(join(root, outputOfTests)), { recursive: true });
  const output = openSync(join(root, outputOfTests), "w");
  const stdio = ["ignore", output, output];
  if (logged !== undefined) stdio.push(...Array(logDescriptor - stdio.length).fill("ignore"), logged);
  const child = spawn("vitest", run, {
    cwd: root,
    stdio,
    detached: true,
    env: { ...process.env, ...env },
  });
  endTests = () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL");
  const limit = setTimeout(endTests, limitMs);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(limit);
      endTests = () => undefined;
      closeSync(output);
      resolve(code === 0);
    });
  });
}

function report({ path, line, before, after }, end, files) {
  results.push({ path, line, before, after, end, files });
  console.log(
    `${end} ${path}:${line}  ${JSON.stringify(before)} -> ${JSON.stringify(after)}  (${files} files reach it)`,
  );
  mkdirSync(dirname(join(root, values.report)), { recursive: true });
  writeFileSync(join(root, values.report), `${JSON.stringify(results, null, 2)}\n`);
}
