import { spawn } from "node:child_process";
import { once } from "node:events";
import { systemClock, type Clock } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { endAll, waitAtMost } from "../src/run/end-processes.ts";
import { createProcessFinder, hasGroup, signal, type ProcessFinder } from "../src/run/find-processes.ts";

/** A clock whose timers end at once; it notes for how long each was set. */
function quick() {
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    setTimer(callback, ms) {
      waits.push(ms);
      queueMicrotask(callback);
      return { cancel() {}, keepAlive() {} };
    },
  };
  return { clock, waits };
}

/** No process has this id, so that nothing is signalled. */
const absent = 2 ** 30;

/** Ends what a finder finds, one list for each look, the last one again and again. */
async function end(looks: readonly (readonly number[] | null)[], patience = { lingerMs: 100, graceMs: 500 }) {
  const { clock, waits } = quick();
  let looked = 0;
  const finder: ProcessFinder = { find: async () => looks[Math.min(looked++, looks.length - 1)]! };
  const trace = { pid: absent, mark: "m" };
  const left = await endAll(trace, { patience, clock, finder, sandboxPid: null });
  return { left, waits, looked };
}

const linger = [2, 4, 8, 16, 32, 38];
const grace = [2, 4, 8, 16, 32, 50, 50, 50, 50, 50, 50, 50, 50, 38];

test("what has ended is not waited for", async () => {
  expect(await end([[]])).toEqual({ left: [], waits: [], looked: 1 });
  expect(await end([[]], { lingerMs: 0, graceMs: 0 })).toEqual({ left: [], waits: [], looked: 1 });
});

test("what is left may end by itself, and is looked for less and less often", async () => {
  expect(await end([[absent], [absent], []])).toEqual({ left: [], waits: [2, 4], looked: 3 });
  expect(await end([...linger.map(() => [absent]), []])).toEqual({ left: [], waits: linger, looked: 7 });
});

test("after that it is asked to end, and has the time of the grace", async () => {
  expect(await end([...linger.map(() => [absent]), [absent], [absent], [absent], []])).toEqual({
    left: [],
    waits: [...linger, 2],
    looked: 10,
  });
  expect((await end([[absent], []], { lingerMs: 0, graceMs: 500 })).waits).toEqual([]);
});

test("what does not end then is killed again and again, and at last reported", async () => {
  const { left, waits } = await end([[absent, absent + 1]]);

  expect(left).toEqual([absent, absent + 1]);
  expect(waits).toEqual([...linger, ...grace, ...Array.from({ length: 50 }, () => [2, 4, 8, 6]).flat()]);
});

test("where the system lists no processes, the group is what is left", async () => {
  expect(await end([null])).toEqual({ left: [], waits: [], looked: 1 });
});

test.runIf(process.platform === "linux")(
  "a process is asked first, and killed if it does not end",
  async () => {
    const finder = createProcessFinder(systemClock);
    const endOne = async (script: string, sandbox = false) => {
      const child = spawn("/bin/sh", ["-c", `${script} echo ready; sleep 600 & wait`], {
        detached: true,
        stdio: ["ignore", "pipe", "ignore"],
      });
      const pid = child.pid!;
      onTestFinished(() => void signal(-pid, "SIGKILL"));
      await once(child.stdout, "data");
      const exited = once(child, "exit");
      const options = { clock: systemClock, finder, sandboxPid: sandbox ? pid : null };
      const left = await endAll({ pid, mark: "m" }, { ...options, patience: { lingerMs: 0, graceMs: 100 } });
      const [, ending] = (await exited) as [number | null, string | null];
      return [left, ending];
    };

    expect(await endOne("")).toEqual([[], "SIGTERM"]);
    expect(await endOne("trap '' TERM;")).toEqual([[], "SIGKILL"]);
    // A sandbox gets no SIGTERM: its end would kill all in it.
    expect((await endOne("", true))[1]).not.toBe("SIGTERM");
  },
);

test("a promise is waited for at most so long, and its timer is cancelled when it settles", async () => {
  const timers = new Map<number, () => void>();
  const clock: Clock = {
    now: () => 0,
    setTimer(callback, ms) {
      timers.set(ms, callback);
      return { cancel: () => void timers.delete(ms), keepAlive() {} };
    },
  };
  await waitAtMost(5, Promise.resolve(), clock);
  expect([...timers]).toEqual([]);
  const waiting = waitAtMost(7, new Promise(() => {}), clock);
  timers.get(7)!();

  expect(await waiting).toBeUndefined();
});

test("a signal says whether a process received it", () => {
  expect([signal(process.pid, 0), signal(absent, 0), hasGroup(absent)]).toEqual([true, false, false]);
});
