import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createHost } from "@toolmount/core";
import { waitFor } from "@toolmount/testing";
import { config, mount } from "@toolmount/tool-bash";
import { expect, onTestFinished, test } from "vitest";
import { processesWith, scratch, shell } from "./world.ts";

/** Commands that a signal to one process does not end. */
const commands = (mark: string) => [
  `sleep ${mark} & sleep ${mark}`,
  `trap '' TERM INT HUP; while :; do sleep ${mark}; done`,
  `setsid sleep ${mark} & nohup sleep ${mark} >/dev/null 2>&1`,
];

let hosts = 0;

/** The guard of the killed host ends the same processes: one may be gone by now. */
function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** A host in a process of its own, whose commands are running. `before` is code that runs first. */
async function startHost(before = ""): Promise<{ host: ChildProcess; mark: string }> {
  const mark = `75${++hosts}.${process.pid}`;
  const program = `
    const { createShell } = await import(${JSON.stringify(import.meta.resolve("@toolmount/tool-bash"))});
    ${before}
    const { bash } = createShell({ working_dir: ${JSON.stringify(scratch())}, isolation: "none" });
    for (const command of ${JSON.stringify(commands(mark))}) await bash.execute({ command, run_in_background: true });
    process.stdin.once("data", (action) => new Function(String(action))());
  `;
  const flags = ["-C", "@toolmount/source", "--input-type=module", "--eval", program];
  const host = spawn(process.execPath, flags, { stdio: ["pipe", "ignore", "ignore"] });
  onTestFinished(() => {
    host.kill("SIGKILL");
    for (const pid of processesWith(mark)) endProcess(pid);
  });
  await waitFor(() => processesWith(`sleep\0${mark}`).length === 5, { timeoutMs: 60_000, everyMs: 50 });
  return { host, mark };
}

function isEnded(mark: string): Promise<boolean> {
  return waitFor(() => processesWith(`sleep\0${mark}`).length === 0, { timeoutMs: 30_000, everyMs: 20 });
}

const ends: readonly { how: string; end: (host: ChildProcess) => void }[] = [
  { how: "is killed with SIGKILL", end: (host) => host.kill("SIGKILL") },
  { how: "ends on SIGTERM without a handler", end: (host) => host.kill("SIGTERM") },
  { how: "ends on SIGQUIT", end: (host) => host.kill("SIGQUIT") },
  { how: "exits", end: (host) => host.stdin!.write("process.exit(0)") },
  { how: "throws where nothing catches it", end: (host) => host.stdin!.write("throw new Error('boom')") },
];

test.runIf(process.platform === "linux").each(ends)(
  "no command outlives a host that $how",
  async ({ end }) => {
    const { host, mark } = await startHost();
    const ended = once(host, "exit");

    end(host);
    await ended;

    expect(await isEnded(mark)).toBe(true);
  },
);

test.runIf(process.platform === "linux")(
  "commands of a host that was killed together with its guard are ended by the next mount",
  async () => {
    const { host, mark } = await startHost();
    for (const pid of childrenOf(host.pid!).filter((each) => commandLine(each).includes("toolmount-guard")))
      process.kill(pid, "SIGKILL");
    const ended = once(host, "exit");
    host.kill("SIGKILL");
    await ended;
    expect(processesWith(`sleep\0${mark}`)).toHaveLength(5);

    const next = createHost();
    next.coordinator.registerCapability("session.working_dir", scratch());
    await mount(next.coordinator, config.parse({}));
    onTestFinished(() => void next.close());

    expect(await isEnded(mark)).toBe(true);
  },
);

test.runIf(process.platform === "linux")("a mount leaves the commands of running hosts alone", async () => {
  const { mark } = await startHost();
  const before = processesWith(`sleep\0${mark}`);

  const next = createHost();
  next.coordinator.registerCapability("session.working_dir", scratch());
  await mount(next.coordinator, config.parse({}));
  await next.close();

  const isRunning = (pid: number) => existsSync(`/proc/${pid}`);
  expect(before.filter((pid) => !isRunning(pid))).toEqual([]);
});

test.runIf(process.platform === "linux")("closing the shell ends its guard", async () => {
  const tools = shell();
  await tools.bash.execute({ command: "true" });
  const guards = childrenOf(process.pid).filter((pid) => commandLine(pid).includes("toolmount-guard"));
  expect(guards.length).toBeGreaterThan(0);

  await tools.close();

  const isGone = () => guards.some((pid) => commandLine(pid) === "");
  expect(await waitFor(isGone, { timeoutMs: 30_000 })).toBe(true);
});

test.runIf(process.platform === "linux")(
  "ending eight commands beside 200 processes opens few descriptors",
  async () => {
    const tools = shell();
    const crowd = spawn("bash", ["-c", "for i in {1..200}; do sleep 600 & done; echo ready; wait"], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void process.kill(-crowd.pid!, "SIGKILL"));
    await once(crowd.stdout, "data");
    const count = () => readdirSync("/proc/self/fd").length;
    const before = count();
    let most = 0;
    let isDone = false;
    const watch = () => {
      most = Math.max(most, count());
      if (!isDone) setImmediate(watch);
    };
    watch();

    await Promise.all(
      Array.from({ length: 8 }, () => tools.bash.execute({ command: "sleep 0.2 & echo hi" })),
    );

    isDone = true;
    expect(most - before).toBeLessThan(80);
  },
);

test("a command that closing the host stops keeps its output, and does not count as abandoned", async () => {
  const outcomes: unknown[] = [];
  const host = createHost({ approver: () => ({ decision: "approve" }) });
  host.coordinator.registerCapability("session.working_dir", scratch());
  await mount(host.coordinator, config.parse({}));
  const mark = `769.${process.pid}`;
  const call = host.call({
    name: "bash",
    arguments: { command: `trap '' TERM; echo started; while :; do sleep ${mark}; done` },
  });
  void call.then((outcome) => outcomes.push(outcome));
  await waitFor(() => processesWith(`sleep\0${mark}`).length > 0, { timeoutMs: 30_000 });

  const report = await host.close({ graceMs: 20 });

  expect(report.abandoned).toEqual([]);
  expect(await call).toMatchObject({ status: "cancelled", result: { details: { stdout: "started\n" } } });
  expect(await isEnded(mark)).toBe(true);
});

function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(
      (pid) =>
        Number(
          readOr(pid, "stat")
            .replace(/^.*\) /s, "")
            .split(" ")[1],
        ) === parent,
    );
}

function commandLine(pid: number): string {
  return readOr(pid, "cmdline");
}

function readOr(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
