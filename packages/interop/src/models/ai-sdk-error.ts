import { isToolmountError, type ToolmountError } from "@toolmount/core";
import { isRecord, parseJson } from "../schema/guards.ts";
import { judgeFailure } from "./failure-table.ts";
import { modelError } from "./model.ts";

/** The server and model of a request, as errors name them. */
export interface ModelAddress {
  readonly provider: string;
  readonly model: string;
  /** The environment variable from which a command reads the key. */
  readonly keyVariable?: string | undefined;
}

/** Turns any failure of the AI SDK's model into our error: an aborted request, an `APICallError`, or a broken stream. */
export function readAiSdkError(
  error: unknown,
  { keyVariable, ...address }: ModelAddress,
  { isLate, timeoutMs }: { readonly isLate: boolean; readonly timeoutMs: number },
): ToolmountError {
  const known = ownError(error);
  if (known !== null) return known;
  const { name = "", message = String(error) } = error instanceof Error ? error : {};
  if (isLate) {
    const problem = `no complete answer within ${timeoutMs} ms; raise the timeout if the model needs longer`;
    return modelError({ ...address, kind: "timeout", problem }, error);
  }
  if (name === "AbortError" || name === "ResponseAborted")
    return modelError({ ...address, kind: "abort", problem: "the request was cancelled" }, error);
  if (name === "AI_LoadAPIKeyError")
    return modelError({ ...address, kind: "configuration", problem: message }, error);
  if (isRecord(error) || error instanceof Error) return ofCall(error, message, address, keyVariable);
  return modelError({ ...address, kind: "stream", problem: message }, error);
}

/** Finds our own error within another one, because a package of the SDK wraps errors of its fetch once or twice. */
function ownError(error: unknown): ToolmountError | null {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 4; inner = inner.cause, depth++)
    if (isToolmountError(inner) && inner.code === "PROVIDER_FAILED") return inner;
  return null;
}

interface CallError {
  readonly statusCode?: unknown;
  readonly responseHeaders?: unknown;
  readonly data?: unknown;
  /** The text of the answer, whereas `data` has only those members that the package knows. */
  readonly responseBody?: unknown;
  readonly cause?: unknown;
  readonly url?: unknown;
}

function ofCall(
  error: CallError,
  message: string,
  address: ModelAddress,
  keyVariable: string | undefined,
): ToolmountError {
  const status = typeof error.statusCode === "number" ? error.statusCode : undefined;
  const isLost = status === undefined && (error.url !== undefined || error.cause !== undefined);
  if (isLost)
    return modelError({ ...address, kind: "network", problem: `${address.provider}: ${message}` }, error);
  const headers = isRecord(error.responseHeaders) ? error.responseHeaders : {};
  const header = (name: string) => (typeof headers[name] === "string" ? headers[name] : null);
  const read = judgeFailure({ status, message, code: codeIn(error.data), error: errorIn(error), header });
  const key = `; the key is apiKey of the plan's agent, or the environment variable ${keyVariable} for a plan without one`;
  const hint = read.kind === "authentication" && keyVariable !== undefined ? key : "";
  return modelError({ ...address, ...read, problem: read.problem + hint }, error);
}

/** Returns the error in the body as the server wrote it. Streams of Gemini report it in a list. */
function errorIn({ responseBody }: CallError): unknown {
  const body = parseJson(String(responseBody));
  const [whole] = Array.isArray(body) ? (body as readonly unknown[]) : [body];
  return isRecord(whole) ? (whole["error"] ?? whole) : undefined;
}

function codeIn(data: unknown): string | undefined {
  const inner = isRecord(data) && isRecord(data["error"]) ? data["error"] : {};
  const code = inner["code"] ?? inner["type"] ?? inner["status"];
  return typeof code === "string" ? code : undefined;
}
