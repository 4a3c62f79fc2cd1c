// Builds, runs the checks and the tests of one job, shows them while they run, and closes with a table and the line
// `N passed, N failed`, also when it is stopped. Jobs: quick (npm test), changed, ci, all. See CONTRIBUTING.md.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { changedSince, reachedTests } from "./affected.mjs";
import { lacks } from "./machine.mjs";
import { forgive, passesAgain, runRing } from "./rings.mjs";
import { Table, printServices } from "./table.mjs";

const root = join(import.meta.dirname, "..");
const reports = join(root, ".reports");
const services = join(reports, "services.txt");
const green = join(root, ".ci/green");

/**
 * The most work of one file of the quick ring, and of all of them, in units of `quick-ring.mjs`, some two milliseconds each.
 * Twice what they do now: what a unit takes differs by a third between a first run and one with compiled sources.
 */
const mostWork = { file: 9000, ring: 120_000 };

/** Minutes after which `.ci/run` and `test:changed` begin no more files; those that are left are named. */
const minutes = { ci: 18, changed: 1.2 };

const table = new Table();
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    if (stopped.signal.aborted) process.exit(130);
    console.log(`\nstopped by ${signal}; the table says what ended before`);
    stopped.abort();
  });

const jobs = {
  async quick() {
    await prepare();
    await tests("quick");
    await startServices();
    await tests("process", { name: "smokes", files: [".smoke."] });
  },
  async changed() {
    const base = process.env.TOOLMOUNT_SINCE ?? "HEAD";
    const files = changedSince(base);
    console.log(`${files.length} changed files since ${base}`);
    await check("types", ["tsc", "-b"]);
    const sources = files.filter((file) => /\.(?:ts|tsx|mjs)$/.test(file) && existsSync(join(root, file)));
    if (sources.length > 0) await check("lint", ["oxlint", "--type-aware", ...sources]);
    await check("format", ["oxfmt", "--check"]);
    await reached(files, ["quick", "process"], minutes.changed);
  },
  async ci() {
    await jobs.quick();
    const base = greenCommit();
    const files = base === undefined ? ["package.json"] : changedSince(base);
    console.log(
      base === undefined
        ? "no commit is known to be green: everything counts as changed"
        : `${files.length} changed files since ${base}`,
    );
    await reached(files, ["process", "load"], minutes.ci);
  },
  async all() {
    await prepare();
    await tests("quick");
    await startServices();
    for (const ring of ["process", "load"]) await tests(ring);
  },
};

const job = process.argv[2] ?? "quick";
mkdirSync(reports, { recursive: true });
rmSync(services, { force: true });
process.env.TOOLMOUNT_TEST_SERVICES = services;
for (const [name, seconds] of Object.entries(JSON.parse(process.env.TOOLMOUNT_STEPS ?? "{}")))
  table.add(name, seconds, {});
sayLacks();
await jobs[job]();
finish();

/** Types, build, lint and what else looks at the whole tree. The tests come after it and have the machine for themselves. */
async function prepare() {
  // One compiler for all packages and tests, because it reads what they share once; the build adds only the bundles.
  const typed = await check("types", ["tsc", "-b"]);
  const built = await check("build", ["turbo", "run", "build", "--output-logs=errors-only"]);
  await check("lint", ["oxlint", "--type-aware"]);
  await check("format", ["oxfmt", "--check"]);
  await check("unused code", ["knip"]);
  await check("packages", ["node", "scripts/check-packages.mjs"]);
  // Tests of the command start what was built, as users do; without a build they start the sources.
  if (typed && built) process.env.TOOLMOUNT_TEST_BUILT = "1";
}

/** Starts Postgres once, for all test files of this run. It ends with the run, however that ends. */
async function startServices() {
  if (stopped.signal.aborted || process.env.TOOLMOUNT_POSTGRES !== undefined) return;
  const words = ["-C", "@toolmount/source", join(root, "scripts/services.mjs")];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const [line = "{}"] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    once(child, "close").then(() => []),
  ]);
  Object.assign(process.env, JSON.parse(line));
  for (const handle of [child, child.stdin, child.stdout]) handle.unref();
}

/** Runs one command to its end; its output is shown only when it fails. */
async function check(name, [command, ...words]) {
  if (stopped.signal.aborted) return false;
  const begin = Date.now();
  const child = spawn(command, words, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    signal: stopped.signal,
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const passed = await new Promise((resolve) => {
    child.on("error", (error) => output.push(`cannot run ${command}: ${error.message}\n`) && resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
  if (stopped.signal.aborted) return false;
  const seconds = (Date.now() - begin) / 1000;
  const failures = passed ? [] : [{ file: undefined, title: name }];
  table.add(name, seconds, { passed: Number(passed), failed: Number(!passed), failures });
  console.log(`${passed ? "✓" : "✗"} ${name}: ${seconds.toFixed(0)} s`);
  if (!passed) console.log(Buffer.concat(output.map((chunk) => Buffer.from(chunk))).toString());
  return passed;
}

/** Runs a ring, or some files of it, as a row of the table. */
async function tests(ring, { name = ring, title = name, files = [] } = {}) {
  if (stopped.signal.aborted) return;
  const begin = Date.now();
  const seen = await runRing(ring, { name: title, files, signal: stopped.signal });
  // The night is there to find what depends on the moment, so it forgives nothing.
  if (await passesAgain(ring, seen, stopped.signal)) forgive(seen, job !== "all");
  if (ring === "quick" && files.length === 0) seen.failed += overBudget(seen);
  table.add(name, (Date.now() - begin) / 1000, seen);
}

/** The quick ring stays quick: by work that is counted in processor time of a known task, which a busy machine does not change. */
function overBudget({ files }) {
  const problems = files
    .filter(({ work = 0 }) => work > mostWork.file)
    .map(
      ({ file, work }) =>
        `${file} does ${work.toFixed(0)} units of work, and ${mostWork.file} are allowed: make it smaller, or name it *.load.test.ts`,
    );
  const all = files.reduce((sum, { work = 0 }) => sum + work, 0);
  if (all > mostWork.ring)
    problems.push(`the quick ring does ${all.toFixed(0)} units of work, and ${mostWork.ring} are allowed`);
  for (const problem of problems) console.log(`✗ ${problem}`);
  console.log(`quick: ${all.toFixed(0)} of ${mostWork.ring} units of work`);
  return problems.length;
}

/** Runs the tests of some rings that a change reaches, the nearest first, until the minutes are used up; names the rest. */
async function reached(changed, rings, most) {
  const begin = Date.now();
  // Where the minutes do not suffice, each commit runs another part.
  const all = reachedTests(changed, headCommit());
  const left = [];
  for (const ring of rings) {
    const files = all.filter((file) => ringOf(file) === ring && !(job === "ci" && file.includes(".smoke.")));
    // The quick ring is one run; the others begin a few files at a time, so that the minutes can be counted.
    const size = ring === "quick" ? Math.max(1, files.length) : availableParallelism() * 6;
    for (let at = 0; at < files.length; at += size) {
      const group = files.slice(at, at + size);
      if (Date.now() - begin > most * 60_000) left.push(...group);
      else {
        const title = `${ring}, from ${at + 1} of ${files.length}`;
        await tests(ring, { name: `${ring}, reached`, title, files: group });
      }
    }
  }
  writeFileSync(join(reports, "left.txt"), left.map((file) => `${file}\n`).join(""));
  console.log(
    left.length === 0
      ? "every test that the change reaches has run"
      : `${left.length} files that the change reaches are left for the night: .reports/left.txt names them`,
  );
}

function ringOf(file) {
  if (file.endsWith(".load.test.ts")) return "load";
  return file.endsWith(".process.test.ts") ? "process" : "quick";
}

function headCommit() {
  return execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
}

/** After a whole run that passed on a committed tree: the next CI begins there. */
function noteGreen() {
  const changed = execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  if (changed !== "") return;
  writeFileSync(green, `${headCommit()}\n`);
  console.log("everything passed on this commit: commit .ci/green, and the next CI begins there");
}

/** The newest commit on which everything passed: what `.ci/green` says, or the base of a pull request. */
function greenCommit() {
  if (process.env.TOOLMOUNT_SINCE) return process.env.TOOLMOUNT_SINCE;
  return existsSync(green) ? readFileSync(green, "utf8").trim() || undefined : undefined;
}

/** Says what this machine lacks: before the tests, and again at the end where something failed, as a disk can become full. */
function sayLacks() {
  for (const line of lacks()) console.log(`⚠ ${line}`);
}

function finish() {
  table.print();
  printServices(services);
  table.write(join(reports, "table.json"), job);
  const failed = table.sum("failed") + Number(stopped.signal.aborted);
  if (job === "all" && failed === 0) noteGreen();
  if (failed > 0) sayLacks();
  if (stopped.signal.aborted) console.log("stopped before its end, which counts as one failure");
  if (table.sum("skipped") > 0) console.log(`${table.sum("skipped")} skipped`);
  console.log(`${table.sum("passed")} passed, ${failed} failed`);
  process.exit(stopped.signal.aborted ? 130 : Math.min(failed, 1));
}
