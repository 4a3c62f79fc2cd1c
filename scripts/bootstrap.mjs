// From a fresh clone and any Node from 18 on to a running job: `node scripts/bootstrap.mjs demo`.
// Plain JavaScript with no dependency, because nothing is installed yet when it starts.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const toolchain = join(root, ".toolchain");
const binaries = [join(toolchain, "node_modules", ".bin"), join(root, "node_modules", ".bin")];

const jobs = {
  build() {
    step("building", () => run("turbo", ["run", "build", "--output-logs=errors-only"], { quiet: true }));
  },
  /** Shows the main job on this repository. */
  demo() {
    jobs.build();
    run("node", ["scripts/demo.mjs"]);
  },
  /** Everything that must pass. */
  test() {
    run("node", ["scripts/check.mjs"]);
  },
  /** What a pull request must pass: the checks of what it changes, and those that look at the whole. */
  affected() {
    jobs.build();
    run("turbo", ["run", "types", "pack:check", "test", "--affected", "--concurrency=2"]);
    run("turbo", ["run", "lint", "unused"]);
    run("vitest", ["run", "--project", "cross*"]);
  },
};

const job = jobs[process.argv[2]];
if (job === undefined) {
  console.error(`usage: node scripts/bootstrap.mjs ${Object.keys(jobs).join(" | ")}`);
  process.exit(2);
}
installToolchain();
installWorkspace();
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
  step("installing the packages of the lockfile", () => run("pnpm", ["install", ...options]));
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

/** Says what is done now, and how long it took, to who waits for it. */
function step(name, work) {
  const begin = performance.now();
  console.log(`${name} …`);
  work();
  console.log(`${name}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
}

/** Runs a command to its end with the toolchain first on PATH, and ends this process when it fails. */
function run(command, args, { cwd = root, quiet = false } = {}) {
  const path = [...binaries, process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: "1" };
  const stdio = ["inherit", quiet ? "pipe" : "inherit", "inherit"];
  const { status, stdout, error } = spawnSync(command, args, { cwd, env, stdio });
  if (status === 0) return;
  if (error !== undefined) console.error(`cannot run ${command}: ${error.message}`);
  if (quiet && stdout !== null) writeSync(1, stdout);
  process.exit(status ?? 1);
}
