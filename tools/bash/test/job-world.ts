import type { Clock } from "@toolmount/core";
import { onTestFinished } from "vitest";
import { createJobs, type Job } from "../src/jobs.ts";
import { Capture } from "../src/run/capture.ts";
import type { Ending, RunningCommand } from "../src/run/command.ts";
import type { Shell } from "../src/shell.ts";
import { bashListIn } from "../src/tools/bash-list.ts";
import { bashOutputIn } from "../src/tools/bash-output.ts";
import { bashStopIn } from "../src/tools/bash-stop.ts";

/** A command whose output and end a test decides. */
export function command(out: string | Buffer = "", { isStarted = true, kept = 0 } = {}) {
  const done = Promise.withResolvers<{
    ending: Ending;
    left: readonly number[];
    endedBehind: readonly string[];
  }>();
  const [stdout, stderr] = [new Capture(1_000), new Capture(1_000)];
  stdout.add(Buffer.from(out));
  if (kept > 0) Object.defineProperty(stdout, "keptBytes", { value: kept });
  const listeners = new Set<() => void>();
  const asked: string[] = [];
  const running: RunningCommand = {
    pid: isStarted ? 7 : undefined,
    stdout,
    stderr,
    done: done.promise,
    stop: () => void asked.push("stop"),
    kill: () => void asked.push("kill"),
    onChange(callback) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
  };
  const end = async (ending: Ending = { kind: "exited", code: 0 }) => {
    done.resolve({ ending, left: [], endedBehind: [] });
    await done.promise;
  };
  const print = (text: string) => {
    stdout.add(Buffer.from(text));
    for (const listener of listeners) listener();
  };
  return { running, asked, end, print, listeners };
}

/** The tools over the jobs of a test, with a clock whose timers it lets pass. */
export function world() {
  let now = 1_000;
  const timers = new Map<() => void, number>();
  const clock: Clock = {
    now: () => now,
    setTimer(callback, ms) {
      timers.set(callback, ms);
      return { cancel: () => void timers.delete(callback), keepAlive() {} };
    },
  };
  const jobs = createJobs(() => (now += 1));
  const shell = { jobs, clock } as unknown as Shell;
  const add = (given: ReturnType<typeof command>, more: Partial<Job> = {}) => {
    // What runs is killed when the process ends, and listens for that.
    onTestFinished(() => given.end());
    return jobs.add({
      session: undefined,
      command: "echo x",
      background: true,
      startedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
      running: given.running,
      ...more,
    });
  };
  const tools = { output: bashOutputIn(shell), list: bashListIn(shell), stop: bashStopIn(shell) };
  return { jobs, add, timers, ...tools };
}
