// Runs test files by Vitest and shows it: how many of how many files, each failure at once with the shortest way to run it
// again. What the tests themselves print goes to a file.
import { spawn } from "node:child_process";
import { mkdirSync, openSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..");

/** Milliseconds without any news after which a run hangs: longer than the longest limit of a test, whatever the load. */
const silence = 70 * 60_000;

/**
 * Runs one ring, or some files of it: `ring` is a project of vitest.config.ts. Returns counts and the files, also when the run
 * was stopped by `signal` or Vitest died; what had not ended then is in `left`.
 */
export async function runRing(
  ring,
  {
    name = ring,
    files = [],
    env = {},
    signal,
    log = join(root, ".reports", `${name.replaceAll(/\W+/g, "-")}.log`),
  },
) {
  const seen = {
    files: [],
    passed: 0,
    skipped: 0,
    failed: 0,
    failures: [],
    total: 0,
    running: new Set(),
    log: relative(root, log),
  };
  const show = progress(name, seen);
  mkdirSync(join(root, ".reports"), { recursive: true });
  const output = openSync(log, "w");
  const words = ["run", "--project", ring, "--silent=passed-only", "--reporter=./scripts/reporter.mjs"];
  const child = spawn(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), ...words, ...files], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", output, output, "ipc"],
  });
  const stop = () => child.kill("SIGTERM");
  signal?.addEventListener("abort", stop);
  const hangs = watchSilence(child, seen);
  let ended = false;
  child.on("message", (event) => {
    hangs.refresh();
    if (event.kind === "start") seen.total += event.files;
    if (event.kind === "file-start") seen.running.add(event.file);
    if (event.kind === "file") noteFile(seen, event);
    for (const failure of event.failures ?? []) {
      seen.failures.push({ file: event.file, title: failure.title });
      show.failure(event.file, failure);
    }
    if (event.kind === "end") {
      ended = true;
      seen.failed += event.failures.length;
    }
    show.progress();
  });
  const code = await new Promise((resolve) => child.on("close", (status, by) => resolve(by ?? status)));
  clearTimeout(hangs);
  signal?.removeEventListener("abort", stop);
  if (!ended && signal?.aborted !== true) noteDeath(seen, code, show);
  show.end();
  return seen;
}

/** Files with failures that are run a second time; more have one cause, which is no moment's. */
const mostTriedAgain = 3;

/** Whether the few files of a run that have failures pass when they run once more, alone. */
export async function passesAgain(ring, { failures }, signal) {
  const files = [...new Set(failures.map(({ file }) => file))];
  if (files.length === 0 || files.length > mostTriedAgain || files.includes(undefined)) return false;
  const again = await runRing(ring, { name: `${ring}, again`, files, signal });
  return again.failed === 0 && again.passed > 0;
}

/** Notes failures as those that depend on the moment: they are named at the end, and fail the run only where `isPassed` is not set. */
export function forgive(seen, isPassed) {
  seen.unsteady = seen.failures;
  if (!isPassed) return;
  seen.passed += seen.failed;
  seen.failed = 0;
  seen.failures = [];
}

function noteFile(seen, { file, passed, skipped, failures, seconds, work }) {
  seen.running.delete(file);
  seen.files.push({ file, tests: passed + failures.length, seconds, work });
  seen.passed += passed;
  seen.skipped += skipped;
  seen.failed += failures.length;
}

/** A run that ends without its end is one failure, with what was running then. */
function noteDeath(seen, code, show) {
  seen.failed++;
  const running = [...seen.running].join(", ") || "no file";
  seen.failures.push({ file: undefined, title: "the run" });
  const message = `Vitest ended early (${code}) while these ran: ${running}. Its last words are in ${seen.log}`;
  show.failure(undefined, { title: "the run", message });
}

function watchSilence(child, seen) {
  return setTimeout(() => {
    console.error(
      `\nno news for ${silence / 60_000} minutes; these files hang: ${[...seen.running].join(", ")}`,
    );
    child.kill("SIGKILL");
  }, silence);
}

/** Shows a run: one line that is written again at a terminal, else a line for each tenth. */
function progress(name, seen) {
  const begin = Date.now();
  let tenths = 0;
  const line = () => {
    const seconds = Math.round((Date.now() - begin) / 1000);
    const failed = seen.failed === 0 ? "" : `, ${seen.failed} failed`;
    return `${name}: ${seen.files.length} of ${seen.total} files, ${seen.passed} tests passed${failed}, ${seconds} s`;
  };
  const clear = () => process.stdout.isTTY && process.stdout.write("\r\u001b[K");
  return {
    progress() {
      const now = Math.floor((10 * seen.files.length) / Math.max(1, seen.total));
      if (process.stdout.isTTY) process.stdout.write(`\r${line()}\u001b[K`);
      else if (now > tenths) console.log(line());
      tenths = Math.max(tenths, now);
    },
    failure(file, { title, message, diff, at }) {
      clear();
      const lines = [`✗ ${nameOf(file, title)}`, ...indented(message, 30)];
      if (diff !== undefined && !message.includes(diff)) lines.push(...indented(diff, 60));
      if (at) lines.push(`    at ${relative(root, at)}`);
      if (file !== undefined) lines.push(`    again: ${againOf(file, title)}`);
      console.log(lines.join("\n"));
    },
    end() {
      clear();
      if (process.stdout.isTTY || seen.files.length < seen.total) console.log(line());
    },
  };
}

/** A failed test as a person reads it. */
export const nameOf = (file, title) => [file, title].filter(Boolean).join(" › ");

/** The shortest command that runs one test again. */
export const againOf = (file, title) => `npm test -- ${file}${title === "" ? "" : ` -t ${quoted(title)}`}`;

const indented = (text, most) =>
  text
    .split("\n")
    .slice(0, most)
    .map((line) => `    ${line}`);

/** A title as a shell and a regular expression of Vitest take it. */
function quoted(title) {
  const words = title.replaceAll(" > ", " ").replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return `'${words.replaceAll("'", String.raw`'\''`)}'`;
}
