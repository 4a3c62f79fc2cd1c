import { STATUS_CODES } from "node:http";
import { isToolmountError, type ErrorCode } from "@toolmount/core";
import { HTTPException } from "hono/http-exception";
import { HttpError } from "./http-error.ts";

/** The body of an error: a problem of RFC 9457, with a code. */
interface ErrorBody {
  readonly type: "about:blank";
  /** The name of the status. */
  readonly title: string;
  readonly status: number;
  /** What is wrong, and how to fix it. */
  readonly detail: string;
  readonly code: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The HTTP statuses of the host's errors. An error that is not listed has 422, because the request is valid but the host refuses
 * it.
 */
const statuses: Partial<Record<ErrorCode, number>> = {
  APPROVAL_NOT_FOUND: 404,
  APPROVAL_DECIDED: 409,
  RUN_REFUSED: 409,
  TICKET_INVALID: 404,
  TICKET_USED: 409,
  SESSION_NOT_FOUND: 404,
  SESSION_CONFLICT: 409,
  OUTPUT_NOT_FOUND: 404,
  OPTION_INVALID: 400,
  USAGE_INVALID: 400,
  MODE_UNKNOWN: 400,
  CLIENT_RESULT_REFUSED: 400,
  HOST_CLOSED: 503,
  STORE_FAILED: 503,
  STATE_UNAVAILABLE: 503,
  EXTENSION_MISSING: 501,
};

/** Returns the status and the body for a thrown value. The message of an unknown error is only logged. */
export function answerError(thrown: unknown): { readonly status: number; readonly body: ErrorBody } {
  if (isToolmountError(thrown)) {
    const { code, message, details } = thrown;
    return problemOf(statuses[code] ?? 422, code, message, details);
  }
  const known = toHttpError(thrown);
  const { code, message, status, details } = known;
  return problemOf(status, code, message, details as Record<string, unknown>);
}

/** Returns the headers of an answer to a thrown value. */
export function headersOf(thrown: unknown): Record<string, string> {
  const known = thrown instanceof HttpError ? thrown : undefined;
  const { seconds } = (known?.details ?? {}) as { readonly seconds?: number };
  return {
    "content-type": "application/problem+json",
    ...(seconds !== undefined && { "retry-after": String(seconds) }),
    // The token is valid, but its roles are not enough. Source: RFC 6750, section 3.1.
    ...(known?.code === "FORBIDDEN" && { "www-authenticate": 'Bearer error="insufficient_scope"' }),
  };
}

function problemOf(
  status: number,
  code: string,
  detail: string,
  details?: Readonly<Record<string, unknown>>,
) {
  const title = STATUS_CODES[status] ?? "Error";
  return { status, body: { type: "about:blank", title, status, detail, code, details } as const };
}

/** Returns a thrown value as an error of this server. Hono itself throws for a body that is not JSON. */
function toHttpError(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown;
  if (thrown instanceof HTTPException && thrown.status < 500)
    return new HttpError("REQUEST_INVALID", { problem: thrown.message }, { cause: thrown });
  return new HttpError("SERVER_FAILED", {}, { cause: thrown });
}
