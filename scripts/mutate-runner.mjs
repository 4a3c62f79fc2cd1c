// Vitest's runner for `mutate.mjs`. A clean pass records which test reaches which mutation. A hunt repeats a test inside its
// process, once for each mutation that it reaches: that takes milliseconds where a run of its own takes seconds.
import { appendFileSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { relative } from "node:path";
import { TestRunner } from "vitest";

const {
  MUTATE_EVENTS: events,
  MUTATE_MODE: mode,
  MUTATE_PLAN: planFile,
  MUTATE_ACTIVE: activeFile,
} = process.env;
const state = (globalThis.mutations ??= {
  active: Number(readFileSync(activeFile, "utf8")),
  reached: new Set(),
  /** For processes that a test starts: where it is. */
  place: openSync(`${activeFile}-${process.pid}`, "w+"),
});
const plan = mode === "hunt" ? JSON.parse(readFileSync(planFile, "utf8")) : {};
process.env.MUTATE_PROCESS = String(process.pid);
const killed = new Set();
const report = (event) => appendFileSync(events, `${JSON.stringify(event)}\n`);

/** A test may replace them: its own time is not that of the limit below. */
const { setTimeout, clearTimeout } = globalThis;

/** More repetitions than a test needs: it ends by itself. */
const many = 1e9;

/** `undefined` is the code as it is. Processes that a test starts have the same one. */
function activate(mutation) {
  state.active = mutation ?? -1;
  writeFileSync(activeFile, String(state.active));
}

/** What was longer before is covered with spaces. */
function stand(place) {
  writeSync(state.place, JSON.stringify(place).padEnd(4096), 0);
}

export default class MutationRunner extends TestRunner {
  async onBeforeRunSuite(suite) {
    stand({ file: fileOf(suite) });
    await super.onBeforeRunSuite(suite);
  }

  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test);
    this.key = keyOf(test);
    stand({ test: this.key });
    process.env.MUTATE_TEST = this.key;
    if (mode === "clean") {
      this.#record({ file: fileOf(test) });
      report({ kind: "start", test: this.key });
    }
    if (mode === "hunt") this.#prepare(test);
  }

  onBeforeTryTask(test, options) {
    if (mode === "hunt") {
      activate(this.next);
      if (!this.isDone) report({ kind: "try", test: this.key, mutation: this.next });
    }
    return super.onBeforeTryTask(test, options);
  }

  async runTask(test) {
    const run = TestRunner.getTestFn(test);
    if (mode !== "hunt") return run();
    if (this.isDone) test.context.skip();
    await withLimit(run(), this.limitMs);
  }

  async onAfterRetryTask(test, options) {
    await super.onAfterRetryTask(test, options);
    if (mode !== "hunt" || this.isDone) return;
    const isFailed = test.result.state === "fail";
    if (test.result.state !== "skip")
      Object.assign(test.result, { state: "pass", errors: undefined, attempts: [] });
    activate(undefined);
    if (this.next === undefined) this.#afterClean(isFailed);
    else this.#afterMutated(isFailed);
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test);
    stand({ file: fileOf(test) });
    if (mode !== "clean") return;
    const { state: end, duration } = test.result ?? {};
    this.#record({
      test: this.key,
      file: fileOf(test),
      ms: duration ?? 0,
      end,
    });
  }

  /** What was reached since the last record. Between tests, modules are imported and hooks run. */
  #record(facts) {
    report({ kind: "reached", ...facts, mutations: [...state.reached] });
    state.reached.clear();
  }

  #prepare(test) {
    const own = plan[this.key];
    if (own === undefined || test.fails) test.mode = "skip";
    if (test.mode !== "run" && test.mode !== "queued") return;
    this.queue = own.mutations.filter((mutation) => !killed.has(mutation));
    if (this.queue.length === 0) {
      test.mode = "skip";
      return;
    }
    this.limitMs = 3000 + 8 * own.ms;
    Object.assign(this, { next: undefined, isSure: false, isDone: false });
    Object.assign(test, { repeats: many, retry: 0 });
  }

  /** Where an earlier mutation left a test broken, this process ends, and a new one continues. */
  #afterClean(isFailed) {
    if (isFailed) {
      report({ kind: "spoiled", test: this.key });
      // Vitest replaces `process.exit` in its workers by a function that throws: the test would be repeated for ever.
      process.kill(process.pid, "SIGKILL");
    }
    this.isSure = true;
    this.next = this.queue[0];
  }

  /** A failure counts where the test passed just before: else an earlier mutation may have left something behind. */
  #afterMutated(isFailed) {
    if (isFailed && !this.isSure) {
      this.next = undefined;
      return;
    }
    const mutation = this.queue.shift();
    report({ kind: "end", test: this.key, mutation, isKilled: isFailed });
    if (isFailed) killed.add(mutation);
    this.isSure = false;
    this.next = isFailed ? undefined : this.queue[0];
    this.isDone = this.queue.length === 0;
  }
}

function fileOf({ file }) {
  return relative(process.cwd(), file.filepath);
}

function keyOf(test) {
  const names = [];
  for (let task = test; task !== undefined && task !== test.file; task = task.suite) names.unshift(task.name);
  return [fileOf(test), ...names].join(" > ");
}

/** A mutation may let a test wait for what never comes. */
async function withLimit(work, limitMs) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`a mutation made it take more than ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
