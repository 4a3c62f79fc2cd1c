import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readlinkSync } from "node:fs";
import { systemClock, type Clock } from "@toolmount/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { createProcessFinder, hasGroup, signal } from "../src/run/find-processes.ts";
import { createGuard, sweepOrphans } from "../src/run/guard.ts";

/** A process that sleeps, in a group of its own. */
async function sleeper(env: Readonly<Record<string, string>> = {}, script = "echo ready; exec sleep 600") {
  const child = spawn("bash", ["-c", script], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env["PATH"], ...env },
  });
  const pid = child.pid!;
  onTestFinished(() => void signal(-pid, "SIGKILL"));
  await once(child.stdout, "data");
  return { pid, ended: once(child, "exit") };
}

const absent = 2 ** 30;

describe.runIf(process.platform === "linux")("the processes of a command", () => {
  const find = (pid: number, mark = "no such mark") => createProcessFinder(systemClock).find({ pid, mark });

  test("are those of its group, of its session, and those with its mark", async () => {
    const mark = `mark-${process.pid}-a`;
    const script = "sleep 600 & echo $!; wait";
    const { pid } = await sleeper({ TOOLMOUNT_COMMAND_ID: mark }, script);
    const found = await find(pid);
    expect(found).toHaveLength(2);
    expect(found![0]).toBe(pid);
    expect(await find(absent, mark)).toEqual(found);
    expect(await find(found![1]!)).toEqual([]);
    expect(await find(absent, mark.slice(0, -1))).toEqual([]);
    expect(await find(absent, `${mark}b`)).toEqual([]);
  });

  test("that lead groups of their own are found by their session", async () => {
    const { pid } = await sleeper({}, "set -m; (exec sleep 600) & echo ready; wait");
    const found = await find(pid);
    expect(found).toHaveLength(2);
    const group = Number(readFileSync(`/proc/${found![1]!}/stat`, "latin1").split(") ")[1]!.split(" ")[2]);
    expect(group).toBe(found![1]);
  });

  test("with another variable of that beginning are others", async () => {
    await sleeper({ TOOLMOUNT_COMMAND_ID2: "mark-other", X: "TOOLMOUNT_COMMAND_ID=mark-other" });
    expect(await find(absent, "mark-other")).toEqual([]);
  });

  test("that have ended are not found, although their parent does not know yet", async () => {
    const { pid } = await sleeper({}, "sh -c 'echo ready; exit 0' & exec sleep 600");
    await expect.poll(() => find(pid)).toEqual([pid]);
  });

  test("that came after a scan are found, also where one of the same number was a stranger", async () => {
    const finder = createProcessFinder(systemClock);
    const stranger = await sleeper();
    expect(await finder.find({ pid: absent, mark: "late" })).toEqual([]);
    const { pid } = await sleeper({ TOOLMOUNT_COMMAND_ID: "late" });
    expect(await finder.find({ pid: absent, mark: "late" })).toEqual([pid]);
    expect(await finder.find({ pid: stranger.pid, mark: "late" })).toEqual(
      [stranger.pid, pid].toSorted((one, other) => one - other),
    );
  });

  test("are looked for at once by all that ask at once, with a rest as long as the scan before", async () => {
    let now = 0;
    const rests: number[] = [];
    const clock: Clock = {
      // Each look at the time takes seven milliseconds.
      now: () => (now += 7),
      setTimer(callback, ms) {
        rests.push(ms);
        queueMicrotask(callback);
        return { cancel() {}, keepAlive() {} };
      },
    };
    const { pid } = await sleeper();
    const finder = createProcessFinder(clock);
    const both = await Promise.all([1, 2, 3].map(() => finder.find({ pid, mark: "" })));
    expect([both, now]).toEqual([[[pid], [pid], [pid]], 4 * 7]);
    expect(rests).toEqual([]);
    await finder.find({ pid, mark: "" });
    expect(rests).toEqual([]);
    now -= 1_000;
    await finder.find({ pid, mark: "" });
    expect(rests).toEqual([50]);
  });

  test("a group is there while one of its processes is", async () => {
    const { pid, ended } = await sleeper();
    expect([hasGroup(pid), hasGroup(absent)]).toEqual([true, false]);
    expect([signal(-pid, "SIGKILL"), await ended]).toEqual([true, [null, "SIGKILL"]]);
    expect([hasGroup(pid), signal(-pid, "SIGKILL")]).toEqual([false, false]);
  });
});

describe.runIf(process.platform === "linux")("processes of hosts that are gone", () => {
  const namespace = readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "");
  const startOf = (pid: number) =>
    readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)!.split(" ")[19]!;
  const own = startOf(process.pid);

  test("are killed, and no others", async () => {
    const marks: Readonly<Record<string, string>> = {
      "of a host that is gone": `${namespace}.${absent}.1.x`,
      "of a host whose number another process has": `${namespace}.${process.pid}.${Number(own) + 1}.x`,
      "of this host": `${namespace}.${process.pid}.${own}.x`,
      "of a host in another namespace": `${namespace}1.${absent}.1.x`,
      "of a host without a namespace": `.${absent}.1.x`,
      "of a host without a start": `${namespace}.${absent}..x`,
      "with a mark that is cut": `${namespace}.${absent}`,
    };
    const started = await Promise.all(
      Object.values(marks).map((mark) => sleeper({ TOOLMOUNT_HOST_ID: mark })),
    );
    const other = await sleeper({ TOOLMOUNT_HOST_ID2: `${namespace}.${absent}.1.x` });
    expect(await sweepOrphans()).toBe(2);
    expect(await Promise.all(started.slice(0, 2).map(({ ended }) => ended))).toEqual([
      [null, "SIGKILL"],
      [null, "SIGKILL"],
    ]);
    expect([...started.slice(2), other].map(({ pid }) => signal(pid, 0))).toEqual(
      Array.from({ length: 6 }, () => true),
    );
    expect(await sweepOrphans()).toBe(0);
  });

  test("a host is known by its namespace, number, start and chance", () => {
    const [one, other] = [createGuard({}), createGuard({})];
    const head = `${namespace}.${process.pid}.${own}.`;
    expect([one.mark.startsWith(head), other.mark.startsWith(head)]).toEqual([true, true]);
    expect(one.mark.slice(head.length)).toMatch(/^[0-9a-f-]{36}$/);
    expect(one.mark).not.toBe(other.mark);
  });
});
