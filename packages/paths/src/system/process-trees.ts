import { spawn, type SpawnOptions } from "node:child_process";

/** What signals reach processes through. A test gives another one. */
export interface ProcessSystem {
  readonly platform: NodeJS.Platform;
  /** As `process.kill`: throws when there is no such process. */
  kill(pid: number, signal: NodeJS.Signals | 0): void;
  /** Starts a program and does not wait for it. */
  start(file: string, args: readonly string[], onError: () => void): void;
}

/** The system that this process runs on. */
export const thisSystem: ProcessSystem = {
  platform: process.platform,
  kill: (pid, signal) => void process.kill(pid, signal),
  start(file, args, onError) {
    spawn(file, args, { stdio: "ignore", windowsHide: true }).once("error", onError);
  },
};

/** Options of `spawn` for a program that `signalTree` can end with everything it starts. */
export function treeOptions(
  platform: NodeJS.Platform = process.platform,
): Pick<SpawnOptions, "detached" | "windowsHide"> {
  // On POSIX a detached program leads a process group. On Windows it would get a console window, and there are no groups.
  return { detached: platform !== "win32", windowsHide: true };
}

/**
 * Signals a program that was started with {@link treeOptions}, and all that it started. `0` signals nothing. Returns whether
 * there was a process to signal.
 *
 * Windows has no SIGTERM: there it does nothing, SIGKILL is `taskkill /t /f`, and processes whose parent is gone are not found.
 */
export function signalTree(
  pid: number,
  signal: "SIGTERM" | "SIGKILL" | 0,
  system: ProcessSystem = thisSystem,
): boolean {
  if (system.platform !== "win32") return reaches(-pid, signal, system);
  const isAlive = reaches(pid, 0, system);
  if (isAlive && signal === "SIGKILL")
    system.start("taskkill", ["/pid", String(pid), "/t", "/f"], () => void reaches(pid, "SIGKILL", system));
  return isAlive;
}

function reaches(pid: number, signal: NodeJS.Signals | 0, system: ProcessSystem): boolean {
  try {
    system.kill(pid, signal);
    return true;
  } catch (error) {
    // A process of another user is there, but cannot be signalled.
    return signal === 0 && (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
