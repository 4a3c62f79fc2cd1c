import { hash } from "node:crypto";
import type { SessionState, ToolContext } from "@toolmount/core";
import { isPathError, type FileIdentity } from "@toolmount/paths";
import { Refusal } from "./refusal.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Records, for the session, the content that it last read or wrote. In a host, a call without a session has its own state,
 * which ends with the call, so nothing is recorded.
 */
export function markSeen({ session, sessionId, runId }: ToolContext, real: string, bytes: Uint8Array): void {
  if (sessionId !== undefined || runId === "") session.set(keyOf(real), digestOf(bytes));
}

export function forgetSeen(session: SessionState, real: string): void {
  session.delete(keyOf(real));
}

/**
 * Throws `FILE_CHANGED` if the file differs from what the session knows, and `NOT_READ` if the session has to know it and does
 * not.
 */
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
 * Makes the check of {@link requireKnown} for a file that is replaced as a whole, and reads the file only if the check needs
 * that. Returns the identity of the file that may be replaced; undefined if any may.
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
    return undefined; // nothing can be lost here
  }
}

/** Returns the refusal to change a file that differs from what the session last saw. */
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
