import { data, defineTool } from "@toolmount/core";
import { z } from "zod";
import { usage } from "./usage.ts";

const nameMissing = "HelloWorldTool requires a non-empty 'name' string.";

const schema = z.strictObject({
  name: z
    .string({ error: nameMissing })
    .regex(/\S/, nameMissing)
    .describe("Whom to greet, as they call themselves"),
});

const outputSchema = z.strictObject({
  Message: z.string(),
  ConversationId: z.string().nullable(),
  SessionId: z.string().nullable(),
});

/** Greets a person by name. The canonical small tool: one argument, one sentence, and the ids of the call. */
export function createHelloWorld() {
  return defineTool({
    name: "agent_hello_world",
    description:
      "Creates a friendly greeting message using the user's name. Use when the user asks to be greeted or to try the tools out; not for ordinary conversation.",
    summary: "Greets a person by name.",
    usage,
    schema,
    outputSchema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    idempotent: true,
    tags: ["example"],
    version: "1.0.0",
    execute: ({ name }, context) =>
      data({
        Message: `Hello, ${name.trim()}!`,
        ConversationId: context.conversationId ?? null,
        SessionId: context.sessionId ?? null,
      }),
  });
}
