import { SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import { messageOf, ToolError } from "@toolmount/core/errors";
import type { StdioTransport } from "./stdio-transport.ts";

/** A failure that a model may read: which server, and why. */
export function gone(name: string, cause: string, error?: unknown): ToolError {
  return new ToolError(`the MCP server "${name}" cannot be reached: ${cause}`, {
    code: "MCP_SERVER_UNAVAILABLE",
    cause: error,
  });
}

/** A failure that a person can end by signing in. */
export function needsSignIn(name: string, cause: string, error?: unknown): ToolError {
  return new ToolError(
    `the MCP server "${name}" needs a sign-in: ${cause}; a person has to run: toolmount auth ${name}`,
    { code: "MCP_NEEDS_AUTH", cause: error },
  );
}

/** Why a connection ended, in a sentence: how its program ended and what it said last, where there is one. */
export function causeOf(error: unknown, transport: StdioTransport | undefined): string {
  const ended = transport?.ended;
  const last = transport?.lastWords.trim().split("\n").at(-1)?.trim() ?? "";
  const words = last === "" ? "" : `; it said last: ${last.slice(0, 300)}`;
  if (ended !== undefined) return `${ended}${words}`;
  if (error === undefined) return "the connection ended";
  return `${messageOf(error).slice(0, 500)}${words}`;
}

/** Waits for work as long as a signal lets it; `reason` makes the error of a wait that was cut short. */
export async function raceSignal<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  reason: () => unknown = () => signal.reason,
): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(reason());
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The server refused the credentials, or a person has to sign in. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401);
}

/** A message did not leave this process: the server ended before. */
export function isUnsent(error: unknown): error is SdkError {
  return error instanceof SdkError && error.code === SdkErrorCode.NotConnected;
}

const delaysMs = [0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const;

/** Delay before a new connection, in milliseconds, after so many failures in a row. */
export function backOffMs(failures: number): number {
  return delaysMs[failures] ?? 30_000;
}

/** A tool is not what it was when a call of it was decided about. */
export function toolChanged(tool: string, server: string): ToolError {
  return new ToolError(
    `the MCP server "${server}" describes "${tool}" otherwise than when this call was decided about; call it again`,
    { code: "MCP_TOOL_CHANGED" },
  );
}
