import { messageOf } from "@toolmount/core/errors";
import { ToolmountError } from "@toolmount/core";
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from "openai";

/** Why a model did not answer. Source of the kinds: Amplifier's LLM errors. */
export type ProviderErrorKind =
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

/** What is known of a failed request. */
export interface ProviderFailure {
  readonly kind: ProviderErrorKind;
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
  /** By how much waiting grows from one try to the next. */
  readonly delayMultiplier: number;
}

const retryable: ReadonlySet<ProviderErrorKind> = new Set([
  "rate_limit",
  "unavailable",
  "network",
  "timeout",
  "stream",
]);

/** A failed request. */
export class ProviderError extends ToolmountError<"PROVIDER_FAILED"> {
  readonly failure: ProviderFailure;

  constructor(failure: ProviderFailure, cause?: unknown) {
    super("PROVIDER_FAILED", { ...failure }, { cause });
    this.failure = failure;
  }
}

/** Where a request went. */
export interface Place {
  readonly provider: string;
  readonly model: string;
}

/** What went wrong, whoever said so: the client, the server's status, an event in the stream. */
export function readProviderError(error: unknown, place: Place): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof Error && error.cause instanceof ProviderError) return error.cause;
  if (error instanceof APIUserAbortError) return failed("abort", "the request was cancelled", place, error);
  if (error instanceof APIConnectionTimeoutError) return failed("timeout", "no answer in time", place, error);
  if (error instanceof APIConnectionError)
    return failed("network", `${place.provider} cannot be reached`, place, error);
  if (error instanceof APIError) return ofStatus(error, place);
  if (isLostConnection(error))
    return failed("network", `${place.provider} broke off in the middle of its answer`, place, error);
  if (error instanceof SyntaxError)
    return failed("stream", "the answer is not what the Responses API sends", place, error);
  const problem = messageOf(error);
  return failed("other", problem, place, error);
}

/** The client wraps what fails before a body begins; in a body, what fetch throws comes as it is. */
function isLostConnection(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof Error && "code" in error.cause;
}

/** An answer that had not come whole when its time was over. */
export function lateAnswer(place: Place, timeoutMs: number, cause: unknown): ProviderError {
  const problem = `no whole answer within ${timeoutMs} ms; raise timeoutMs if the model needs longer`;
  return failed("timeout", problem, place, cause);
}

/** An answer larger than any that is read; another try would bring the same. */
export function largeAnswer(place: Place, maxBytes: number): ProviderError {
  const problem = `the answer has more than ${maxBytes} bytes; set maxOutputTokens, or look at the server`;
  return failed("stream", problem, place, undefined, { retryable: false });
}

/** A failure that a response or an event tells of. */
export function toldFailure(
  code: string | undefined,
  problem: string,
  place: Place,
  cause?: unknown,
): ProviderError {
  return failed(ofCode(code, problem) ?? "stream", problem, place, cause, { providerCode: code });
}

function ofStatus(error: APIError, place: Place): ProviderError {
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

function kindOf(status: number | undefined): ProviderErrorKind {
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

/** Codes that say more than the status. Source: OpenAI's list of error codes, and what the recorded answers have. */
function ofCode(code: string | undefined, problem: string): ProviderErrorKind | null {
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

/** Seconds or a date, or milliseconds where the server is that exact. */
function readRetryAfter(headers: Headers | undefined): number | undefined {
  const ms = Number(headers?.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const seconds = Number(headers?.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}

function failed(
  kind: ProviderErrorKind,
  problem: string,
  { provider, model }: Place,
  cause: unknown,
  more: Partial<ProviderFailure> = {},
): ProviderError {
  const failure: ProviderFailure = {
    kind,
    problem: problem.slice(0, 2_000),
    provider,
    model,
    retryable: retryable.has(kind),
    delayMultiplier: kind === "rate_limit" ? 4 : 2,
    ...more,
  };
  return new ProviderError(failure, cause);
}
