import { hash } from "node:crypto";
import type { Json, ToolContext } from "@toolmount/core";
import { isPathError, type FileIdentity } from "@toolmount/paths";
import { maxKeptBytes } from "./kept-state.ts";
import type { Workspace } from "./workspace.ts";

/*
 * These functions give the host the former state before a call changes it, so that `undo` can restore it. If the host keeps
 * nothing, as for a call without a session, nothing is read.
 */

/**
 * Keeps the file that a call replaces, or the fact that there is none. Returns the identity of the file that may be replaced,
 * null if there must be no file; undefined if any file may be replaced.
 */
export function keepFile(
  { files }: Workspace,
  context: ToolContext,
  real: string,
  after: Uint8Array,
): Promise<FileIdentity | null | undefined> {
  return keeping(context, async (keep) => {
    const options = { maxBytes: maxKeptBytes, folders: false, signal: context.abortSignal };
    const { snapshot: before, identity, missing: made } = await files.snapshot(real, options);
    if (before !== null && before.kind !== "file") return undefined; // the write will be refused
    await keep({ path: real, before, after: digestOf(after), made });
    return identity;
  });
}

/** Keeps which folders a call makes, so that an undo can remove them. */
export async function keepFolders({ files }: Workspace, context: ToolContext, given: string): Promise<void> {
  await keeping(context, async (keep) => {
    const { real } = await files.locate(given, "write");
    const { mark, missing } = await files.mark(real, 0);
    if (mark === null) await keep({ made: [...missing, real] });
  });
}

/** Keeps the entry that a call moves, and the file that it replaces. */
export async function keepMoved(
  { files }: Workspace,
  context: ToolContext,
  { source, destination, overwrite }: { source: string; destination: string; overwrite: boolean },
): Promise<void> {
  await keeping(context, async (keep) => {
    const from = await files.mark(source, maxKeptBytes);
    const to = await files.mark(destination, 0);
    if (from.mark === null || (to.mark !== null && !isFile(to.mark, overwrite))) return; // the move will be refused
    const { snapshot: over } = await files.snapshot(to.place.real, {
      maxBytes: maxKeptBytes,
      folders: false,
    });
    await keep({ from: from.place.real, to: to.place.real, mark: from.mark, over, made: to.missing });
  });
}

/** Whether a move may replace an entry. */
function isFile(mark: string, overwrite: boolean): boolean {
  return overwrite && (mark.startsWith("file ") || mark.startsWith("large "));
}

/** Keeps the entry that a call deletes, with everything in it. */
export async function keepDeleted(
  { files }: Workspace,
  context: ToolContext,
  { path, recursive }: { path: string; recursive: boolean },
): Promise<void> {
  await keeping(context, async (keep) => {
    const options = { maxBytes: maxKeptBytes, folders: true, signal: context.abortSignal };
    const { place, snapshot: entry } = await files.snapshot(path, options);
    const isRefused = entry?.kind === "folder" && entry.entries.length > 0 && !recursive;
    if (entry !== null && !isRefused) await keep({ path: place.real, entry });
  });
}

/**
 * Runs `work` if the host keeps changes. If a part of the former state cannot be kept, it reports before the change that this
 * change cannot be undone.
 */
async function keeping<Value>(
  { undoable, irreversible }: ToolContext,
  work: (keep: (state: object) => Promise<void>) => Promise<Value>,
): Promise<Value | undefined> {
  if (undoable === undefined) return undefined;
  try {
    return await work((state) => undoable(state as Json));
  } catch (thrown) {
    const reason = isPathError(thrown) ? reasons[thrown.code] : undefined;
    if (reason !== undefined) await irreversible?.(reason);
    else if (!isPathError(thrown)) throw thrown; // the change itself will fail for any other reason
    return undefined;
  }
}

const reasons: Readonly<Record<string, string>> = {
  FILE_TOO_LARGE: `what it replaces or deletes has more than ${maxKeptBytes} bytes`,
  ACCESS_DENIED: "a part of what it replaces or deletes may not be read",
  NOT_A_FILE: "it deletes a pipe, a socket or a device",
  OS_ERROR: "a part of what it replaces or deletes cannot be read",
};

/** Returns the digest of the content that a call writes. */
function digestOf(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}
