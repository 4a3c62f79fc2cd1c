import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { createProgramGuard, treeOptions, type ProgramGuard } from "../src/system/index.ts";

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
