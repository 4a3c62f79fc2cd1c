import { spawn } from "node:child_process";
import { once } from "node:events";
import type { BigIntStats } from "node:fs";
import { constants, open, type FileHandle } from "node:fs/promises";

/** What a replaced file had that its replacement could not get. */
export type Lost = "owner" | "extended attributes" | "special permissions";

/**
 * Gives a new file the owner, the access lists and the extended attributes of the file that it replaces, as far as the system
 * allows. Node cannot list attributes, so GNU's `cp` copies them between the two open files: no path is read again.
 */
export async function copyAttributes(
  from: string,
  to: FileHandle,
  before: BigIntStats,
): Promise<readonly Lost[]> {
  if (process.platform !== "linux") return [];
  const isCopied = await copyFrom(from, to, before);
  const { uid, gid } = await to.stat({ bigint: true });
  const isOwners = uid === before.uid && gid === before.gid;
  return [...(isOwners ? [] : (["owner"] as const)), ...(isCopied ? [] : (["extended attributes"] as const))];
}

async function copyFrom(from: string, to: FileHandle, before: BigIntStats): Promise<boolean> {
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null);
  if (source === null) return false;
  try {
    const { dev, ino } = await source.stat({ bigint: true });
    return dev === before.dev && ino === before.ino && (await runCopy(source.fd, to.fd));
  } finally {
    await source.close();
  }
}

/** Runs `cp`. False, and nothing is copied, if the program is missing or must not be started. */
async function runCopy(source: number, target: number): Promise<boolean> {
  const what = ["--attributes-only", "--preserve=mode,ownership,xattr"];
  try {
    const child = spawn("cp", [...what, "/proc/self/fd/3", "/proc/self/fd/4"], {
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["ignore", "ignore", "ignore", source, target],
    });
    const [code] = (await once(child, "close")) as [number | null];
    return code === 0;
  } catch {
    return false;
  }
}

/**
 * Whether a file's mode gives any right to its group or to others. On Windows the answer is no: it has access lists instead,
 * and Node reports the mode 666 for each file that is not read-only.
 */
export function canOthersRead(mode: number, platform: NodeJS.Platform = process.platform): boolean {
  return platform !== "win32" && (mode & 0o077) !== 0;
}
