import { data, defineTool, failure, type ToolContext } from "@toolmount/core";
import { z } from "zod";
import { callIds, callIdShape } from "./call-ids.ts";
import { failureInjectionUsage as usage } from "./usage.ts";

const schema = z.strictObject({
  shouldFail: z.boolean().default(false).describe("Whether the call is to fail"),
  failureMessage: z.string().optional().describe("What the failure says; a standard sentence when left out"),
  payload: z.string().optional().describe("Any text: it comes back on success and is logged on failure"),
});

const outputSchema = z.strictObject({
  RequestedFailure: z.literal(false),
  Payload: z.string().nullable(),
  ...callIdShape,
});

/**
 * Makes the tool `testing_failure_injection`, which fails on request, so that the path of a failure through host, loop and
 * model can be observed.
 */
export function createFailureInjection() {
  return defineTool({
    name: "testing_failure_injection",
    description:
      "Fails on purpose when shouldFail is true, else returns the payload. Use to see how failures are handled; not to end a conversation.",
    summary: "Fails when asked to.",
    usage,
    schema,
    outputSchema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    idempotent: true,
    tags: ["testing"],
    version: "1.0.0",
    execute({ shouldFail, failureMessage = "", payload }, context) {
      if (!shouldFail) {
        return data({ RequestedFailure: false as const, Payload: payload ?? null, ...callIds(context) });
      }
      logRequest(context, payload);
      const message =
        failureMessage.trim() === "" ? "FailureInjectionTool was asked to fail." : failureMessage;
      return failure(message, { code: "FAILURE_INJECTED" });
    },
  });
}

/** Logs one event; its attributes are an ordered list of pairs of strings, not a dictionary. */
function logRequest({ logger, conversationId, sessionId }: ToolContext, payload: string | undefined): void {
  const attributes = [
    ["ConversationId", conversationId ?? ""],
    ["SessionId", sessionId ?? ""],
    ["Payload", payload ?? ""],
  ];
  logger.error({ event: "FailureInjectionTool.ExecuteAsync", attributes }, "Intentional failure requested.");
}
