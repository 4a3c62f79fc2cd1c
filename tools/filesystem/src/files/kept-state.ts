import { hash } from "node:crypto";
import { basename, dirname } from "node:path";
import type { ToolContext } from "@toolmount/core";
import { bytesOf, isPathError, type FileSnapshot, type Files, type Snapshot, type TakenSnapshot } from "@toolmount/paths";
import { z } from "zod";

/** Most bytes of what a call replaces or deletes that are kept. As JSON, that fits what a host keeps of a change. */
const maxBytes = 12_582_912;

const mode = z.int().min(0);

const file: z.ZodType<FileSnapshot> = z.strictObject({
  kind: z.literal("file"),
  mode,
  text: z.string().optional(),
  base64: z.base64().optional(),
}) as never;

const snapshot: z.ZodType<Snapshot> = z.lazy(() =>
  z.union([
    file,
    z.strictObject({ kind: z.literal("link"), target: z.string() }),
    z.strictObject({ kind: z.literal("folder"), mode, entries: z.array(z.tuple([z.string(), snapshot])) }),
  ]),
);

const path = z.string();
const made = z.array(path);

/** What an undo needs of a call that wrote a file: what was there, the digest of what it wrote, the folders it made. */
export const writtenFile = z.strictObject({ path, before: file.nullable(), after: z.string(), made });

/** What an undo needs of a call that made folders. */
export const madeFolders = z.strictObject({ made });

/** What an undo needs of a call that moved an entry: its mark, the file that it replaced, the folders it made. */
export const movedEntry = z.strictObject({ from: path, to: path, mark: z.string(), over: file.nullable(), made });

/** What an undo needs of a call that deleted an entry. */
export const deletedEntry = z.strictObject({ path, entry: snapshot });

/** Reads the file at a place without links, to keep it. Throws `IS_A_DIRECTORY`, `FILE_TOO_LARGE`. */
export async function takeFile(files: Files, real: string): Promise<TakenSnapshot & { snapshot: FileSnapshot | null }> {
  const taken = await files.snapshot(real, { maxBytes, folders: false });
  return taken as TakenSnapshot & { snapshot: FileSnapshot | null };
}

/** Reads an entry with all that is in it, to keep it. */
export function takeEntry(files: Files, given: string, signal: AbortSignal): Promise<TakenSnapshot> {
  return files.snapshot(given, { maxBytes, folders: true, signal });
}

export function digestOf(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}

/** A mark of a file's content and permissions. */
export function markOfFile(kept: FileSnapshot): string {
  return `file ${kept.mode.toString(8)} ${digestOf(bytesOf(kept))}`;
}

/**
 * A mark by which an undo sees whether a moved entry is still the one that was moved: of a file its content, of a large
 * file its size and time, of a folder its names. Null when there is no entry.
 */
export async function markOf(files: Files, real: string): Promise<string | null> {
  const [entry] = await files.look(dirname(real), [basename(real)]).catch(noneThere);
  if (entry === null || entry === undefined) return null;
  if (entry.kind === "directory") return `folder ${digestOf(Buffer.from(JSON.stringify(await namesIn(files, real))))}`;
  if (entry.kind !== "file") return entry.kind;
  if (entry.bytes! > maxBytes) return `large ${entry.bytes} ${entry.modifiedMs}`;
  const { snapshot: kept } = await takeFile(files, real);
  return kept === null ? null : markOfFile(kept);
}

function noneThere(thrown: unknown): readonly null[] {
  if (isPathError(thrown) && thrown.code === "NOT_FOUND") return [null];
  throw thrown;
}

/** The names in a folder, sorted. */
export async function namesIn(files: Files, real: string): Promise<readonly string[]> {
  const { entries } = await files.list(real, { offset: 0, limit: Number.MAX_SAFE_INTEGER });
  return entries.map(({ name }) => name).toSorted();
}

/** Tells the host, before a call changes something, that it cannot be undone because a part of it cannot be kept. */
export async function sayIrreversible({ irreversible }: ToolContext, thrown: unknown): Promise<void> {
  if (!isPathError(thrown)) throw thrown;
  const reason = reasons[thrown.code];
  // For any other reason the call itself fails.
  if (reason !== undefined) await irreversible?.(reason);
}

const reasons: Readonly<Record<string, string>> = {
  FILE_TOO_LARGE: `what was there is larger than the ${maxBytes} bytes that are kept`,
  ACCESS_DENIED: "a part of what was there may not be read",
  NOT_A_FILE: "it has a pipe, a socket or a device",
  OS_ERROR: "a part of what was there cannot be read",
};
