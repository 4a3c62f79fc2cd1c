import { hash } from "node:crypto";
import type { SessionState, ToolContext } from "@toolmount/core";
import { isPathError, type FileIdentity } from "@toolmount/paths";
import { Refusal } from "./refusal.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Remembers, for the session, what a file held when the session last read or wrote it. In a host, a call without a session
 * has its own state, which ends with the call: nothing is remembered.
 */
export function markSeen({ session, sessionId, runId }: ToolContext, real: string, bytes: Uint8Array): void {
  if (sessionId !== undefined || runId === "") session.set(keyOf(real), digestOf(bytes));
}

export function forgetSeen(session: SessionState, real: string): void {
  session.delete(keyOf(real));
}

/** Refuses with `FILE_CHANGED` when the file is other than the session knows it, with `NOT_READ` when it must know it. */
export function requireKnown(
  { settings }: Workspace,
  session: SessionState,
  file: { given: string; real: string; bytes: Uint8Array },
): void {
  const known = session.get(keyOf(file.real));
  if (known === undefined && settings.read_before_write) throw notRead(file.given);
  if (known !== undefined && known !== digestOf(file.bytes)) throw changed(file.given);
}

/**
 * Does the same for a file that is replaced as a whole, and reads it only when the check needs it. Returns the file that may
 * be replaced; undefined when any may.
 */
export async function requireReplaceable(
  workspace: Workspace,
  session: SessionState,
  path: string,
  real: string,
): Promise<FileIdentity | undefined> {
  if (session.get(keyOf(real)) === undefined && !workspace.settings.read_before_write) return undefined;
  try {
    const { bytes, identity } = await workspace.files.read(path, workspace.settings.max_read_bytes);
    requireKnown(workspace, session, { given: path, real, bytes });
    return identity;
  } catch (thrown) {
    if (!isPathError(thrown)) throw thrown;
    if (thrown.code === "FILE_TOO_LARGE") throw changed(path);
    if (thrown.code !== "NOT_FOUND") throw thrown;
    return undefined; // Nothing is there to be lost.
  }
}

/** Refuses a change of a file that is not as the session last saw it. */
export function changed(path: string): Refusal {
  const message = `File was changed since it was last read: ${path}. Read it again, then repeat the change.`;
  return new Refusal(message, "FILE_CHANGED", { path });
}

function notRead(path: string): Refusal {
  const message = `File has not been read in this session: ${path}. Read it first, then repeat the change.`;
  return new Refusal(message, "NOT_READ", { path });
}

function keyOf(real: string): string {
  return `filesystem.seen:${real}`;
}

function digestOf(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}
