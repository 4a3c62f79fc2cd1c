import {
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { failure, type JsonObject, type PartialResult } from "@toolmount/core";
import { messageOf, ToolError } from "@toolmount/core/errors";
import { downloaderOf, signsInByHeader, type ServerSettings } from "./config.ts";
import type { StdioTransport } from "./stdio-transport.ts";

/** Returns an error that a model may read: which server cannot be reached, and why. */
export function gone(name: string, cause: string, error?: unknown): ToolError {
  return new ToolError(`the MCP server "${name}" cannot be reached: ${cause}`, {
    code: "MCP_SERVER_UNAVAILABLE",
    cause: error,
  });
}

/** Returns the error for an attempt to connect and list tools that took too long. */
export function tooLate(settings: Pick<ServerSettings, "startTimeoutMs" | "command" | "args">): Error {
  const by = downloaderOf(settings);
  const why =
    by === undefined
      ? ""
      : `; its first start by ${by} may download it, so try again or raise startTimeoutMs`;
  return new Error(`it did not answer within ${settings.startTimeoutMs} ms${why}`);
}

interface Failing {
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly auth: { readonly grant: string; readonly issuer?: string | undefined };
}

/** Returns an error that a person can solve by signing in, or by another key in the plan. */
export function needsSignIn(
  {
    settings: { name, auth, headers = {} },
    user,
  }: { readonly settings: Failing; readonly user?: string | undefined },
  cause: string,
  error?: unknown,
): ToolError {
  if (auth.grant === "token_exchange" && user !== undefined)
    return new ToolError(
      `the MCP server "${name}" refuses the token that ${auth.issuer} gave for the user "${user}": ${cause}`,
      { code: "MCP_NEEDS_AUTH", cause: error },
    );
  if (signsInByHeader({ headers })) {
    const text = textOf(error);
    const words = text === "" ? cause : text.slice(0, 300);
    return new ToolError(`the MCP server "${name}" refuses the authorization header of its entry: ${words}`, {
      code: "MCP_KEY_REFUSED",
      cause: error,
    });
  }
  const who = user === undefined ? "a person" : `the user "${user}"`;
  const whose = user === undefined ? "" : ` --user ${/^[\w.@-]+$/.test(user) ? user : JSON.stringify(user)}`;
  return new ToolError(
    `the MCP server "${name}" needs a sign-in: ${cause}; ${who} has to run: toolmount auth ${name}${whose}`,
    { code: "MCP_NEEDS_AUTH", cause: error },
  );
}

/** Returns the text that the server wrote with an HTTP error. */
function textOf(error: unknown): string {
  const text = error instanceof SdkHttpError ? error.data?.text : undefined;
  return typeof text === "string" ? text.trim() : "";
}

/**
 * Returns the result of a call that may have taken effect, though its answer was not read. `text` is what the server wrote
 * instead of an answer.
 */
export function unanswered(
  problem: string,
  { text = "", ...facts }: { readonly code: string; readonly details?: JsonObject; readonly text?: string },
): PartialResult {
  const content = text.trim() === "" ? undefined : [{ type: "text" as const, text }];
  return failure(`${problem}; whether it took effect is not known`, { ...facts, mayHaveRun: true, content });
}

/** Returns the HTTP status of an answer that is not one of the protocol; undefined for other failures. */
export function httpStatusOf(error: unknown): number | undefined {
  return error instanceof SdkHttpError ? error.status : undefined;
}

/** Returns a sentence that says why a connection ended and, for a program, how the program ended and what it printed last. */
export function causeOf(error: unknown, transport: StdioTransport | undefined): string {
  const ended = transport?.refused?.message ?? transport?.ended;
  const last = tellingLine(transport?.lastWords ?? "");
  const words = last === "" ? "" : `; it said last: ${last.slice(0, 300)}`;
  if (ended !== undefined) return `${ended}${words}`;
  if (error === undefined) return "the connection ended";
  const { code, syscall = "" } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" && syscall.startsWith("spawn "))
    return `there is no program ${syscall.slice("spawn ".length)}, or no folder to start it in; install it, or write its path`;
  return `${reasonOf(error).slice(0, 500)}${words}`;
}

/** Returns the line of a program's standard error that says best why it ended: after an error, Node prints more lines. */
function tellingLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const telling = lines.filter(
    (line) => line !== "" && !/^(?:at |Node\.js v\d|[{}^]|code: |requireStack: )/.test(line),
  );
  return telling.findLast((line) => /^[\w.]*(?:Error|Exception)\b[^:]*:/.test(line)) ?? telling.at(-1) ?? "";
}

/**
 * Returns why a connection failed: the status and the text of an HTTP answer, or an error's message with its cause, because Node's
 * `fetch` itself says only "fetch failed" or "terminated".
 */
function reasonOf(error: unknown): string {
  const [status, text] = [httpStatusOf(error), textOf(error)];
  if (status !== undefined) return `it answered with HTTP status ${status}${text === "" ? "" : `: ${text}`}`;
  const cause = networkCauseOf(error);
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageOf(cause)}`;
}

/**
 * Returns what the network reported, if that is why a `fetch` failed. If an answer was cut off, the returned error has no
 * `code`.
 */
function networkCauseOf(error: unknown): (Error & { readonly code?: unknown }) | undefined {
  return error instanceof TypeError && error.cause instanceof Error ? error.cause : undefined;
}

/** Whether the server refused the credentials, so that a person has to sign in. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof UnauthorizedError || httpStatusOf(error) === 401;
}

/** Whether a server over HTTP refused Streamable HTTP for another reason than credentials or too many requests. */
export function refusesToPost(error: unknown): boolean {
  const status = httpStatusOf(error) ?? 0;
  return status >= 400 && status < 500 && ![401, 429].includes(status);
}

/**
 * Whether a failed attempt to connect does not tell how the server has to be spoken to: the server was not reached, ended, was
 * busy, failed by itself, or refused the credentials.
 */
export function isAway(error: unknown): boolean {
  const status = error instanceof SseError ? (error.code ?? 503) : (httpStatusOf(error) ?? 0);
  const isBusy = status === 429 || status >= 500;
  return isBusy || isUnsent(error) || isLost(error) || isUnauthorized(error);
}

/** Whether the server was reached but did not answer. */
export function isSilent(error: unknown): boolean {
  return (
    isSdkError(error, SdkErrorCode.RequestTimeout) || isSdkError(error, SdkErrorCode.EraNegotiationFailed)
  );
}

/** Whether the server does not know the session (HTTP 404). Servers say so before they run anything. */
export function isForgotten(error: unknown): boolean {
  return httpStatusOf(error) === 404;
}

/** Codes of failures to connect, after which nothing of a request was sent. */
const notConnected: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether a message did not leave this process, because the server ended before or no connection to it was made. */
export function isUnsent(error: unknown): boolean {
  return isSdkError(error, SdkErrorCode.NotConnected) || notConnected.has(networkCauseOf(error)?.code);
}

/** Whether a connection ended before the answer came; the server may have done what was asked. */
export function isLost(error: unknown): boolean {
  if (isSdkError(error, SdkErrorCode.ConnectionClosed)) return true;
  return networkCauseOf(error) !== undefined && !isUnsent(error);
}

function isSdkError(error: unknown, code: SdkErrorCode): boolean {
  return error instanceof SdkError && error.code === code;
}

/** Returns the error for a tool whose definition has changed since a call of it was decided about. */
export function toolChanged(tool: string, server: string, isLocked: boolean): ToolError {
  const than = isLocked
    ? "the lock file; compare with: toolmount lock --check"
    : "when this call was decided about; call it again";
  return new ToolError(`the MCP server "${server}" describes "${tool}" otherwise than ${than}`, {
    code: "MCP_TOOL_CHANGED",
  });
}
