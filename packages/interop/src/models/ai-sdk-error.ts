import { isToolmountError, type ToolmountError } from "@toolmount/core";
import { kindOfStatus, modelError, readRetryAfter, type ModelErrorKind } from "./model.ts";
import { isRecord, parseJson } from "../schema/guards.ts";
import { readFailedToolCall, type FailedToolCall } from "./failed-tool-call.ts";

/** The server and the model of a request. */
export interface ModelAddress {
  readonly provider: string;
  readonly model: string;
  /** The environment variable from which a command takes the key. */
  readonly keyVariable?: string | undefined;
}

/** Reads any failure of the AI SDK's model: an aborted request, an `APICallError`, or a broken stream. */
export function readAiSdkError(
  error: unknown,
  { keyVariable, ...address }: ModelAddress,
  { isLate, timeoutMs }: { readonly isLate: boolean; readonly timeoutMs: number },
): ToolmountError {
  const known = ownError(error);
  if (known !== null) return known;
  const { name = "", message = String(error) } = error instanceof Error ? error : {};
  if (isLate) {
    const problem = `no complete answer within ${timeoutMs} ms; raise timeoutMs if the model needs longer`;
    return modelError({ ...address, kind: "timeout", problem }, error);
  }
  if (name === "AbortError" || name === "ResponseAborted")
    return modelError({ ...address, kind: "abort", problem: "the request was cancelled" }, error);
  if (name === "AI_LoadAPIKeyError")
    return modelError({ ...address, kind: "configuration", problem: message }, error);
  if (isRecord(error) || error instanceof Error) return ofCall(error, message, address, keyVariable);
  return modelError({ ...address, kind: "stream", problem: message }, error);
}

/** Finds our own error. A package of the SDK wraps an error of its fetch once or twice. */
function ownError(error: unknown): ToolmountError | null {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 4; inner = inner.cause, depth++)
    if (isToolmountError(inner) && inner.code === "PROVIDER_FAILED") return inner;
  return null;
}

interface CallError {
  readonly statusCode?: unknown;
  readonly responseHeaders?: unknown;
  readonly data?: unknown;
  /** The text of the answer. `data` has only the members that a package knows. */
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
  const read = (name: string) => (typeof headers[name] === "string" ? headers[name] : null);
  const providerCode = codeIn(error.data);
  const toolCall = failedToolCallIn(error);
  const kind = toolCall === null ? kindOf(message, status, providerCode) : "invalid_tool_call";
  const more = { status, providerCode, retryAfterMs: readRetryAfter(read), ...toolCall };
  const key = `; the key is apiKey of the plan's session.orchestrator, or the environment variable ${keyVariable} for a plan without one`;
  const problem = kind === "authentication" && keyVariable !== undefined ? message + key : message;
  return modelError({ ...address, kind, problem, ...more }, error);
}

/** With a status of success, the answer broke off or could not be read. */
function kindOf(message: string, status: number | undefined, code: string | undefined): ModelErrorKind {
  if (code === "insufficient_quota" || /exceeded your current quota/i.test(message)) return "quota_exceeded";
  if (saysContextIsFull(message)) return "context_length";
  return status !== undefined && status < 300 ? "stream" : kindOfStatus(status);
}

/**
 * Whether a server's words say that a request has more tokens than the model's window. Sources: the errors of OpenAI,
 * Anthropic, Gemini, Mistral, Groq, xAI, OpenRouter, vLLM, llama.cpp, Ollama and LM Studio.
 */
export function saysContextIsFull(message: string): boolean {
  return fullContext.test(message);
}

const fullContext =
  /context (length|window|size|limit)|too many tokens|prompt is too long|input token count .*exceeds|exceeds? the (maximum number of tokens|limit of \d+ tokens)|maximum prompt length|reduce the length of (the|your) (messages|prompt|input)|input is too long|too large for model|request too large|n_ctx/i;

function failedToolCallIn({ responseBody }: CallError): FailedToolCall | null {
  const body = parseJson(String(responseBody));
  return isRecord(body) ? readFailedToolCall(body["error"]) : null;
}

function codeIn(data: unknown): string | undefined {
  const inner = isRecord(data) && isRecord(data["error"]) ? data["error"] : {};
  const code = inner["code"] ?? inner["type"] ?? inner["status"];
  return typeof code === "string" ? code : undefined;
}
