import { isToolmountError, ToolmountError } from "@toolmount/core";
import { HTTPException } from "hono/http-exception";
import { describe, expect, test } from "vitest";
import { answerError, headersOf } from "../src/fault/answer.ts";
import { HttpError, httpErrorCodes } from "../src/fault/http-error.ts";

/** Each refusal of the server: its status, the name of the status, and the sentence that a client reads. */
const refusals: readonly (readonly [HttpError, number, string, string])[] = [
  [new HttpError("REQUEST_INVALID", { problem: "no" }), 400, "Bad Request", "the request is not valid: no"],
  [
    new HttpError("HOST_REFUSED", { host: 'a"b' }),
    403,
    "Forbidden",
    'the Host header "a\\"b" is not allowed; start the server with --allow to add a name',
  ],
  [
    new HttpError("ORIGIN_REFUSED", { problem: "no" }),
    403,
    "Forbidden",
    "the request comes from another site: no; open this server's own page",
  ],
  [
    new HttpError("UNAUTHENTICATED", {}),
    401,
    "Unauthorized",
    "the request has no valid token; send it in the header Authorization: Bearer <token>",
  ],
  [
    new HttpError("SIGN_IN_FAILED", { issuer: "https://id" }),
    502,
    "Bad Gateway",
    "the provider https://id could not be asked; try again, and see the server's log",
  ],
  [new HttpError("FORBIDDEN", { problem: "no" }), 403, "Forbidden", "this token may not do that: no"],
  [
    new HttpError("METHOD_REFUSED", { method: "PUT" }),
    405,
    "Method Not Allowed",
    "the method PUT is not served; use GET, POST or DELETE",
  ],
  [
    new HttpError("NOT_FOUND", { what: "call 1" }),
    404,
    "Not Found",
    "there is no call 1; GET /api/v1/openapi.json lists the paths",
  ],
  [
    new HttpError("BODY_TOO_LARGE", { maxBytes: 5 }),
    413,
    "Payload Too Large",
    "the body is larger than 5 bytes; send less",
  ],
  [
    new HttpError("MEDIA_TYPE_REFUSED", {}),
    415,
    "Unsupported Media Type",
    "the body must be JSON; send Content-Type: application/json",
  ],
  [
    new HttpError("IDEMPOTENCY_KEY_REUSED", {}),
    422,
    "Unprocessable Entity",
    "the Idempotency-Key was used for another request; use a new key for each piece of work",
  ],
  [
    new HttpError("IDEMPOTENCY_KEY_BUSY", { seconds: 5 }),
    409,
    "Conflict",
    "another server does the work of this Idempotency-Key, or did it when it ended; ask again in 5 s",
  ],
  [
    new HttpError("RATE_LIMITED", { seconds: 5 }),
    429,
    "Too Many Requests",
    "there were too many requests; try again in 5 s",
  ],
  [
    new HttpError("TOO_MANY_OPEN", { open: 5 }),
    429,
    "Too Many Requests",
    "too many requests are open (this token has 5); close streams that you no longer read, or wait for calls to end",
  ],
  [
    new HttpError("SERVER_FAILED", {}),
    500,
    "Internal Server Error",
    "the server failed; see its log for the cause",
  ],
  [
    new HttpError("DRAINING", {}),
    503,
    "Service Unavailable",
    "the server is ending and starts no new work; try again when it is back",
  ],
  [new HttpError("NOT_SERVED", { what: "plan" }), 501, "Not Implemented", "this host has no plan"],
];

test.each(refusals)("%s is answered with status %i", (refusal, status, title, detail) => {
  expect(answerError(refusal)).toEqual({
    status,
    body: { type: "about:blank", title, status, detail, code: refusal.code, details: refusal.details },
  });
});

test("the table above has each code of the server, and each has an error's members", () => {
  expect(refusals.map(([{ code }]) => code)).toEqual(httpErrorCodes);
  const cause = new Error("why");
  const refusal = new HttpError("SERVER_FAILED", {}, { cause });
  expect(refusal).toMatchObject({ name: "HttpError", code: "SERVER_FAILED", status: 500, cause });
  expect(isToolmountError(refusal)).toBe(false);
});

describe("errors of the host", () => {
  test.each([
    [new ToolmountError("APPROVAL_NOT_FOUND", {}), 404],
    [new ToolmountError("APPROVAL_DECIDED", { tool: "t", state: "denied" }), 409],
    [new ToolmountError("TICKET_INVALID", {}), 404],
    [new ToolmountError("TICKET_USED", { tool: "t" }), 409],
    [new ToolmountError("SESSION_NOT_FOUND", { session: "s" }), 404],
    [new ToolmountError("SESSION_CONFLICT", { session: "s", problem: "p" }), 409],
    [new ToolmountError("OUTPUT_NOT_FOUND", { ref: "r" }), 404],
    [new ToolmountError("OPTION_INVALID", { option: "o", problem: "p" }), 400],
    [new ToolmountError("USAGE_INVALID", { problem: "p" }), 400],
    [new ToolmountError("MODE_UNKNOWN", { mode: "m", known: [] }), 400],
    [new ToolmountError("CLIENT_RESULT_REFUSED", { tool: "t", problem: "p" }), 400],
    [new ToolmountError("HOST_CLOSED", {}), 503],
    [new ToolmountError("STORE_FAILED", {}), 503],
    [new ToolmountError("STATE_UNAVAILABLE", { where: "w", problem: "p" }), 503],
    [new ToolmountError("EXTENSION_MISSING", { what: "w", module: "m", install: "i" }), 501],
    [new ToolmountError("CONFIG_INVALID", { module: "m", problem: "p" }), 422],
  ])("%s keep their code and sentence, with status %i", (error, status) => {
    const { code, message, details } = error;
    expect(answerError(error)).toMatchObject({ status, body: { status, code, detail: message, details } });
  });
});

test("what Hono refuses is a request that is not valid, and any other error stays in the log", () => {
  expect(answerError(new HTTPException(400, { message: "Malformed JSON" })).body).toMatchObject({
    status: 400,
    code: "REQUEST_INVALID",
    detail: "the request is not valid: Malformed JSON",
  });
  for (const thrown of [
    new HTTPException(500, { message: "secret" }),
    new Error("secret"),
    "secret",
    undefined,
  ])
    expect(answerError(thrown)).toEqual({
      status: 500,
      body: {
        type: "about:blank",
        title: "Internal Server Error",
        status: 500,
        detail: "the server failed; see its log for the cause",
        code: "SERVER_FAILED",
        details: {},
      },
    });
});

test.each([
  [new Error("x"), {}],
  [new HttpError("RATE_LIMITED", { seconds: 7 }), { "retry-after": "7" }],
  [new HttpError("IDEMPOTENCY_KEY_BUSY", { seconds: 1 }), { "retry-after": "1" }],
  [
    new HttpError("FORBIDDEN", { problem: "no" }),
    { "www-authenticate": 'Bearer error="insufficient_scope"' },
  ],
  [new HttpError("UNAUTHENTICATED", {}), {}],
  [new ToolmountError("OPTION_INVALID", { option: "o", problem: "p" }), {}],
])("the headers of %s say when to try again, and what the token lacks", (thrown, more) => {
  expect(headersOf(thrown)).toEqual({ "content-type": "application/problem+json", ...more });
});
