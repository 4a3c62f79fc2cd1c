import { systemClock, type Clock } from "@toolmount/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { startCommand } from "../src/run/command.ts";
import { createProcessFinder, type ProcessFinder, type Trace } from "../src/run/find-processes.ts";
import type { Launch } from "../src/run/launch.ts";

/** A clock whose timers a test lets pass. */
function manualClock() {
  const timers = new Set<{ readonly callback: () => void; readonly ms: number }>();
  const clock: Clock = {
    now: () => 0,
    setTimer(callback, ms) {
      const timer = { callback, ms };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer), keepAlive() {} };
    },
  };
  /** Lets the timers of so many milliseconds pass. */
  const pass = (ms: number) => {
    const due = [...timers].filter((timer) => timer.ms === ms);
    for (const timer of due) {
      timers.delete(timer);
      timer.callback();
    }
    return due.length;
  };
  /** Lets all timers pass until a promise settles. */
  const passUntil = async <Value>(settled: Promise<Value>): Promise<Value> => {
    const passing = setInterval(() => [...timers].forEach(({ ms }) => void pass(ms)), 5);
    return await settled.finally(() => clearInterval(passing));
  };
  return {
    clock,
    pass,
    passUntil,
    set: () => [...timers].map(({ ms }) => ms).toSorted((one, other) => one - other),
  };
}

type Options = Partial<Parameters<typeof startCommand>[2]>;

/** Starts a command of bash, or another launch. */
function start(command: string, options: Options = {}, launch: Partial<Launch> = {}) {
  const seen: string[] = [];
  const running = startCommand(
    command,
    (text, mark) => {
      seen.push(mark);
      return {
        file: "bash",
        args: ["--norc", "-c", text],
        env: { PATH: process.env["PATH"] ?? "", TOOLMOUNT_COMMAND_ID: mark },
        cwd: "/",
        sandbox: false,
        ...launch,
      };
    },
    {
      timeoutMs: null,
      keepBytes: 100_000,
      stopBytes: 1_000_000,
      maxProcesses: 100,
      clock: systemClock,
      patience: { lingerMs: 0, graceMs: 500 },
      finder: createProcessFinder(systemClock),
      ...options,
    },
  );
  onTestFinished(() => running.kill());
  return { running, mark: () => seen[0]! };
}

const endOf = async (command: string, options?: Options, launch?: Partial<Launch>) =>
  (await start(command, options, launch).running.done).ending;

describe.runIf(process.platform === "linux")("a command", () => {
  test("ends with its code, or with 128 and the number of its signal", async () => {
    expect(await endOf("exit 0")).toEqual({ kind: "exited", code: 0 });
    expect(await endOf("exit 7")).toEqual({ kind: "exited", code: 7 });
    expect(await endOf("kill -KILL $$")).toEqual({ kind: "exited", code: 137 });
    expect(await endOf("kill -TERM $$")).toEqual({ kind: "exited", code: 143 });
  });

  test("whose shell is not there was never started", async () => {
    const { running } = start("x", {}, { file: "/no/such/shell" });
    expect([running.pid, await running.done]).toEqual([
      undefined,
      { ending: { kind: "not_started", problem: "spawn /no/such/shell ENOENT" }, left: [], endedBehind: [] },
    ]);
    running.stop();
    running.kill();
    expect((await running.done).ending.kind).toBe("not_started");
  });

  test("has its output in two streams, no input, and reports each change and its end", async () => {
    const { running } = start("cat; echo out; echo err >&2; printf more");
    let [changes, others] = [0, 0];
    const forget = running.onChange(() => (others += 1));
    running.onChange(() => (changes += 1));
    forget();
    const { ending, left } = await running.done;
    await Promise.resolve();
    expect([ending, left]).toEqual([{ kind: "exited", code: 0 }, []]);
    expect(running.stdout.start(100).toString()).toBe("out\nmore");
    expect(running.stderr.start(100).toString()).toBe("err\n");
    expect(changes).toBeGreaterThanOrEqual(3);
    expect(others).toBe(0);
  });

  test.each([
    ["out", "printf '%01000d' 0; exec sleep 600"],
    ["err", "printf '%01000d' 0 >&2; exec sleep 600"],
  ])(
    "that prints more than it may to its std%s is ended, and one that prints as much is not",
    async (_, text) => {
      expect(await endOf(text, { stopBytes: 999 })).toEqual({ kind: "too_much_output" });
      const enough = text.replace("; exec sleep 600", "");
      expect(await endOf(enough, { stopBytes: 1_000 })).toEqual({ kind: "exited", code: 0 });
    },
  );

  test("is ended when its time is over, and its timers are gone then", async () => {
    const { clock, pass, passUntil, set } = manualClock();
    const { running } = start("exec sleep 600", { clock, timeoutMs: 3_000 });
    expect(set()).toEqual([250, 3_000]);
    expect(pass(3_000)).toBe(1);
    expect((await passUntil(running.done)).ending).toEqual({ kind: "timed_out" });
    expect(set()).toEqual([]);
  });

  test("that is stopped says so, whatever else is asked for then", async () => {
    const { running } = start("exec sleep 600", { stopBytes: 1 });
    running.stop();
    running.stop();
    expect((await running.done).ending).toEqual({ kind: "stopped" });
  });

  test("that is killed has ended by that signal", async () => {
    const { running } = start("sleep 600");
    running.kill();
    expect((await running.done).ending).toEqual({ kind: "exited", code: 137 });
  });

  test("is killed when it is too many processes, and not before", async () => {
    const { clock, pass, passUntil, set } = manualClock();
    const counts = [3, 4, 5];
    const traces: Trace[] = [];
    const finder: ProcessFinder = {
      async find(trace) {
        traces.push(trace);
        // Then it is ended: nothing of it is left.
        return Array.from({ length: counts.shift() ?? 0 }, () => 2 ** 30);
      },
    };
    const { running, mark } = start("exec sleep 600", { clock, finder, maxProcesses: 4 });
    for (const left of [2, 1, 0]) {
      expect([pass(250), set().length]).toEqual([1, 0]);
      await new Promise(setImmediate);
      expect(counts).toHaveLength(left);
      if (left > 0) expect(set()).toEqual([250]);
    }
    expect((await passUntil(running.done)).ending).toEqual({ kind: "too_many_processes" });
    expect(set()).toEqual([]);
    expect(traces[0]).toEqual({ pid: running.pid, mark: mark() });
  });

  test("is not counted where the system lists no processes, nor after its end", async () => {
    const { clock, pass, passUntil, set } = manualClock();
    const { running } = start("exec sleep 600", {
      clock,
      finder: { find: async () => null },
      maxProcesses: 1,
    });
    pass(250);
    await new Promise(setImmediate);
    expect(set()).toEqual([]);
    running.kill();
    expect((await passUntil(running.done)).ending).toEqual({ kind: "exited", code: 137 });
    expect(set()).toEqual([]);
  });
});

describe.runIf(process.platform === "linux")("a sandbox", () => {
  const sandbox = { sandbox: true };

  test.each([
    [`echo '{ "exit-code": 3 }' >&3; exit 3`, { kind: "exited", code: 3 }],
    [`echo '{ "child-pid": 3 }' >&3; exit 1`, { kind: "not_started", problem: "the sandbox did not start" }],
    ["exit 0", { kind: "not_started", problem: "the sandbox did not start" }],
    ["kill -KILL $$", { kind: "exited", code: 137 }],
  ])("that does %j ran its command only where it reports its code", async (script, ending) => {
    expect(await endOf(script, {}, sandbox)).toEqual(ending);
  });

  test("that is stopped before it ran says what it did", async () => {
    const { running } = start("trap 'exit 1' TERM; sleep 600 & wait", {}, sandbox);
    running.stop();
    expect((await running.done).ending.kind).toMatch(/^(?:stopped|not_started)$/);
  });

  test("gets its filter", async () => {
    const { running } = start(
      `echo '{ "exit-code": 0 }' >&3; cat <&4`,
      {},
      {
        ...sandbox,
        filter: Buffer.from("the filter"),
      },
    );
    expect((await running.done).ending).toEqual({ kind: "exited", code: 0 });
    expect(running.stdout.start(100).toString()).toBe("the filter");
  });
});
