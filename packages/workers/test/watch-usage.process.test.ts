import { spawn } from "node:child_process";
import { once } from "node:events";
import { systemClock } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { describeEnd, UsageLimits } from "../src/process/watch-usage.ts";

const isLinux = process.platform === "linux";

test.each([
  [7, null, undefined, "ended with exit code 7"],
  [0, null, "it is late", "ended with exit code 0"],
  [null, "SIGTERM", undefined, "ended by SIGTERM"],
  [null, "SIGTERM", "it is late", "ended by SIGTERM"],
  [null, "SIGKILL", undefined, "ended by SIGKILL"],
  [null, "SIGKILL", "it is late", "ended: it is late"],
] as const)("the end with the code %j, the signal %j and the reason %j", (code, signal, because, how) => {
  expect(describeEnd(code, signal, because)).toBe(how);
});

/** Watches a process of the test; its measurements come when the test says so, and their pauses are noted. */
async function watch(script: string, memoryMb?: number) {
  const pauses: number[] = [];
  let next: (() => void) | undefined;
  const clock = {
    ...systemClock,
    setTimer(callback: () => void, ms: number) {
      pauses.push(ms);
      next = callback;
      return { cancel: () => void (next = undefined), keepAlive: () => {} };
    },
  };
  const child = spawn(process.execPath, [
    "-e",
    `${script}; console.log("there"); setInterval(() => {}, 1e6)`,
  ]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const launch = { file: process.execPath, args: [], env: {} };
  const limits = new UsageLimits({ clock, launch, memoryMb });
  onTestFinished(() => limits.close());
  const killed: string[] = [];
  let isBusy = true;
  const ended = Promise.withResolvers<void>();
  const kill = (because: string) => void killed.push(because);
  limits.watch(child.pid!, () => isBusy, { kill, ended: ended.promise });
  return {
    limits,
    pauses,
    killed,
    measure: () => next?.(),
    rest: () => void (isBusy = false),
    end: async () => (ended.resolve(), await ended.promise, await Promise.resolve()),
    isWaiting: () => next !== undefined,
  };
}

test.runIf(isLinux)(
  "a process is measured often while it works, less often while it waits, and not after its end",
  async () => {
    const unlimited = await watch("");
    unlimited.measure();
    unlimited.rest();
    unlimited.measure();
    expect([unlimited.pauses, unlimited.killed]).toEqual([[250, 250, 1_000], []]);
    await unlimited.end();
    expect(unlimited.isWaiting()).toBe(false);
    const limited = await watch("", 900);
    limited.measure();
    limited.rest();
    limited.measure();
    expect([limited.pauses, limited.killed]).toEqual([[50, 50, 250], []]);
    expect([limited.limits.excess(), unlimited.limits.excess()]).toEqual([undefined, undefined]);
  },
);

test.runIf(isLinux)(
  "a process that uses more memory than it may is killed, and not measured again",
  async () => {
    const { measure, killed, pauses } = await watch("", 5);
    measure();
    expect(killed).toEqual(["it was killed, because it used more than 5 MB"]);
    expect(pauses).toEqual([50]);
  },
);
