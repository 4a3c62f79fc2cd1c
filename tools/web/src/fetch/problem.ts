/** The error for a page that was not fetched or read. The message is for the model. */
export class FetchProblem extends Error {
  override readonly name = "FetchProblem";
  readonly code: FetchCode;
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    code: FetchCode,
    message: string,
    details: Readonly<Record<string, string | number>> = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

type FetchCode =
  | "URL_BLOCKED"
  | "FETCH_FAILED"
  | "FETCH_TIMED_OUT"
  | "FETCH_CANCELLED"
  | "HTTP_ERROR"
  | "TOO_MANY_REDIRECTS"
  | "RESPONSE_TOO_LARGE"
  | "UNSUPPORTED_CONTENT"
  | "SAVE_FAILED";
