import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "@toolmount/paths";
import { findProgram } from "../system/bubblewrap.ts";
import { sandboxStdio } from "../system/start-sandbox.ts";
import { namesIn } from "../system/mark.ts";
import { spawnChild } from "../system/process-trees.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Releases a lock. Resolves when the process that held it has ended. */
export type Unlock = () => Promise<void>;

export const lockFile = (folder: string) => join(folder, ".lock");

/** Exit code of the script if the locked file was removed during the wait. */
const removedCode = 70;

/** Script that waits for the lock of a file, and holds it until its input ends. */
const script = `
exec 9>> "$1" && "$2" --wait "$3" 9 || exit 1
[ "$1" -ef /proc/self/fd/9 ] || exit ${removedCode}
echo held
read -r end
`;

/**
 * Takes the lock of a folder, which only one process can have. The kernel releases it when this process dies. Returns undefined
 * if another process keeps it for `waitSeconds`, and `removed` if that process removed the folder.
 */
export async function takeLock(
  folder: string,
  env: Variables,
  waitSeconds: number,
): Promise<Unlock | "removed" | undefined> {
  const flock = findProgram("flock", env["PATH"]);
  if (flock === undefined) throw new Error("flock is not on PATH; install the package util-linux");
  const words = ["-c", script, "sh", lockFile(folder), flock, String(waitSeconds)];
  const child = spawnChild("/bin/sh", words, {
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

/** Whether a file has a name by which a process says that it waits for the layer. */
export const isWanted = (name: string | null) => name?.startsWith("wanted-") === true;

/** Makes the folder of a layer and takes its lock. The process that has the lock is asked for it, and may remove the folder. */
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

/** Calls back when another process waits for the layer. The returned function ends the watch and releases the lock. */
export function onWanted(place: string, unlock: Unlock, callback: () => void): Unlock {
  const watcher = watch(place, { persistent: false }, (_, name) => {
    if (isWanted(name) && existsSync(join(place, name!))) callback();
  });
  if (namesIn(place).some(isWanted)) callback();
  return async () => {
    watcher.close();
    // A process that died while it waited for this lock left its file here. If the layer had no changes, its folder is gone
    // already.
    for (const name of namesIn(place).filter(isWanted)) rmSync(join(place, name), { force: true });
    await unlock();
  };
}

/** Seconds that a keep waits for another keep of the same folder. */
const waitSeconds = 60;

/**
 * Runs `act` while no other process keeps, undoes or recovers anything below the folder of layers. Throws if another process
 * takes too long.
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

/** Returns a function that runs actions one after the other, in the order in which they were asked for. */
export function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(act: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(act);
    last = mine.catch(() => {});
    return mine;
  };
}
