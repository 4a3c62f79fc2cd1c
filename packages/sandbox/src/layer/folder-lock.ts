import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { findProgram } from "../system/bubblewrap.ts";
import { sandboxStdio } from "../system/start-sandbox.ts";

/** Seconds that a keep waits for another one of the same folder. */
const waitSeconds = 60;

/**
 * Does something while no other process keeps, undoes or recovers below the folder of layers. The kernel gives the lock back
 * when this process dies. Throws when the other one takes too long.
 */
export async function withFolderLock<Result>(
  layers: string,
  env: Readonly<Record<string, string | undefined>>,
  act: () => Promise<Result>,
): Promise<Result> {
  const flock = findProgram("flock", env["PATH"]);
  if (flock === undefined) throw new Error("flock is not on PATH; install the package util-linux");
  const words = [
    "--wait",
    String(waitSeconds),
    join(layers, "lock"),
    "/bin/sh",
    "-c",
    "echo held; read -r end",
  ];
  const child = spawn(flock, words, {
    env: { PATH: env["PATH"] },
    stdio: sandboxStdio(["pipe", "pipe", 2]),
  });
  const ended = once(child, "close");
  const held = await Promise.race([once(child.stdout!, "data").then(() => true), ended.then(() => false)]);
  if (!held) throw new Error(`another keep or undo in ${layers} takes longer than ${waitSeconds} seconds`);
  try {
    return await act();
  } finally {
    child.stdin!.destroy();
    await ended;
  }
}
