/** The codes with which this server itself refuses requests, each with its status and message. */
const refusals = {
  REQUEST_INVALID: [400, (d: { problem: string }) => `the request is not valid: ${d.problem}`],
  HOST_REFUSED: [
    403,
    (d: { host: string }) =>
      `the Host header ${JSON.stringify(d.host)} is not allowed; start the server with --allow to add a name`,
  ],
  ORIGIN_REFUSED: [
    403,
    (d: { problem: string }) =>
      `the request comes from another site: ${d.problem}; open this server's own page`,
  ],
  UNAUTHENTICATED: [
    401,
    (_: object) => "the request has no valid token; send it in the header Authorization: Bearer <token>",
  ],
  SIGN_IN_FAILED: [
    502,
    (d: { issuer: string }) =>
      `the provider ${d.issuer} could not be asked; try again, and see the server's log`,
  ],
  FORBIDDEN: [403, (d: { problem: string }) => `this token may not do that: ${d.problem}`],
  METHOD_REFUSED: [
    405,
    (d: { method: string }) => `the method ${d.method} is not served; use GET, POST or DELETE`,
  ],
  NOT_FOUND: [
    404,
    (d: { what: string }) => `there is no ${d.what}; GET /api/v1/openapi.json lists the paths`,
  ],
  BODY_TOO_LARGE: [
    413,
    (d: { maxBytes: number }) => `the body is larger than ${d.maxBytes} bytes; send less`,
  ],
  MEDIA_TYPE_REFUSED: [415, (_: object) => "the body must be JSON; send Content-Type: application/json"],
  IDEMPOTENCY_KEY_REUSED: [
    422,
    (_: object) => "the Idempotency-Key was used for another request; use a new key for each piece of work",
  ],
  IDEMPOTENCY_KEY_BUSY: [
    409,
    (d: { seconds: number }) =>
      `another server does the work of this Idempotency-Key, or did it when it ended; ask again in ${d.seconds} s`,
  ],
  RATE_LIMITED: [
    429,
    (d: { seconds: number }) => `there were too many requests; try again in ${d.seconds} s`,
  ],
  TOO_MANY_OPEN: [
    429,
    (d: { open: number }) =>
      `too many requests are open (this token has ${d.open}); close streams that you no longer read, or wait for calls to end`,
  ],
  SERVER_FAILED: [500, (_: object) => "the server failed; see its log for the cause"],
  DRAINING: [503, (_: object) => "the server is ending and starts no new work; try again when it is back"],
  NOT_SERVED: [501, (d: { what: string }) => `this host has no ${d.what}`],
} as const satisfies Record<string, readonly [number, (details: never) => string]>;

type Refusals = typeof refusals;

/**
 * A code with which this server itself refuses requests. Errors of the host have other codes, which docs/reference/errors.md
 * explains.
 */
export type HttpErrorCode = keyof Refusals;

/** All codes of this server, in the order of the table. */
export const httpErrorCodes = Object.keys(refusals) as readonly HttpErrorCode[];

/** The details of a refusal, by code. */
type HttpErrorDetails<Code extends HttpErrorCode> = Parameters<Refusals[Code][1]>[0];

/** A request that this server refuses. */
export class HttpError<Code extends HttpErrorCode = HttpErrorCode> extends Error {
  override readonly name = "HttpError";
  readonly code: Code;
  readonly status: Refusals[Code][0];
  readonly details: HttpErrorDetails<Code>;

  constructor(code: Code, details: HttpErrorDetails<Code>, options?: { cause?: unknown }) {
    const [status, sentence] = refusals[code];
    super((sentence as (details: HttpErrorDetails<Code>) => string)(details), options);
    this.code = code;
    this.status = status;
    this.details = details;
  }
}
