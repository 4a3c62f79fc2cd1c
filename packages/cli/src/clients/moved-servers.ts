import { createHash } from "node:crypto";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { makeFolder } from "@toolmount/paths";
import { z } from "zod";
import type { Shell } from "../process/shell.ts";

const copy = z.strictObject({
  /** The client's file. */
  file: z.string(),
  /**
   * Its text before the entry was there (null when there was no file), and the digest of its text after; null when the
   * file was changed in between, so that it cannot be restored as a whole.
   */
  whole: z.strictObject({ before: z.string().nullable(), after: z.string() }).nullable(),
  /** The servers by their names, as they were written. */
  servers: z.record(z.string(), z.unknown()),
});

/** What `connect` took out of a client's file. It may hold secrets that the file held. */
export type MovedServers = z.output<typeof copy>;

/**
 * The file of the copy: in the user's own folder of state, for the user alone, and outside the folders that tools may read.
 * The entry's name is part of it, because a client may have several.
 */
export function copyFile(file: string, entry: string, { env }: Pick<Shell, "env">): string {
  const home = env["HOME"] ?? env["USERPROFILE"] ?? homedir();
  const state = env["XDG_STATE_HOME"] ?? env["LOCALAPPDATA"] ?? join(home, ".local/state");
  return join(state, "toolmount/moved-servers", `${digestText(`${file}\n${entry}`).slice(0, 32)}.json`);
}

export function digestText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The copy; undefined when this machine has none. */
export async function readCopy(path: string): Promise<MovedServers | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return text === undefined ? undefined : copy.parse(JSON.parse(text));
}

export async function writeCopy(path: string, moved: MovedServers): Promise<void> {
  makeFolder(dirname(path), 0o700);
  await writeFile(path, `${JSON.stringify(moved)}\n`, { mode: 0o600 });
  await chmod(path, 0o600); // of a file that was there
}

export async function removeCopy(path: string): Promise<void> {
  await rm(path, { force: true });
}
