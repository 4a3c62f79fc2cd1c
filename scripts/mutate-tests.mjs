// Runs a package's tests for `mutate.mjs`: a clean pass, a hunt in each test file, and a process for each mutation that runs
// only while a module is imported.
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const root = dirname(import.meta.dirname);

/**
 * Descriptors that every process below the tests has, also behind a border (mutate-inherit.mjs). `active` holds the number of the
 * mutation that is on, `reached` takes what a clean pass reaches, and `place` says where the test process is: in a test, or
 * between tests of a file. Node keeps low descriptors from what it starts, up to the first that is not open.
 */
export const descriptors = { place: 61, active: 62, reached: 63 };

const inherit = pathToFileURL(join(import.meta.dirname, "mutate-inherit.mjs"));

/** A process whose tests report nothing for so long hangs in a mutation. */
const hangMs = 60_000;

export class Hunt {
  #tests;
  #options;
  #events;
  #plan;
  #active;
  /** What tests printed last. */
  log;

  constructor(folder, tests, options) {
    this.#tests = tests;
    this.#options = options;
    this.#events = join(folder, "events.jsonl");
    this.#plan = join(folder, "plan.json");
    this.#active = join(folder, "active");
    this.log = join(folder, "tests.log");
  }

  /** How each mutation ends; `undefined` where the tests fail without one. `onProgress` gets how they ended so far. */
  async run(mutations, onProgress) {
    const atImport = new Set(mutations.filter(({ isImport }) => isImport).map(({ number }) => number));
    const reached = await this.#cleanPass(atImport);
    if (reached === undefined) return undefined;
    const killed = new Set();
    const tried = new Set();
    const triedAtImport = new Set();
    const howItEnds = (number) => {
      if (killed.has(number)) return "killed";
      if (!reached.all.has(number)) return "not reached";
      const isTried = (reached.static.has(number) ? triedAtImport : tried).has(number);
      return isTried ? "survived" : "not tried";
    };
    const ends = () => new Map(mutations.map(({ number }) => [number, howItEnds(number)]));
    const { depth, slowDepth, mostStatic } = this.#options;
    for (const [tests, most] of [
      [reached.quick, depth],
      [reached.slow, slowDepth],
    ])
      for (const [file, chosen] of reached.byFile(mostSpecific(tests, killed, most))) {
        await this.#hunt(file, chosen, killed);
        for (const number of chosen.flatMap((test) => test.mutations)) tried.add(number);
        onProgress(ends());
      }
    const pending = mutations.filter(({ number }) => reached.static.has(number) && !killed.has(number));
    for (const { number } of spread(pending, mostStatic)) {
      if (await this.#isNoticed(number, reached.static.get(number), reached.msOf)) killed.add(number);
      triedAtImport.add(number);
      onProgress(ends());
    }
    return ends();
  }

  /** Which test reaches which mutation, the quickest files first. */
  async #cleanPass(atImport) {
    const start = Date.now();
    const { events } = await this.#vitest(this.#tests, { mode: "clean" });
    const ended = events.filter(({ end }) => end !== undefined);
    const failed = ended.filter(({ end }) => end === "fail").map(({ test }) => test);
    // The switches cost time: a test that measures its own is left out, and notices nothing.
    if (ended.length === 0 || failed.length > ended.length / 100) return undefined;
    for (const test of failed) console.log(`left out, since it fails with the switches: ${test}`);
    console.log(`clean in ${Math.round((Date.now() - start) / 1000)} s`);
    return reachedBy(events, atImport, this.#options);
  }

  /** Repeats the tests of a file until each mutation that they reach is tried, in new processes where one breaks. */
  async #hunt(file, tests, killed) {
    const pending = new Map(
      tests.map(({ key, ms, mutations }) => [key, { ms, mutations: new Set(mutations) }]),
    );
    for (;;) {
      for (const own of pending.values()) own.mutations = own.mutations.difference(killed);
      for (const [key, { mutations }] of pending) if (mutations.size === 0) pending.delete(key);
      if (pending.size === 0) return;
      const plan = [...pending].map(([key, { ms, mutations }]) => [key, { ms, mutations: [...mutations] }]);
      writeFileSync(this.#plan, JSON.stringify(Object.fromEntries(plan)));
      const { events } = await this.#vitest([file], { mode: "hunt" });
      if (!note(events, pending, killed)) return console.log(`${file} cannot be repeated, see ${this.log}`);
    }
  }

  async #isNoticed(number, files, msOf) {
    for (const stage of stagesOf(files, msOf)) {
      const { code } = await this.#vitest(stage.files, { active: number, limitMs: stage.limitMs });
      if (code !== 0) return true;
    }
    return false;
  }

  /** Runs test files, with a mutation where `active` says so. `limitMs` bounds a run of one mutation. */
  async #vitest(files, { mode, active = -1, limitMs }) {
    writeFileSync(this.#events, "");
    writeFileSync(this.#active, String(active));
    const words = ["run", "--config", "scripts/mutate.config.mjs", "--reporter", "dot"];
    const workers = ["--maxWorkers", mode === "hunt" ? "1" : this.#options.workers];
    const bail = mode === undefined ? ["--bail", "1"] : [];
    const reached = mode === "clean" ? this.#events : "/dev/null";
    const opened = [openSync(this.log, "w"), openSync(this.#active, "r"), openSync(reached, "a")];
    const stdio = ["ignore", opened[0], opened[0]];
    stdio[descriptors.active] = opened[1];
    stdio[descriptors.reached] = opened[2];
    const child = spawn("vitest", [...words, ...workers, ...bail, ...files], {
      cwd: root,
      stdio: Array.from(stdio, (one) => one ?? "ignore"),
      detached: true,
      env: {
        ...process.env,
        MUTATE_MODE: mode,
        MUTATE_EVENTS: this.#events,
        MUTATE_PLAN: this.#plan,
        MUTATE_ACTIVE: this.#active,
        MUTATE_DESCRIPTORS: JSON.stringify(descriptors),
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import ${inherit.href}`.trim(),
      },
    });
    opened.forEach(closeSync);
    const code = await endOf(child, mode === "hunt" ? this.#isStuck() : isLate(limitMs));
    const lines = readFileSync(this.#events, "utf8").trim().split("\n");
    return { code, events: lines.filter((line) => line !== "").map((line) => JSON.parse(line)) };
  }

  #isStuck() {
    let [size, since] = [-1, Date.now()];
    return () => {
      const now = statSync(this.#events).size;
      if (now !== size) [size, since] = [now, Date.now()];
      return Date.now() - since > hangMs;
    };
  }
}

function isLate(limitMs = Infinity) {
  const start = Date.now();
  return () => Date.now() - start > limitMs;
}

/** The exit code of a process group, which is killed where it is stuck, and with this process. */
function endOf(child, isStuck) {
  const kill = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  };
  process.once("exit", kill);
  const timer = setInterval(() => isStuck() && kill(), 1000);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearInterval(timer);
      process.off("exit", kill);
      kill();
      resolve(code);
    });
  });
}

function reachedBy(events, atImport, { slowestMs }) {
  const tests = new Map();
  const files = new Map();
  const all = new Set();
  const ms = new Map();
  const running = new Set();
  for (const { kind, test, file, ms: took, end, mutations } of events) {
    if (kind === "start") running.add(test);
    if (end !== undefined) running.delete(test);
    // A module that a test imports itself is imported once: the test cannot be repeated for it. A process imports it each time.
    const isOnce = (number) => file !== undefined && (test === undefined || atImport.has(number));
    for (const number of mutations ?? []) {
      all.add(number);
      if (isOnce(number)) setOf(files, number).add(file);
    }
    const repeated = (mutations ?? []).filter((number) => !isOnce(number));
    // A process that does not know its test was started by one of those that run.
    const own = test !== undefined ? [test] : file === undefined ? running : [];
    for (const key of own) testOf(tests, key, { file, ms: took, end }).mutations.push(...repeated);
  }
  const usable = [...tests.values()].filter((one) => one.end === "pass");
  for (const { file, ms: took } of usable) ms.set(file, (ms.get(file) ?? 0) + took);
  for (const { file, mutations } of usable)
    for (const number of mutations) if (files.has(number)) files.get(number).add(file);
  const msOf = (file) => ms.get(file) ?? 0;
  const { quick = [], slow = [] } = Object.groupBy(usable, (one) => (one.ms > slowestMs ? "slow" : "quick"));
  // The quickest file first.
  const byFile = (some) =>
    [...Map.groupBy(some, ({ file }) => file)].toSorted(([a], [b]) => msOf(a) - msOf(b));
  return { all, static: files, quick, slow, byFile, msOf };
}

/** Of the tests that reach a mutation that is not killed, only so many: those that reach the fewest others. */
function mostSpecific(tests, killed, depth) {
  const counts = new Map();
  return tests
    .toSorted((a, b) => a.mutations.length - b.mutations.length)
    .map((test) => {
      const isOpen = (number) => !killed.has(number) && (counts.get(number) ?? 0) < depth;
      const mutations = [...new Set(test.mutations)].filter(isOpen);
      for (const number of mutations) counts.set(number, (counts.get(number) ?? 0) + 1);
      return { ...test, mutations };
    });
}

function setOf(map, key) {
  if (!map.has(key)) map.set(key, new Set());
  return map.get(key);
}

/** A process that a test starts reports without the facts of the test. */
function testOf(tests, key, { file, ms, end }) {
  const test = tests.get(key) ?? { key, mutations: [] };
  tests.set(key, test);
  if (file !== undefined) Object.assign(test, { file, ms, end });
  return test;
}

/** Takes what a process found out. False where it found out nothing, and a further one would not either. */
function note(events, pending, killed) {
  const last = events.at(-1);
  // What did not come to an end hangs, or ended the process.
  const ends = events.filter(({ kind }) => kind === "end");
  if (last?.kind === "try" && last.mutation !== undefined) ends.push({ ...last, isKilled: true });
  for (const { test, mutation, isKilled } of ends) {
    pending.get(test)?.mutations.delete(mutation);
    if (isKilled) killed.add(mutation);
  }
  if (ends.length > 0) return true;
  // The first test of the process fails as it is: it needs one that ran before it.
  const test = last?.test;
  return test !== undefined && pending.delete(test);
}

/** So many of a list, as far from each other as they can be. */
function spread(list, most) {
  const step = Math.max(list.length / most, 1);
  return list.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step));
}

/** The files of the first ten seconds, those of the first minute, and the others. */
function stagesOf(files, msOf) {
  const stages = [10_000, 60_000, Infinity].map((untilMs) => ({ untilMs, files: [], limitMs: 60_000 }));
  let sum = 0;
  for (const file of [...files].toSorted((a, b) => msOf(a) - msOf(b))) {
    sum += msOf(file);
    const stage = stages.find(({ untilMs }) => sum <= untilMs);
    stage.files.push(file);
    stage.limitMs += 3 * msOf(file);
  }
  return stages.filter((stage) => stage.files.length > 0);
}
