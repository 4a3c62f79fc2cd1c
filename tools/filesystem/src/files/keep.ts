import type { Json, ToolContext } from "@toolmount/core";
import type { FileIdentity } from "@toolmount/paths";
import { digestOf, markOf, sayIrreversible, takeEntry, takeFile } from "./kept-state.ts";
import type { Workspace } from "./workspace.ts";

/*
 * What a call gives to the host before it changes something, so that `undo` can make the former state again. Where the
 * host keeps nothing, such as for a call without a session, nothing is read for it.
 */

/** Keeps the file that a call replaces, or that there is none. Returns which file may be replaced; undefined when any. */
export function keepFile(
  { files }: Workspace,
  context: ToolContext,
  real: string,
  after: Uint8Array,
): Promise<FileIdentity | null | undefined> {
  return keeping(context, async (keep) => {
    const { snapshot: before, identity, missing: made } = await takeFile(files, real);
    await keep({ path: real, before, after: digestOf(after), made });
    return identity;
  });
}

/** Keeps which folders a call makes. */
export async function keepFolders({ files }: Workspace, context: ToolContext, path: string): Promise<void> {
  await keeping(context, async (keep) => {
    const { real } = await files.locate(path, "write");
    const [there] = [await markOf(files, real)];
    if (there !== null) return;
    const { missing } = await takeFile(files, real);
    await keep({ made: [...missing, real] });
  });
}

/** Keeps which entry a call moves, and the file that it replaces. */
export async function keepMoved(
  { files }: Workspace,
  context: ToolContext,
  { source, destination, overwrite }: { source: string; destination: string; overwrite: boolean },
): Promise<void> {
  await keeping(context, async (keep) => {
    const { place: from } = await files.snapshot(source, nothing).catch(placeOnly(files, source));
    const mark = await markOf(files, from.real);
    const { place: to, snapshot: over, missing: made } = await takeFile(files, destination);
    if (mark === null || (over !== null && !overwrite)) return; // the move will be refused
    await keep({ from: from.real, to: to.real, mark, over, made });
  });
}

/** Keeps what a call deletes. */
export async function keepDeleted(
  { files }: Workspace,
  context: ToolContext,
  { path, recursive }: { path: string; recursive: boolean },
): Promise<void> {
  await keeping(context, async (keep) => {
    const { place, snapshot: entry } = await takeEntry(files, path, context.abortSignal);
    const isRefused = entry?.kind === "folder" && entry.entries.length > 0 && !recursive;
    if (entry !== null && !isRefused) await keep({ path: place.real, entry });
  });
}
