import { basename } from "node:path";
import {
  changedSince,
  data,
  failure,
  type Json,
  type PartialResult,
  type ToolContext,
  type UndoRequest,
} from "@toolmount/core";
import {
  bytesOf,
  isPathError,
  isTemporary,
  markOfFile,
  type FileSnapshot,
  type Marked,
} from "@toolmount/paths";
import type { z } from "zod";
import { callFacts } from "./answer.ts";
import { deletedEntry, madeFolders, maxKeptBytes, movedEntry, writtenFile } from "./kept-state.ts";
import { inTurn } from "./under-lock.ts";
import type { Workspace } from "./workspace.ts";

type Undo = (
  change: UndoRequest,
  context: ToolContext,
) => Promise<PartialResult<{ readonly changed: boolean }>>;

/** Undoes the write of a file: restores the former content, or removes the file and the folders that were made for it. */
export function undoWrite(workspace: Workspace): Undo {
  return undoing(workspace, writtenFile, async ({ path, before, after, made }, context) => {
    const { files } = workspace;
    const now = await files.mark(path, maxKeptBytes);
    const isBefore = now.mark === (before === null ? null : markOfFile(before));
    if (!isBefore) {
      if (!isWritten(now.mark, before, after)) throw changed(path, now);
      if (before === null) await files.remove(path, { recursive: false });
      else await files.replace(path, bytesOf(before), { expected: now.identity, mode: before.mode });
    }
    await removeEmpty(workspace, before === null ? made : []);
    announce(workspace, path, before === null ? null : bytesOf(before).length, context);
    return !isBefore;
  });
}

/** Whether a file has the content that the call wrote, and the kept permissions, perhaps without the special bits. */
function isWritten(mark: string | null, before: FileSnapshot | null, after: string): boolean {
  if (mark === null || !mark.startsWith("file ") || !mark.endsWith(after)) return false;
  return (
    before === null || [before.mode, before.mode & 0o777].some((mode) => mark === `file ${mode} ${after}`)
  );
}

/** Undoes the making of folders: removes them if nothing else is in them. */
export function undoFolders(workspace: Workspace): Undo {
  return undoing(workspace, madeFolders, async ({ made }) => {
    for (const [at, folder] of made.entries()) {
      const other = (await namesIn(workspace, folder)).find((name) => name !== nameOf(made[at + 1]));
      if (other !== undefined) throw new Changed(`${folder} has the entry ${other} now`);
    }
    return removeEmpty(workspace, made);
  });
}

/** Undoes a move: moves the entry back, and restores the file that it replaced. */
export function undoMove(workspace: Workspace): Undo {
  return undoing(workspace, movedEntry, async ({ from, to, mark, over, made }, context) => {
    const { files } = workspace;
    const [atFrom, atTo] = [await files.mark(from, maxKeptBytes), await files.mark(to, maxKeptBytes)];
    const overMark = over === null ? null : markOfFile(over);
    const isBefore = atFrom.mark === mark && atTo.mark === overMark;
    const isMoved = atFrom.mark === null && atTo.mark === mark;
    // An earlier undo, or the move itself, was interrupted between its steps.
    const isHalf = atFrom.mark === mark && (atTo.mark === null || atTo.mark === mark);
    if (!isBefore && !isMoved && !isHalf)
      throw atTo.mark === mark ? changed(from, atFrom) : changed(to, atTo);
    if (isMoved) await files.move(to, from, { overwrite: false, signal: context.abortSignal });
    if (!isBefore) await restoreOver(workspace, to, over);
    if (over === null) await removeEmpty(workspace, made);
    workspace.announce("artifact:move", { path: to, to: from, ...callFacts(context) });
    return !isBefore;
  });
}

/** Restores the file that a move had replaced. If there was none, removes the second name of the entry. */
async function restoreOver({ files }: Workspace, to: string, over: FileSnapshot | null): Promise<void> {
  const { mark } = await files.mark(to, 0);
  if (mark !== null) await files.remove(to, { recursive: false });
  if (over !== null) await files.restore(to, over);
}

/** Undoes a deletion: restores the entry with everything in it. */
export function undoDelete(workspace: Workspace): Undo {
  return undoing(workspace, deletedEntry, async ({ path, entry }, context) => {
    const made = await workspace.files.restore(path, entry, context.abortSignal);
    announce(workspace, path, entry.kind === "file" ? bytesOf(entry).length : undefined, context);
    return made > 0;
  });
}

/** Makes an undo: reads the kept state, waits for other changes of the file, and returns a failure if path or disk refuse it. */
function undoing<Kept extends { path?: string; from?: string; made?: readonly string[] }>(
  workspace: Workspace,
  schema: z.ZodType<Kept>,
  work: (kept: Kept, context: ToolContext) => Promise<boolean>,
): Undo {
  return async (change, context) => {
    const kept = schema.parse(change.data satisfies Json);
    const path = kept.path ?? kept.from ?? kept.made![0]!;
    try {
      return data({ changed: await inTurn(workspace, path, () => work(kept, context)) });
    } catch (thrown) {
      if (thrown instanceof Changed) return changedSince(thrown.message);
      if (!isPathError(thrown)) throw thrown;
      const isChanged = thrown.code === "FILE_CHANGED" || thrown.code === "NOT_FOUND";
      return isChanged ? changedSince(thrown.message) : failure(thrown.message, { code: thrown.code });
    }
  };
}

/** The error for an entry that differs from what its call left. */
class Changed extends Error {}

function changed(path: string, { mark }: Marked): Changed {
  const now =
    mark === null
      ? "does not exist"
      : mark.startsWith("file")
        ? "has another content or other permissions"
        : "is another entry";
  return new Changed(`${path} ${now} now; the call left it differently`);
}

/** Removes the folders that a call made, the deepest first. A folder with other entries stays. */
async function removeEmpty({ files }: Workspace, made: readonly string[]): Promise<boolean> {
  let removed = false;
  for (const folder of made.toReversed()) {
    const { mark } = await files.mark(folder, 0);
    if (mark === null || !mark.startsWith("folder")) continue;
    try {
      await files.remove(folder, { recursive: false, leftovers: true });
      removed = true;
    } catch (thrown) {
      // A root cannot be removed, and stays.
      if (!isPathError(thrown) || !["DIRECTORY_NOT_EMPTY", "ACCESS_DENIED"].includes(thrown.code))
        throw thrown;
    }
  }
  return removed;
}

async function namesIn({ files }: Workspace, folder: string): Promise<readonly string[]> {
  const { mark } = await files.mark(folder, 0);
  if (mark === null || !mark.startsWith("folder")) return [];
  const { entries } = await files.list(folder, { offset: 0, limit: Number.MAX_SAFE_INTEGER });
  return entries.map(({ name }) => name).filter((name) => !isTemporary(name));
}

function nameOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : basename(path);
}

function announce(
  workspace: Workspace,
  path: string,
  bytes: number | null | undefined,
  context: ToolContext,
): void {
  const event = bytes === null ? "artifact:delete" : "artifact:write";
  const size = typeof bytes === "number" ? { bytes } : {};
  workspace.announce(event, { path, ...size, ...callFacts(context) });
}
