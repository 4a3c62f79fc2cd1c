import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, rmdirSync, rmSync } from "node:fs";
import { appendFile, mkdir, readdir, rm, stat } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds between two looks at a lock that another process holds. */
const lookMs = 20;

/** Looks at an unchanged lock after which it counts as left behind by a process that was killed. */
const maxLooks = 500;

/** Milliseconds after which a holder marks its lock again, so that it does not count as left behind. */
const markMs = 2_000;

/** The name of this process, as a file in its locks. */
const holder = `${process.pid}@${hostname()}`;

/** The locks that this process holds. They are released when it exits in the midst of its work. */
const held = new Set<string>();

/**
 * Runs `act` while no other call holds the lock of a file. The lock is in a folder of this user for temporary files, because
 * programs that watch the file's own folder would see it there. Programs of other users are not kept out.
 */
export function withFileLock<Result>(realPath: string, act: () => Promise<Result>): Promise<Result> {
  const folder = ownLocks();
  const name = createHash("sha256").update(realPath).digest("hex");
  return folder === null ? act() : withLock(join(folder, name), act);
}

/** Returns the folder of this user's locks, or null if it cannot be created or is not this user's. */
function ownLocks(): string | null {
  const user = process.getuid?.() ?? -1;
  const folder = join(tmpdir(), `toolmount-locks-${user}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It is there, or nothing can be created.
  }
  const there = lstatSync(folder, { throwIfNoEntry: false });
  return there?.isDirectory() === true && (user === -1 || there.uid === user) ? folder : null;
}

/**
 * Runs `act` while no other call holds the same lock, also of another process. The lock is a folder, as of the package
 * proper-lockfile, because only one process can create it; in it is the name of the holder. If no folder can be created there,
 * nothing is locked.
 */
export async function withLock<Result>(folder: string, act: () => Promise<Result>): Promise<Result> {
  if (!(await take(folder))) return act();
  const marking = setInterval(() => void appendFile(join(folder, holder), ".").catch(() => {}), markMs);
  if (held.size === 0) process.once("exit", releaseAll);
  held.add(folder);
  try {
    return await act();
  } finally {
    clearInterval(marking);
    held.delete(folder);
    if (held.size === 0) process.off("exit", releaseAll);
    release(folder);
  }
}

function releaseAll(): void {
  for (const folder of held) release(folder);
}

/** Removes a lock, unless another process has taken it because this one did not run for a while. */
function release(folder: string): void {
  try {
    rmSync(join(folder, holder), { force: true });
    rmdirSync(folder);
  } catch {
    // It is another process's, or gone.
  }
}

/** Waits for the lock. Returns false if it cannot be created, or if something else has its name. */
async function take(folder: string): Promise<boolean> {
  let [looks, seen] = [0, ""];
  for (;;) {
    try {
      await mkdir(folder);
      await appendFile(join(folder, holder), "");
      return true;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") {
        release(folder);
        return false;
      }
    }
    const there = await stat(folder).catch(() => null);
    if (there?.isDirectory() === false) return false;
    const [name = ""] = await readdir(folder).catch(() => []);
    const marks = await stat(join(folder, name)).catch(() => null);
    const now = `${there?.ino} ${there?.mtimeMs} ${name} ${marks?.size}`;
    looks = now === seen ? looks + 1 : 0;
    seen = now;
    if (looks === maxLooks || isGone(name)) await rm(folder, { recursive: true, force: true });
    await delay(lookMs);
  }
}

/** Whether a holder is a process of this machine that has ended. */
function isGone(name: string): boolean {
  const [pid, host] = name.split("@");
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ESRCH";
  }
}
