import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "@toolmount/paths";
import { findProgram } from "../system/bubblewrap.ts";
import { sandboxStdio } from "../system/start-sandbox.ts";
import { namesIn } from "../system/mark.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Gives a lock back. */
export type Unlock = () => Promise<void>;

export const lockFile = (folder: string) => join(folder, ".lock");

/** The lock is of a file that was removed while it was waited for. */
const removedCode = 70;

/** Waits for the lock of a file, and holds it until the input ends. */
const script = `
exec 9>> "$1" && "$2" --wait "$3" 9 || exit 1
[ "$1" -ef /proc/self/fd/9 ] || exit ${removedCode}
echo held
read -r end
`;

/**
 * Takes the lock of a folder, which only one process has. The kernel gives it back when this process dies. Undefined where
 * another process has it for so many seconds, and `removed` where the one that had it removed the folder.
 */
export async function takeLock(
  folder: string,
  env: Variables,
  waitSeconds: number,
): Promise<Unlock | "removed" | undefined> {
  const flock = findProgram("flock", env["PATH"]);
  if (flock === undefined) throw new Error("flock is not on PATH; install the package util-linux");
  const words = ["-c", script, "sh", lockFile(folder), flock, String(waitSeconds)];
  const child = spawn("/bin/sh", words, {
    env: { PATH: env["PATH"] },
    stdio: sandboxStdio(["pipe", "pipe", 2]),
  });
  const ended = once(child, "close") as Promise<[number | null]>;
  const isHeld = await Promise.race([once(child.stdout!, "data").then(() => true), ended.then(() => false)]);
  if (!isHeld) return (await ended)[0] === removedCode || !existsSync(folder) ? "removed" : undefined;
  return async () => {
    child.stdin!.destroy();
    await ended;
  };
}

/** Files in which processes say that they wait for a layer. */
export const isWanted = (name: string | null) => name?.startsWith("wanted-") === true;

/** Makes the folder of a layer and takes its lock. The process that has it is asked for it, and may remove the folder. */
export async function takeWanted(
  place: string,
  env: Variables,
  waitSeconds: number,
): Promise<Unlock | undefined> {
  for (;;) {
    makeFolder(place, 0o700);
    const own = join(place, `wanted-${randomUUID()}`);
    try {
      writeFileSync(own, "");
      const taken = await takeLock(place, env, waitSeconds);
      if (taken !== "removed") return taken;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    } finally {
      rmSync(own, { force: true });
    }
  }
}

/** Calls back when another process waits for the layer, until the returned function gives the lock back. */
export function onWanted(place: string, unlock: Unlock, callback: () => void): Unlock {
  const watcher = watch(place, { persistent: false }, (_, name) => {
    if (isWanted(name) && existsSync(join(place, name!))) callback();
  });
  if (namesIn(place).some(isWanted)) callback();
  return async () => {
    watcher.close();
    // A process that died while it waited left its file. The folder of a layer without changes is gone.
    for (const name of namesIn(place).filter(isWanted)) rmSync(join(place, name), { force: true });
    await unlock();
  };
}

/** Seconds that a keep waits for another one of the same folder. */
const waitSeconds = 60;

/**
 * Does something while no other process keeps, undoes or recovers below the folder of layers. Throws when the other one takes
 * too long.
 */
export async function withFolderLock<Result>(
  layers: string,
  env: Variables,
  act: () => Promise<Result>,
): Promise<Result> {
  const unlock = await takeLock(layers, env, waitSeconds);
  if (unlock === undefined || unlock === "removed")
    throw new Error(`another keep or undo in ${layers} takes longer than ${waitSeconds} seconds`);
  try {
    return await act();
  } finally {
    await unlock();
  }
}

/** Does one thing after the other, in the order in which they were asked for. */
export function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(act: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(act);
    last = mine.catch(() => {});
    return mine;
  };
}
