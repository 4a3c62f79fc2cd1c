import { messageOf } from "@toolmount/core/errors";
import { ToolmountError } from "@toolmount/core";
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from "openai";

/** Why a request to a model failed. Source of the kinds: Amplifier's LLM errors. */
export type ModelErrorKind =
  | "rate_limit"
  | "authentication"
  | "access_denied"
  | "context_length"
  | "content_filter"
  | "invalid_request"
  | "unavailable"
  | "network"
  | "timeout"
  | "not_found"
  | "stream"
  | "abort"
  | "invalid_tool_call"
  | "configuration"
  | "quota_exceeded"
  | "other";

/** A failed request: what failed, where, and whether to retry. */
export interface ModelFailure {
  readonly kind: ModelErrorKind;
  readonly problem: string;
  readonly provider: string;
  readonly model: string;
  readonly status?: number | undefined;
  /** The server's own code. */
  readonly providerCode?: string | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Milliseconds that the server asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The factor by which the delay grows from one try to the next. */
  readonly delayMultiplier: number;
}

const retryable: ReadonlySet<ModelErrorKind> = new Set([
  "rate_limit",
  "unavailable",
  "network",
  "timeout",
  "stream",
]);

/** The error of a failed request. */
export class ModelError extends ToolmountError<"PROVIDER_FAILED"> {
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure, cause?: unknown) {
    super("PROVIDER_FAILED", { ...failure }, { cause });
    this.failure = failure;
  }
}

/** The server and the model of a request. */
export interface Place {
  readonly provider: string;
  readonly model: string;
}

/** Reads any failure of a request: the client's error, the server's status, or an event in the stream. */
export function readModelError(error: unknown, place: Place): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof Error && error.cause instanceof ModelError) return error.cause;
  if (error instanceof APIUserAbortError) return failed("abort", "the request was cancelled", place, error);
  if (error instanceof APIConnectionTimeoutError) return failed("timeout", "no answer in time", place, error);
  if (error instanceof APIConnectionError)
    return failed("network", `${place.provider} cannot be reached`, place, error);
  if (error instanceof APIError) return ofStatus(error, place);
  if (isLostConnection(error))
    return failed(
      "network",
      `${place.provider} closed the connection in the middle of its answer`,
      place,
      error,
    );
  if (error instanceof SyntaxError)
    return failed("stream", "the answer is not what the Responses API sends", place, error);
  const problem = messageOf(error);
  return failed("other", problem, place, error);
}

/** The client wraps errors before the body begins; errors of fetch within the body arrive unwrapped. */
function isLostConnection(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof Error && "code" in error.cause;
}

/** The error of an answer that was not complete within `timeoutMs`. */
export function lateAnswer(place: Place, timeoutMs: number, cause: unknown): ModelError {
  const problem = `no complete answer within ${timeoutMs} ms; raise timeoutMs if the model needs longer`;
  return failed("timeout", problem, place, cause);
}

/** The error of an answer that is too large. It is not retried: the next answer would be as large. */
export function largeAnswer(place: Place, maxBytes: number): ModelError {
  const problem = `the answer has more than ${maxBytes} bytes; set maxOutputTokens, or check the server`;
  return failed("stream", problem, place, undefined, { retryable: false });
}

/** A failure that a response or an event reports. */
export function reportedFailure(
  code: string | undefined,
  problem: string,
  place: Place,
  cause?: unknown,
): ModelError {
  return failed(ofCode(code, problem) ?? "stream", problem, place, cause, { providerCode: code });
}

function ofStatus(error: APIError, place: Place): ModelError {
  const status = error.status;
  const code = typeof error.code === "string" ? error.code : undefined;
  const problem = error.message.replace(/^\d{3} /, "");
  const kind = ofCode(code, problem) ?? kindOf(status);
  const headers = error.headers;
  return failed(kind, problem, place, error, {
    status,
    providerCode: code,
    retryAfterMs: readRetryAfter(headers),
  });
}

function kindOf(status: number | undefined): ModelErrorKind {
  if (status === undefined) return "stream";
  if (status === 400 || status === 422 || status === 409) return "invalid_request";
  if (status === 401) return "authentication";
  if (status === 403) return "access_denied";
  if (status === 404) return "not_found";
  if (status === 408) return "timeout";
  if (status === 413) return "context_length";
  if (status === 429) return "rate_limit";
  return status >= 500 ? "unavailable" : "other";
}

/** Codes that are more precise than the status. Sources: OpenAI's list of error codes, and recorded answers. */
function ofCode(code: string | undefined, problem: string): ModelErrorKind | null {
  if (code === "insufficient_quota") return "quota_exceeded";
  if (code === "context_length_exceeded" || /maximum context length|context window/i.test(problem))
    return "context_length";
  if (code === "content_filter" || code === "content_policy_violation") return "content_filter";
  if (code === "rate_limit_exceeded") return "rate_limit";
  if (code === "model_not_found") return "not_found";
  if (code === "invalid_api_key") return "authentication";
  if (code === "server_error" || code === "server_is_overloaded") return "unavailable";
  return null;
}

/**
 * Milliseconds to wait: `retry-after-ms`, or `retry-after` in seconds or as a date. A date counts from the server's own
 * `date` header and is ignored without one. Source: RFC 9110, section 10.2.3.
 */
export function readRetryAfter(headers: Headers | undefined): number | undefined {
  const ms = Number(headers?.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const given = headers?.get("retry-after") ?? "";
  const seconds = Number(given === "" ? Number.NaN : given);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1_000 : undefined;
  const at = Date.parse(given);
  if (Number.isNaN(at)) return undefined;
  const sent = Date.parse(headers?.get("date") ?? "");
  return Number.isNaN(sent) ? undefined : Math.max(0, at - sent);
}

function failed(
  kind: ModelErrorKind,
  problem: string,
  { provider, model }: Place,
  cause: unknown,
  more: Partial<ModelFailure> = {},
): ModelError {
  const failure: ModelFailure = {
    kind,
    problem: problem.slice(0, 2_000),
    provider,
    model,
    retryable: retryable.has(kind),
    delayMultiplier: kind === "rate_limit" ? 4 : 2,
    ...more,
  };
  return new ModelError(failure, cause);
}
