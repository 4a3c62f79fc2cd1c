import { silentLogger, type Logger } from "@toolmount/core";
import { createFailureInjection } from "@toolmount/tool-testing";
import { expect, test } from "vitest";

const tool = createFailureInjection();

test("APTIX-82, APTIX-77: testing_failure_injection gives the payload back unless it is asked to fail", async () => {
  const { data } = await tool.execute({ payload: "p" }, { sessionId: "s-1", conversationId: "c-1" });

  expect(data).toEqual({ RequestedFailure: false, Payload: "p", SessionId: "s-1", ConversationId: "c-1" });
});

test("APTIX-28: left out, nothing fails and the payload is null", async () => {
  const { data } = await tool.execute({});

  expect(data).toEqual({ RequestedFailure: false, Payload: null, SessionId: null, ConversationId: null });
});

test.each([
  { failureMessage: "disk on fire", error: "disk on fire" },
  { failureMessage: undefined, error: "FailureInjectionTool was asked to fail." },
  { failureMessage: "  ", error: "FailureInjectionTool was asked to fail." },
])(
  "APTIX-42, APTIX-82: asked to fail with $failureMessage, it says: $error",
  async ({ failureMessage, error }) => {
    const params = { shouldFail: true, ...(failureMessage === undefined ? {} : { failureMessage }) };

    expect(await tool.execute(params)).toMatchObject({ error, code: "FAILURE_INJECTED" });
  },
);

test("APTIX-41, APTIX-82: a failure asked for is logged as a custom event with ordered pairs of strings", async () => {
  const entries: unknown[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (fields, message) => void entries.push({ fields, message }),
  };
  await tool.execute({ shouldFail: true, payload: "p" }, { sessionId: "s-1", logger });

  expect(entries).toEqual([
    {
      message: "Intentional failure requested.",
      fields: {
        event: "FailureInjectionTool.ExecuteAsync",
        attributes: [
          ["ConversationId", ""],
          ["SessionId", "s-1"],
          ["Payload", "p"],
        ],
      },
    },
  ]);
});

test("a call that does not fail logs nothing", async () => {
  const logger: Logger = {
    ...silentLogger,
    error: () => expect.unreachable("nothing failed"),
  };

  expect(await tool.execute({}, { logger })).toHaveProperty("data");
});

test.each([
  { title: "shouldFail as a text", params: { shouldFail: "yes" }, names: "shouldFail" },
  {
    title: "a message that is no text",
    params: { shouldFail: true, failureMessage: 1 },
    names: "failureMessage",
  },
  { title: "an argument that is not declared", params: { fail: true }, names: "fail" },
])("APTIX-30, APTIX-77: $title is refused by name", async ({ params, names }) => {
  const { error, code } = await tool.execute(params);

  expect(code).toBe("INVALID_ARGUMENTS");
  expect(error).toContain(names);
});

test("APTIX-38, APTIX-77: a logger that throws makes an ordinary failure, not an exception", async () => {
  const logger: Logger = {
    ...silentLogger,
    error: () => {
      throw new Error("secret of the log");
    },
  };

  expect(await tool.execute({ shouldFail: true }, { logger })).toMatchObject({
    error: "testing_failure_injection failed",
    code: "TOOL_FAILED",
  });
});

test("FORGE-31: a failure is not injected into a call that was cancelled before", async () => {
  const result = await tool.execute({ shouldFail: true }, { abortSignal: AbortSignal.abort() });

  expect(result).toMatchObject({ error: "Request was cancelled", code: "CANCELLED" });
});
