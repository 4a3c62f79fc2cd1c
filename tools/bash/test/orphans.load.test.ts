import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { processesWith, sandboxIsTested, shell } from "./world.ts";

const long = process.env["TOOLMOUNT_LONG"] === "1";
const calls = long ? 500 : 42;

/** Commands that leave processes, each with a mark by which they are found. */
const leavers: readonly ((mark: string) => string)[] = [
  (mark) => `sleep ${mark}`,
  (mark) => `sleep ${mark} & sleep ${mark} & wait`,
  (mark) => `sleep ${mark} & exit 0`,
  (mark) => `nohup sleep ${mark} >/dev/null 2>&1 & sleep ${mark}`,
  (mark) => `trap '' TERM INT HUP; while :; do sleep ${mark}; done`,
  (mark) => `(trap '' TERM; sleep ${mark}; sleep ${mark}) & wait`,
  (mark) => `setsid sleep ${mark} & sleep ${mark}`,
  (mark) => `setsid -f sleep ${mark}; sleep ${mark}`,
  (mark) => `setsid bash -c 'setsid bash -c "sleep ${mark} & sleep ${mark}" & sleep ${mark}' & wait`,
  (mark) =>
    `(setsid nohup bash -c 'trap "" TERM; sleep ${mark} & disown; sleep ${mark}' >/dev/null 2>&1 &); sleep ${mark}`,
  (mark) => `set -m; sleep ${mark} & (sleep ${mark} &) ; sleep ${mark}`,
  (mark) => `coproc sleep ${mark}; cat <(sleep ${mark})`,
  (mark) => `for i in 1 2 3; do (sleep ${mark} | cat) & done; wait`,
  (mark) => `bash -c 'exec -a hidden sleep ${mark}' & sleep ${mark}`,
];

/** The same random numbers each time: which command is cancelled, and when. */
function* randoms(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Runs and cancels commands, six at a time. Resolves to the processes that remain. */
async function leftAfter(isolation: "none" | "bubblewrap", seed: number): Promise<number[]> {
  const tools = shell({ isolation, max_timeout: 60 });
  const next = randoms(seed);
  const mark = `7${seed}.${process.pid}`;
  for (let done = 0; done < calls; done += 6) {
    const batch = Array.from({ length: Math.min(6, calls - done) }, () => {
      const caller = new AbortController();
      const command = leavers[Math.floor(next.next().value * leavers.length)]!(mark);
      const running = tools.bash.execute({ command }, { abortSignal: caller.signal });
      return pause(next.next().value * 60).then(() => (caller.abort(), running));
    });
    const results = await Promise.all(batch);
    for (const { error } of results) expect([undefined, "Request was cancelled"]).toContain(error);
  }
  // A cancelled call answers before its processes have ended; closing waits for them.
  await tools.close();
  return processesWith(mark);
}

test(`${calls} commands with background, nohup, trap and setsid children, cancelled at random, leave no process`, async () => {
  expect(await leftAfter("none", 4711)).toEqual([]);
});

/** A process that leaves its session and clears its environment survives without a sandbox; docs/shell.md says so. */
const escape = (mark: string) => `env -i setsid sleep ${mark} >/dev/null 2>&1 & sleep 0.2; echo done`;

test("without a sandbox, only a process that left its session and cleared its environment remains", async () => {
  const { bash } = shell();
  const mark = `73.${process.pid}`;
  await bash.execute({ command: escape(mark) });
  const left = processesWith(mark);
  for (const pid of left) process.kill(pid, "SIGKILL");

  expect(left).toHaveLength(1);
});

describe.runIf(sandboxIsTested)("in the sandbox", () => {
  test(`under bubblewrap too, ${calls} such commands leave no process`, async () => {
    expect(await leftAfter("bubblewrap", 1234)).toEqual([]);
  });

  test("under bubblewrap not even that process remains", async () => {
    const { bash } = shell({ isolation: "bubblewrap" });
    const mark = `74.${process.pid}`;

    expect(await bash.execute({ command: escape(mark) })).toMatchObject({ data: { stdout: "done\n" } });
    expect(processesWith(mark)).toEqual([]);
  });
});
