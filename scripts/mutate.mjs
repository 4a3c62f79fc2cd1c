// Changes one token of a package's sources at a time, and runs the package's own tests: `pnpm mutate --each 15 --seed 7`.
// A change that no test notices survives, and is printed with its place. Needs a working tree without changes below the
// packages, since it changes files where they are and puts each back; SIGINT puts the last one back, too.
// Each package's tests have to pass without a change first, otherwise every mutation of it would count as noticed.
import { spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { mutationsOf, numbers } from "./mutations.mjs";

const root = dirname(import.meta.dirname);
const { values } = parseArgs({
  options: {
    packages: { type: "string", default: "all" },
    each: { type: "string", default: "15" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
    workers: { type: "string", default: "2" },
    report: { type: "string", default: ".reports/mutations.json" },
  },
});

/** Tests of minutes: they run only for a mutation that all others let live. */
const slow = /\/(?:kill|storm|race|hostile-plans|lost-connection|conformance)[\w-]*(?:\.test\.ts|\/)/;

const all = globSync("{packages,tools}/*/package.json", { cwd: root }).toSorted().map(dirname);
const packages = values.packages === "all" ? all : values.packages.split(",").map(folderOf);
const results = [];
const cleanMs = new Map();
let restore = () => undefined;
process.once("SIGINT", () => {
  restore();
  process.exit(130);
});

for (const one of draw(packages.length * Number(values.each)).slice(Number(values.from))) {
  const folder = packageOf(one.path);
  if (!cleanMs.has(folder)) cleanMs.set(folder, await passWithoutChange(folder));
  if (cleanMs.get(folder) === undefined) continue;
  const end = await tryMutation(one);
  results.push({ ...one, end });
  console.log(
    `${end} ${one.path}:${one.line}  ${JSON.stringify(one.before)} -> ${JSON.stringify(one.after)}`,
  );
  mkdirSync(dirname(join(root, values.report)), { recursive: true });
  writeFileSync(join(root, values.report), `${JSON.stringify(results, null, 2)}\n`);
}
for (const folder of packages) console.log(figuresOf(folder));
process.exitCode = [...cleanMs.values()].includes(undefined) ? 1 : 0;

/** `core` is packages/core, `bash` is tools/bash, and `tools/testing` is itself. */
function folderOf(name) {
  return [name, `packages/${name}`, `tools/${name}`].find((folder) => existsSync(join(root, folder)));
}

function packageOf(path) {
  return path.split("/").slice(0, 2).join("/");
}

/** How long a package's own tests take, or `undefined` where they fail without any change. */
async function passWithoutChange(folder) {
  const start = performance.now();
  const passed = await passes(testsOf(folder), 3_600_000);
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(
    passed ? `clean ${folder} in ${seconds} s` : `NOT MEASURED ${folder}: its tests fail without a change`,
  );
  return passed ? seconds * 1000 : undefined;
}

function figuresOf(folder) {
  const ends = results.filter(({ path }) => packageOf(path) === folder).map(({ end }) => end);
  const killed = ends.filter((end) => end !== "survived").length;
  return `${folder}: ${killed} of ${ends.length} killed`;
}

/** Draws mutations: a package by turns, so that a small one has as many as a large one, then a place in it. */
function draw(count) {
  const random = numbers(Number(values.seed));
  const pools = packages.map((folder) =>
    globSync(`${folder}/src/**/*.ts`, { cwd: root, exclude: ["**/index.ts", "**/*.d.ts"] })
      .toSorted()
      .flatMap((path) => mutationsOf(path, readFileSync(join(root, path), "utf8"))),
  );
  return Array.from({ length: count }, (_, at) => {
    const pool = pools[at % pools.length];
    return pool.splice(Math.floor(random.next().value * pool.length), 1)[0];
  }).filter((one) => one !== undefined);
}

/** Runs the tests beside the file first, since they most often notice, then the package's others, and then the slow ones. */
async function tryMutation({ path, start, end, after }) {
  const limitMs = 60_000 + 2 * cleanMs.get(packageOf(path));
  const file = join(root, path);
  const code = readFileSync(file, "utf8");
  restore = () => writeFileSync(file, code);
  try {
    writeFileSync(file, code.slice(0, start) + after + code.slice(end));
    for (const tests of stagesOf(path))
      if (tests.length > 0 && !(await passes(tests, limitMs))) return "killed";
    return "survived";
  } finally {
    restore();
  }
}

function stagesOf(path) {
  const folder = packageOf(path);
  const tests = testsOf(folder);
  const mirror = join(folder, "test", relative(join(folder, "src"), path)).replace(/\.ts$/, "");
  const near = tests.filter((test) => test.startsWith(mirror) || dirname(test) === dirname(mirror));
  const rest = tests.filter((test) => !near.includes(test));
  return [
    near.filter((test) => !slow.test(test)),
    rest.filter((test) => !slow.test(test)),
    tests.filter((test) => slow.test(test)),
  ];
}

/** A package's own tests: those in its folder, and those in the folder of its name that need other packages, too. */
function testsOf(folder) {
  return globSync([`${folder}/test/**/*.test.ts`, `test/${basename(folder)}/**/*.test.ts`], {
    cwd: root,
  }).toSorted();
}

/** A mutation that makes tests hang is noticed: the run ends at its limit. */
function passes(tests, limitMs) {
  const words = ["run", "--bail", "1", "--maxWorkers", values.workers, "--reporter", "dot"];
  const child = spawn("vitest", [...words, ...tests], { cwd: root, stdio: "ignore", detached: true });
  const end = () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL");
  const limit = setTimeout(end, limitMs);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(limit);
      resolve(code === 0);
    });
  });
}
