import { getSystemErrorMap } from "node:util";
import type { Access } from "./rules.ts";

/** Messages by error code. They state a path as it was given, never its real place. */
const messages = {
  INVALID_PATH: (d: { path: string; problem: string }) => `Invalid path: ${d.problem}`,
  ACCESS_DENIED: (d: { path: string; reason: Access | "denied" | "kept" }) =>
    `Access denied: ${d.path} ${denials[d.reason]}`,
  NOT_FOUND: (d: { path: string }) => `Path not found: ${d.path}`,
  NOT_A_FILE: (d: { path: string }) => `Not a regular file: ${d.path}`,
  IS_A_DIRECTORY: (d: { path: string }) => `Is a directory: ${d.path}`,
  NOT_A_DIRECTORY: (d: { path: string }) => `Not a directory: ${d.path}`,
  DIRECTORY_NOT_EMPTY: (d: { path: string }) => `Directory is not empty: ${d.path}`,
  ALREADY_EXISTS: (d: { path: string }) => `Already exists: ${d.path}`,
  FILE_TOO_LARGE: (d: { path: string; bytes: number; maxBytes: number }) =>
    `File too large: ${d.path} has ${d.bytes} bytes, the limit is ${d.maxBytes}`,
  FILE_CHANGED: (d: { path: string }) => `File was changed by another writer: ${d.path}`,
  OS_ERROR: (d: { path: string; errno: string; problem: string }) => `${d.problem} (${d.errno}): ${d.path}`,
} as const;

const denials = {
  read: "is not within allowed read paths",
  write: "is not within allowed write paths",
  denied: "is within denied directories",
  kept: "holds a root or a denied path, and cannot be moved or removed",
};

type Messages = typeof messages;

/** Every error code of this package. The codes are stable: none is renamed or used again with another meaning. */
export type PathErrorCode = keyof Messages;

type Details<Code extends PathErrorCode> = Parameters<Messages[Code]>[0];

/** An error that says why a path was refused, or why the disk failed. The message is for the model. */
export class PathError<Code extends PathErrorCode = PathErrorCode> extends Error {
  override readonly name = "PathError";
  readonly code: Code;
  readonly details: Details<Code>;

  constructor(code: Code, details: Details<Code>, options?: { cause?: unknown }) {
    super((messages[code] as (details: Details<Code>) => string)(details), options);
    this.code = code;
    this.details = details;
  }
}

/** Whether a value is a PathError, of this copy of the package or another. */
export function isPathError(value: unknown): value is PathError {
  return value instanceof Error && value.name === "PathError" && "code" in value && "details" in value;
}

/** Returns the code of an error from the operating system, such as `ENOENT`; empty for anything else. */
export function errnoOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
}

const known: Readonly<Record<string, PathErrorCode>> = {
  ENOENT: "NOT_FOUND",
  ENOTDIR: "NOT_FOUND",
  ENXIO: "NOT_A_FILE",
  EISDIR: "IS_A_DIRECTORY",
  EEXIST: "ALREADY_EXISTS",
  ENOTEMPTY: "DIRECTORY_NOT_EMPTY",
};

/** Converts an error of the operating system to one about the path as given, because the system's text names the real path. */
export function pathErrorOf(thrown: unknown, path: string, access: Access): unknown {
  const errno = errnoOf(thrown);
  if (isPathError(thrown) || errno === "" || errno.startsWith("ERR_") || errno === "ABORT_ERR") return thrown;
  // A link appeared after the check, because another process replaced the entry.
  if (errno === "ELOOP" || errno === "EMLINK")
    return new PathError("ACCESS_DENIED", { path, reason: access }, { cause: thrown });
  if (errno === "ENAMETOOLONG")
    return new PathError("INVALID_PATH", { path, problem: "a name in it is too long" }, { cause: thrown });
  const code = known[errno];
  if (code !== undefined) return new PathError(code as "NOT_FOUND", { path }, { cause: thrown });
  return new PathError("OS_ERROR", { path, errno, problem: describe(thrown) }, { cause: thrown });
}

function describe(thrown: unknown): string {
  const { errno } = thrown as { errno?: number };
  return (errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]) ?? "the system refused";
}
