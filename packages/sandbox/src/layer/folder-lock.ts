import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../system/bubblewrap.ts";
import { sandboxStdio } from "../system/start-sandbox.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Gives a lock back. */
export type Unlock = () => Promise<void>;

/**
 * Takes the lock of a folder, which only one process has. The kernel gives it back when this process dies. Undefined where
 * another process has it for so many seconds.
 */
export async function takeLock(
  folder: string,
  env: Variables,
  waitSeconds: number,
): Promise<Unlock | undefined> {
  const flock = findProgram("flock", env["PATH"]);
  if (flock === undefined) throw new Error("flock is not on PATH; install the package util-linux");
  const wait = ["--wait", String(waitSeconds), join(folder, ".lock")];
  const child = spawn(flock, [...wait, "/bin/sh", "-c", "echo held; read -r end"], {
    env: { PATH: env["PATH"] },
    stdio: sandboxStdio(["pipe", "pipe", 2]),
  });
  const ended = once(child, "close");
  const isHeld = await Promise.race([once(child.stdout!, "data").then(() => true), ended.then(() => false)]);
  if (!isHeld) return undefined;
  return async () => {
    child.stdin!.destroy();
    await ended;
  };
}

/** Files in which processes say that they wait for a layer. */
const isWanted = (name: string | null) => name?.startsWith("wanted-") === true;

/** Takes the lock of a layer. The process that has it is asked for it. */
export async function takeWanted(
  place: string,
  env: Variables,
  waitSeconds: number,
): Promise<Unlock | undefined> {
  const own = join(place, `wanted-${randomUUID()}`);
  writeFileSync(own, "");
  try {
    return await takeLock(place, env, waitSeconds);
  } finally {
    rmSync(own, { force: true });
  }
}

/** Calls back when another process waits for the layer, until the returned function gives the lock back. */
export function onWanted(place: string, unlock: Unlock, callback: () => void): Unlock {
  const watcher = watch(place, { persistent: false }, (_, name) => {
    if (isWanted(name) && existsSync(join(place, name!))) callback();
  });
  if (readdirSync(place).some(isWanted)) callback();
  return async () => {
    watcher.close();
    // A process that died while it waited left its file.
    for (const name of readdirSync(place).filter(isWanted)) rmSync(join(place, name), { force: true });
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
  if (unlock === undefined)
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
