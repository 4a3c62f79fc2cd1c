import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder, rewriteText } from "@toolmount/paths";
import { z } from "zod";
import type { Shell } from "../process/shell.ts";
import { homeOf } from "./mcp-clients.ts";

const copy = z.strictObject({
  /** The path of the client's file. */
  file: z.string(),
  /**
   * The file's text before the entry was added (null if the file did not exist), and the digest of its text afterwards. `whole`
   * is null if the file was changed in between, so that its old text cannot be restored.
   */
  whole: z.strictObject({ before: z.string().nullable(), after: z.string() }).nullable(),
  /** The servers by name, exactly as the client's file had them. */
  servers: z.record(z.string(), z.unknown()),
});

/** The servers that `connect` took out of a client's file. They may hold secrets that the file held. */
export type MovedServers = z.output<typeof copy>;

/**
 * Returns the path at which the removed servers are stored: in the user's state folder, for the user alone, and outside the
 * folders that tools may read. The path also depends on the entry's name, because a client's file may have several entries of
 * toolmount.
 */
export function copyFile(file: string, entry: string, { env }: Pick<Shell, "env">): string {
  const state = env["XDG_STATE_HOME"] ?? env["LOCALAPPDATA"] ?? join(homeOf({ env }), ".local/state");
  return join(state, "toolmount/moved-servers", `${digestText(`${file}\n${entry}`).slice(0, 32)}.json`);
}

export function digestText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Reads the stored servers; undefined if nothing is stored at `path`. */
export async function readCopy(path: string): Promise<MovedServers | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return text === undefined ? undefined : copy.parse(JSON.parse(text));
}

export async function writeCopy(path: string, moved: MovedServers): Promise<void> {
  makeFolder(dirname(path), 0o700);
  await rewriteText(path, () => `${JSON.stringify(moved)}\n`, { mode: 0o600 });
}

export async function removeCopy(path: string): Promise<void> {
  await rm(path, { force: true });
}
