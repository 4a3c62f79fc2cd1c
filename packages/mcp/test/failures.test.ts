import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { ToolContext } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { config } from "../src/mount/config.ts";
import * as failures from "../src/mount/failures.ts";
import type { StdioTransport } from "../src/mount/stdio-transport.ts";
import { toDefinition } from "../src/mount/tool-definition.ts";
import { tooLarge } from "../src/wire/message-size.ts";

const settings = { name: "files", auth: { grant: "authorization_code" } };
const exchange = {
  name: "files",
  auth: { grant: "token_exchange", issuer: "https://id.example" },
};
const sentence = (error: Error | { error?: string }) => ("message" in error ? error.message : error.error);

test.each([
  [failures.gone("files", "no such file"), 'the MCP server "files" cannot be reached: no such file'],
  [
    failures.tooLate({ startTimeoutMs: 5, command: "node", args: ["s.mjs"] }),
    "it did not answer within 5 ms",
  ],
  [
    failures.tooLate({ startTimeoutMs: 5, command: "npx", args: ["-y", "some-server"] }),
    "it did not answer within 5 ms; its first start by npx may download it, so try again or raise startTimeoutMs",
  ],
  [
    failures.needsSignIn({ settings }, "it refused"),
    'the MCP server "files" needs a sign-in: it refused; a person has to run: toolmount auth files',
  ],
  [
    failures.needsSignIn({ settings, user: "ana@example.com" }, "it refused"),
    'the MCP server "files" needs a sign-in: it refused; the user "ana@example.com" has to run: toolmount auth files --user ana@example.com',
  ],
  [
    failures.needsSignIn({ settings, user: "ana b" }, "it refused"),
    'the MCP server "files" needs a sign-in: it refused; the user "ana b" has to run: toolmount auth files --user "ana b"',
  ],
  [
    failures.needsSignIn({ settings: exchange, user: "ana" }, "it refused"),
    'the MCP server "files" refuses the token that https://id.example gave for the user "ana": it refused',
  ],
  [
    failures.needsSignIn({ settings: exchange }, "it refused"),
    'the MCP server "files" needs a sign-in: it refused; a person has to run: toolmount auth files',
  ],
  [
    failures.unanswered("it was cut", { code: "MCP_CONNECTION_LOST" }),
    "it was cut; whether it took effect is not known",
  ],
  [
    failures.toolChanged("read", "files", false),
    'the MCP server "files" describes "read" otherwise than when this call was decided about; call it again',
  ],
])("%#: a model reads %s", (failure, text) => {
  expect(sentence(failure)).toBe(text);
});

test("each failure has the code that docs/reference/errors.md explains", () => {
  expect(failures.gone("files", "x", "why")).toMatchObject({ code: "MCP_SERVER_UNAVAILABLE", cause: "why" });
  expect(failures.needsSignIn({ settings }, "x", "why")).toMatchObject({
    code: "MCP_NEEDS_AUTH",
    cause: "why",
  });
  expect(failures.needsSignIn({ settings: exchange, user: "a" }, "x", "why")).toMatchObject({
    code: "MCP_NEEDS_AUTH",
    cause: "why",
  });
  expect(failures.toolChanged("read", "files", true).code).toBe("MCP_TOOL_CHANGED");
});

/** What a program's connection knows of its end. */
const program = (lastWords: string, ended?: string, refused?: Error) =>
  ({ lastWords, ended, refused }) as unknown as StdioTransport;

const stack = `node:internal/modules/run_main:1
    throw err;
    ^

Error: Cannot find module './gone.js'
Require stack:
    at Module._resolve (node:internal/x:1)
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/a.js' ]
}

Node.js v24.1.0
`;

describe("why a connection ended", () => {
  test.each([
    ["nothing is known", undefined, undefined, "the connection ended"],
    ["an error", new Error("no route"), undefined, "no route"],
    [
      "an error of the network",
      new TypeError("fetch failed", { cause: new Error("refused") }),
      undefined,
      "fetch failed: refused",
    ],
    ["an error of 600 characters", new Error("x".repeat(600)), undefined, "x".repeat(500)],
    ["how its program ended", new Error("no"), program("", "it ended with code 1"), "it ended with code 1"],
    [
      "its last line",
      undefined,
      program("starting\nbad option\n\n", "it ended"),
      "it ended; it said last: bad option",
    ],
    [
      "an error of Node",
      undefined,
      program(stack, "it ended"),
      "it ended; it said last: Error: Cannot find module './gone.js'",
    ],
    [
      "the last of two errors, also one with a name of its own",
      undefined,
      program("TypeError: a\nmy.OwnError (E1): b\nbye", "it ended"),
      "it ended; it said last: my.OwnError (E1): b",
    ],
    [
      "a Python exception",
      undefined,
      program("Traceback\nValueException: c\n", "it ended"),
      "it ended; it said last: ValueException: c",
    ],
    ["words of a program that still runs", new Error("no"), program("hm"), "no; it said last: hm"],
    [
      "a long line",
      undefined,
      program("y".repeat(400), "it ended"),
      `it ended; it said last: ${"y".repeat(300)}`,
    ],
    [
      "a refused message",
      undefined,
      program("", "it ended", new Error("a message too large")),
      "a message too large",
    ],
  ])("%s", (_, error, transport, expected) => {
    expect(failures.causeOf(error, transport)).toBe(expected);
  });
});

const network = (code?: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("x"), code === undefined ? {} : { code }) });
const http = (status: number) => new SdkHttpError(SdkErrorCode.ClientHttpFailedToOpenStream, "x", { status });

describe("a call that the server does not answer", () => {
  const mounted = config.parse({ name: "files", command: "x" });
  const unknown = "whether it took effect is not known";
  test.each([
    [
      new SdkError(SdkErrorCode.ConnectionClosed, "x"),
      "MCP_CONNECTION_LOST",
      `the connection to the MCP server "files" ended while the call ran; ${unknown}`,
    ],
    [
      tooLarge("too large"),
      "MCP_MESSAGE_TOO_LARGE",
      `the answer of the MCP server "files" was not read: too large; ${unknown}`,
    ],
    [
      http(502),
      "MCP_HTTP_STATUS",
      `the MCP server "files" answered the call with HTTP status 502; ${unknown}`,
    ],
  ])("%#: %s ends as %s", async (error, code, said) => {
    const tool = { name: "read", inputSchema: { type: "object" as const } };
    const { execute } = toDefinition(tool, "read", mounted, async () => {
      throw error;
    });
    const context = { abortSignal: new AbortController().signal } as ToolContext;
    expect(await execute({}, context)).toMatchObject({ code, error: said, mayHaveRun: true });
  });
});

test.each([
  ["a connection that closed", new SdkError(SdkErrorCode.ConnectionClosed, "x"), "lost"],
  ["an answer that was cut", network(), "lost"],
  ["a reset", network("ECONNRESET"), "lost"],
  ["no connection", new SdkError(SdkErrorCode.NotConnected, "x"), "unsent"],
  ...["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"].map(
    (code): [string, Error, string] => [code, network(code), "unsent"],
  ),
  ["another error of the SDK", new SdkError(SdkErrorCode.RequestTimeout, "x"), "neither"],
  ["an error with a cause that is no error of fetch", new Error("x", { cause: new Error("y") }), "neither"],
  ["an error of fetch without a cause", new TypeError("x"), "neither"],
  ["an answer of the protocol", new ProtocolError(-32_000, "x"), "neither"],
])("after %s the request was %s", (_, error, expected) => {
  const found = failures.isLost(error) ? "lost" : failures.isUnsent(error) ? "unsent" : "neither";
  expect([found, failures.isLost(error) && failures.isUnsent(error)]).toEqual([expected, false]);
});

test("statuses of HTTP say who has to sign in, and whether a session is gone", () => {
  expect([401, 404, 500].map((status) => failures.isUnauthorized(http(status)))).toEqual([
    true,
    false,
    false,
  ]);
  expect(failures.isUnauthorized(new UnauthorizedError("x"))).toBe(true);
  expect(failures.isUnauthorized(new Error("x"))).toBe(false);
  expect([401, 404, 500].map((status) => failures.isForgotten(http(status)))).toEqual([false, true, false]);
  expect(failures.isForgotten(new Error("x"))).toBe(false);
  expect(failures.httpStatusOf(http(502))).toBe(502);
  expect(failures.httpStatusOf(new Error("x"))).toBeUndefined();
});
