// Builds, runs every check, and closes with the line `N passed, N failed`: vitest's tests, and each other task of
// turbo as one. The tests come last and alone, so that their deadlines have the machine for themselves.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const summaries = join(root, ".turbo", "runs");
const report = join(root, ".reports", "vitest.json");
const services = join(root, ".reports", "services.txt");

// What an earlier run left would be counted as this one's.
rmSync(report, { force: true });
rmSync(services, { force: true });
mkdirSync(dirname(services), { recursive: true });

// One compiler for all packages and tests, because it reads what they share once. Only where it finds something wrong,
// each package has a task of its own, which reports it.
const hasTypes = spawnSync("tsc", ["-b"], { cwd: root }).status === 0;
const build = countTasks(["build"]);
const checks = countTasks([...(hasTypes ? [] : ["types"]), "lint", "unused", "packages"]);
const tasks = {
  passed: build.passed + checks.passed + Number(hasTypes),
  failed: atLeastOneUnless(hasTypes, build.failed + checks.failed),
};
// Tests of the command start what was built, as users do; without a build they start the sources.
if (tasks.failed === 0) process.env["TOOLMOUNT_TEST_BUILT"] = "1";
process.env["TOOLMOUNT_TEST_SERVICES"] = services;
const tests = countTests(turbo("vitest"));

printServices();
if (tests.skipped > 0) console.log(`${tests.skipped} skipped`);
console.log(`${tasks.passed + tests.passed} passed, ${tasks.failed + tests.failed} failed`);
process.exit(tasks.failed + tests.failed === 0 ? 0 : 1);

/** Runs turbo tasks in every package, the rest also when one fails, and returns whether all passed. */
function turbo(...names) {
  const options = ["--continue=dependencies-successful", "--summarize", "--output-logs=new-only"];
  const { status } = spawnSync("turbo", ["run", ...names, ...options], { cwd: root, stdio: "inherit" });
  return status === 0;
}

/** Runs tasks and counts them; what turbo left out because another failed is not counted. */
function countTasks(names) {
  rmSync(summaries, { recursive: true, force: true });
  const allPassed = turbo(...names);
  const [summary] = existsSync(summaries) ? readdirSync(summaries) : [];
  const { tasks: ran } = summary === undefined ? { tasks: [] } : readJson(join(summaries, summary));
  const failed = ran.filter(({ execution }) => execution?.exitCode !== 0).length;
  return { passed: ran.length - failed, failed: atLeastOneUnless(allPassed, failed) };
}

/** Counts vitest's tests; a file that fails to load has none, and is one failure. */
function countTests(allPassed) {
  const { testResults: files } = existsSync(report) ? readJson(report) : { testResults: [] };
  const statuses = files.flatMap((file) =>
    file.assertionResults.length === 0 ? [file.status] : file.assertionResults.map(({ status }) => status),
  );
  const passed = statuses.filter((status) => status === "passed").length;
  const failed = statuses.filter((status) => status === "failed").length;
  const skipped = statuses.length - passed - failed;
  return { passed, failed: atLeastOneUnless(allPassed, failed), skipped };
}

/** Prints which services the tests have started on this machine, and how often. */
function printServices() {
  const started = existsSync(services) ? readFileSync(services, "utf8").trim().split("\n") : [];
  const counts = Map.groupBy(started, (name) => name);
  for (const [name, each] of counts) console.log(`started ${each.length} times: ${name}`);
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** A run that failed without a failure to count, such as an error outside any test, is one. */
function atLeastOneUnless(passed, failed) {
  return passed ? failed : Math.max(failed, 1);
}
