// Runs test files by Vitest and shows it: how many of how many files, each failure at once with the shortest way to run it
// again. What the tests themselves print goes to a file.
import { spawn } from "node:child_process";
import { mkdirSync, openSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..");

/** Minutes without any news after which a run hangs: longer than the limit of a test of its ring in vitest.config.ts. */
const silentMinutes = { quick: 8, process: 20, load: 65 };

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
    silenceMs = silentMinutes[ring] * 60_000,
    log = join(root, ".reports", `${name.replaceAll(/\W+/g, "-")}.log`),
  },
) {
  const seen = {
    files: [],
    passed: 0,
    skipped: 0,
    failed: 0,
    failures: [],
    hangs: false,
    /** Files that have not begun. */
    left: new Set(),
    total: 0,
    running: new Set(),
    log: relative(root, log),
  };
  const show = progress(name, seen);
  mkdirSync(join(root, ".reports"), { recursive: true });
  const options = { env, signal, silenceMs, output: openSync(log, "w") };
  for (let chosen = files; ; chosen = [...seen.left]) {
    const { ended, code } = await runVitest(ring, chosen, seen, show, options);
    if (ended || signal?.aborted === true) break;
    noteDeath(seen, code, show);
    if (seen.left.size === 0) break;
  }
  show.end();
  return seen;
}

/** Runs Vitest once, to its end or to its death. */
async function runVitest(ring, files, seen, show, { env, signal, silenceMs, output }) {
  const words = ["run", "--project", ring, "--silent=passed-only", "--reporter=./scripts/reporter.mjs"];
  const child = spawn(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), ...words, ...files], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", output, output, "ipc"],
  });
  const stop = () => child.kill("SIGTERM");
  signal?.addEventListener("abort", stop);
  let ended = false;
  const silence = setTimeout(() => {
    seen.hangs = true;
    child.kill("SIGKILL");
  }, silenceMs);
  child.on("message", (event) => {
    silence.refresh();
    if (event.kind === "test") return;
    note(seen, event);
    for (const failure of event.failures ?? []) show.failure(event.file, failure);
    ended ||= event.kind === "end";
    show.progress();
  });
  const code = await new Promise((resolve) => child.on("close", (status, by) => resolve(by ?? status)));
  clearTimeout(silence);
  signal?.removeEventListener("abort", stop);
  return { ended, code };
}

/** Files with failures that are run a second time; more have one cause, which is no moment's. */
const mostTriedAgain = 3;

/** Whether the few files of a run that have failures pass when they run once more, alone. What hangs would cost its minutes again. */
export async function passesAgain(ring, { failures, hangs }, signal) {
  const files = [...new Set(failures.map(({ file }) => file))];
  if (hangs || files.length === 0 || files.length > mostTriedAgain || files.includes(undefined)) return false;
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

function note(seen, event) {
  const { kind, file, failures = [] } = event;
  if (kind === "start" && seen.total === 0) seen.total = event.files.length;
  if (kind === "start") seen.left = new Set(event.files);
  if (kind === "file-start") seen.running.add(file);
  if (kind === "file-start") seen.left.delete(file);
  if (kind === "file") noteFile(seen, event);
  seen.failed += failures.length;
  for (const { title } of failures) seen.failures.push({ file, title });
}

function noteFile(seen, { file, passed, skipped, failures, seconds, work }) {
  seen.left.delete(file);
  seen.running.delete(file);
  seen.files.push({ file, tests: passed + failures.length, seconds, work });
  seen.passed += passed;
  seen.skipped += skipped;
}

/** A run that ends without its end is a failure of each file that was running then. */
function noteDeath(seen, code, show) {
  const files = seen.running.size === 0 ? [undefined] : [...seen.running];
  const end = seen.hangs
    ? "it hangs: there was no news for a long time"
    : `Vitest ended early (${code}) while this ran`;
  const message = `${end}. What it printed last is in ${seen.log}`;
  for (const file of files) {
    const title = file === undefined ? "the run" : "";
    seen.failed++;
    seen.failures.push({ file, title });
    show.failure(file, { title, message });
  }
  seen.running.clear();
}

/** How many failures are shown while a ring runs; the others are counted, because a full disk has thousands of them. */
const mostShown = 100;

/** Shows a run: one line that is written again at a terminal, else a line for each tenth. */
function progress(name, seen) {
  const begin = Date.now();
  let tenths = 0;
  let failures = 0;
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
      if (++failures > mostShown) return;
      clear();
      const lines = [`✗ ${nameOf(file, title)}`, ...indented(message, 30)];
      if (diff !== undefined && !message.includes(diff)) lines.push(...indented(diff, 60));
      if (at) lines.push(`    at ${relative(root, at)}`);
      if (file !== undefined) lines.push(`    again: ${againOf(file, title)}`);
      console.log(lines.join("\n"));
    },
    end() {
      clear();
      if (failures > mostShown) console.log(`and ${failures - mostShown} more failures`);
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
