import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  createLimitMark,
  createProgramGuard,
  treeOptions,
  type LimitMark,
  type ProgramGuard,
} from "../src/index.ts";

const onPosix = process.platform !== "win32";

function program(guard: ProgramGuard): ChildProcess {
  const child = spawn("sleep", ["600"], { stdio: "ignore", ...treeOptions() });
  onTestFinished(() => void child.kill("SIGKILL"));
  guard.add(child.pid!);
  return child;
}

test.runIf(onPosix)("a closed guard kills the programs that it has, and no other one", async () => {
  const guard = createProgramGuard();
  const [first, removed, second] = [program(guard), program(guard), program(guard)];
  guard.remove(removed.pid!);

  guard.close();

  await Promise.all([first, second].map((child) => once(child, "exit")));
  expect(removed.exitCode ?? removed.signalCode).toBeNull();
});

test.runIf(onPosix)("a guard that was closed starts again with the next program", async () => {
  const guard = createProgramGuard();
  guard.close();
  const child = program(guard);

  guard.close();

  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
});

test.runIf(onPosix)("on Windows a guard starts nothing", async () => {
  const guard = createProgramGuard({ platform: "win32" });
  const child = program(guard);

  guard.close();
  child.kill("SIGTERM");

  expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
});

test.runIf(process.platform === "linux")(
  "a guard finds a program by its limit, in a session of its own and without an environment, and no other one",
  async () => {
    const mark = createLimitMark();
    const guard = createProgramGuard({ mark, path: process.env["PATH"] });
    const script = "env -i /usr/bin/setsid /bin/sleep 600 & echo $!";
    const leave = async ({ launch }: LimitMark) => {
      const { file, args } = launch("/bin/sh", ["-c", script]);
      const child = spawn(file, args, { stdio: ["ignore", "pipe", "ignore"] });
      const [said] = (await once(child.stdout, "data")) as [Buffer];
      return Number(said.toString("utf8"));
    };
    const [own, others] = [await leave(mark), await leave(createLimitMark())];
    guard.start();

    guard.close();

    await vi.waitFor(() => expect(existsSync(`/proc/${own}`)).toBe(false), { timeout: 60_000 });
    expect(existsSync(`/proc/${others}`)).toBe(true);
    process.kill(others, "SIGKILL");
  },
);
