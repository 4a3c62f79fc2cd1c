// From a fresh clone and any Node from 18 on to a running job: `node scripts/bootstrap.mjs demo`.
// Plain JavaScript with no dependency, because nothing is installed yet when it starts.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const toolchain = join(root, ".toolchain");
const binaries = [join(toolchain, "node_modules", ".bin"), join(root, "node_modules", ".bin")];

const jobs = {
  build() {
    step("build", () => run("turbo", ["run", "build", "--output-logs=errors-only"], { quiet: true }));
  },
  /** Shows the main job on this repository. */
  demo() {
    jobs.build();
    run("node", ["scripts/demo.mjs"]);
  },
  /** What everybody runs before a commit; with words, only these tests. */
  test: () => (words.length > 0 ? run("vitest", ["run", ...words]) : check("quick")),
  /** Everything that must pass. */
  "test:all": () => check("all"),
  /** What the changes reach that are not committed, or since TOOLMOUNT_SINCE. */
  "test:changed": () => check("changed"),
  /** What `.ci/run` runs. */
  ci: () => check("ci"),
};

/** Seconds of each step, for the table at the end. */
const steps = {};

const [jobName, ...words] = process.argv.slice(2);
const job = jobs[jobName];
if (job === undefined) {
  console.error(`usage: node scripts/bootstrap.mjs ${Object.keys(jobs).join(" | ")}`);
  process.exit(2);
}
step("toolchain", installToolchain);
step("install", installWorkspace);
linkNode();
job();

/** Puts the Node of `.node-version` and the pnpm of `packageManager` into `.toolchain/`, once. */
function installToolchain() {
  const node = readFileSync(join(root, ".node-version"), "utf8").trim();
  const pnpm = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).packageManager.split("@")[1];
  if (installedVersion("node") === node && installedVersion("pnpm") === pnpm) return;

  console.log(`installing node ${node} and pnpm ${pnpm} into .toolchain/`);
  mkdirSync(toolchain, { recursive: true });
  writeFileSync(join(toolchain, "package.json"), '{ "private": true }\n');
  const versions = [`node@${node}`, `pnpm@${pnpm}`];
  const options = ["--loglevel=error", "--no-audit", "--no-fund", ...versions];
  run("npm", ["install", ...options], { cwd: toolchain });
}

/** Installs what the lockfile says; from what is already on this machine where that is enough. */
function installWorkspace() {
  const options = ["--frozen-lockfile", "--prefer-offline", "--reporter=append-only", "--loglevel=warn"];
  run("pnpm", ["install", ...options]);
}

/** Commands in `node_modules/.bin` run with the `node` beside them, whichever Node the machine has. */
function linkNode() {
  const link = join(root, "node_modules", ".bin", "node");
  rmSync(link, { force: true });
  symlinkSync(join("..", "..", ".toolchain", "node_modules", ".bin", "node"), link);
}

function installedVersion(name) {
  const manifest = join(toolchain, "node_modules", name, "package.json");
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).version : undefined;
}

/** Starts the checks of a job. They get the signals of this process, so that a run that is stopped prints its table. */
function check(kind) {
  const env = { ...environment(), TOOLMOUNT_STEPS: JSON.stringify(steps) };
  const child = spawn("node", ["scripts/check.mjs", kind], { cwd: root, env, stdio: "inherit" });
  child.on("error", (error) => console.error(`cannot run the checks: ${error.message}`));
  // A terminal gives Ctrl-C to both processes; a second one would end the child without its table.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("close", (code) => process.exit(code ?? 1));
}

/** The toolchain first on PATH. */
function environment() {
  const path = [...binaries, process.env.PATH].join(delimiter);
  return { ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: "1" };
}

/** Says what is done now, and how long it took, to who waits for it. */
function step(title, work) {
  const begin = performance.now();
  console.log(`${title} …`);
  work();
  steps[title] = (performance.now() - begin) / 1000;
  console.log(`${title}: ${steps[title].toFixed(1)} s`);
}

/** Runs a command to its end with the toolchain first on PATH, and ends this process when it fails. */
function run(command, args, { cwd = root, quiet = false } = {}) {
  const env = environment();
  const stdio = ["inherit", quiet ? "pipe" : "inherit", "inherit"];
  const { status, stdout, error } = spawnSync(command, args, { cwd, env, stdio });
  if (status === 0) return;
  if (error !== undefined) console.error(`cannot run ${command}: ${error.message}`);
  if (quiet && stdout !== null) writeSync(1, stdout);
  process.exit(status ?? 1);
}
