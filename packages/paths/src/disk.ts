import { existsSync } from "node:fs";
import { constants, lstat, open, readlink, realpath, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "./path-error.ts";

/**
 * How an open descriptor is compared with the checked path.
 *
 * `proc` (Linux) asks the kernel for a descriptor's path, and works below an open folder even if its path changes.
 * `plain` (elsewhere) compares identities before and after, which leaves a moment between check and use.
 */
export interface Disk {
  readonly kind: "proc" | "plain";
  /** Returns whether the open file or folder is at the path `real`. */
  isAt(handle: FileHandle, real: string): Promise<boolean>;
  /** Returns a path to an open folder or, if `name` is given, to that entry in it. */
  below(handle: FileHandle, real: string, name?: string): string;
}

/** Returns the stricter kind of disk if the system supports it. */
export function chooseDisk(): Disk {
  return existsSync("/proc/self/fd") ? procDisk : plainDisk;
}

export const procDisk: Disk = {
  kind: "proc",
  async isAt(handle, real) {
    const at = await readlink(`/proc/self/fd/${handle.fd}`);
    return at === real || at === `${real} (deleted)`;
  },
  below: ({ fd }, _real, name) =>
    name === undefined ? `/proc/self/fd/${fd}` : `/proc/self/fd/${fd}/${name}`,
};

export const plainDisk: Disk = {
  kind: "plain",
  async isAt(handle, real) {
    try {
      const [opened, there] = await Promise.all([
        handle.stat({ bigint: true }),
        lstat(real, { bigint: true }),
      ]);
      return opened.dev === there.dev && opened.ino === there.ino && (await realpath(real)) === real;
    } catch (thrown) {
      if (errnoOf(thrown) === "") throw thrown;
      return false;
    }
  },
  below: (_handle, real, name) => (name === undefined ? real : join(real, name)),
};

// Windows lacks some of these; `|` reads undefined as 0.
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_DIRECTORY } = constants;

/** Opens a file for reading. Does not follow a link in the last name, wait for a pipe's other end, or take over a terminal. */
export function openToRead(path: string): Promise<FileHandle> {
  return open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
}

/** Opens a folder, without following a link in the last name. */
export function openDirectory(path: string): Promise<FileHandle> {
  return open(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_NONBLOCK);
}
