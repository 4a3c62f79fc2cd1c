import { z } from "@hono/zod-openapi";
import { anyObject, id } from "./schemas.ts";

const waitMs = z
  .int()
  .min(0)
  .max(600_000)
  .optional()
  .describe(
    "Milliseconds that the answer waits for the end of the turn; default 0. The turn runs in any case",
  );

export const turnStartSchema = z
  .strictObject({
    prompt: z.string().min(1),
    sessionId: id(
      "An existing session, or the id of a new one; `s1` of the user ana is `ana:s1` in answers",
    ).optional(),
    userId: id("The user on whose behalf it runs").optional(),
    waitMs,
  })
  .openapi("TurnRequest");

/** A request to resume a turn, or to end it. */
export const turnResumeSchema = z
  .strictObject({
    userId: id("The user on whose behalf it runs").optional(),
    waitMs,
    clientResults: z
      .array(
        z.strictObject({ callId: z.string(), result: z.unknown().optional(), error: z.string().optional() }),
      )
      .optional(),
    cancel: z.boolean().optional(),
    message: z.string().min(1).optional().describe("Denies the calls that wait, and says this to the model"),
  })
  .openapi("TurnResumption");

/** A message that the model reads during its turn. */
export const turnMessageSchema = z.strictObject({ text: z.string().min(1) }).openapi("TurnMessage");

/** The statuses of a turn. The first four are those of an open turn; the others are final. */
export const turnStatusSchema = z.enum([
  "running",
  "waiting",
  "decided",
  "interrupted",
  "done",
  "incomplete",
  "cancelled",
  "failed",
]);

const usage = z.object({
  requests: z.number(),
  inputTokens: z.number(),
  cachedTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
});

const turnResult = z
  .object({
    status: z.enum(["done", "incomplete", "paused", "cancelled", "failed"]),
    text: z.string().describe("What the model said last"),
    data: z.unknown().optional().describe("The value of the answer, where the plan asks for one"),
    incomplete: z.string().optional().describe("Why the last answer is not whole"),
    error: z.object({ code: z.string(), message: z.string(), details: anyObject.optional() }).optional(),
    iterations: z.number().describe("Requests to the model"),
    calls: z.number(),
    usage,
    cost: z.object({ amount: z.number(), currency: z.string() }).nullable(),
  })
  .openapi("TurnResult");

export const turnSchema = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    userId: z.string().nullable(),
    by: z.string().describe("The name of the token that started it"),
    prompt: z.string().describe("Its first 2,000 characters; empty for a turn that another program began"),
    status: turnStatusSchema.describe(
      "running: a server runs it. waiting: for a person or the client. decided: its questions are answered, and no server has resumed it. interrupted: its server is gone, and another resumes it",
    ),
    startedAt: z.number().describe("Milliseconds since the epoch, as all times"),
    updatedAt: z.number(),
    endedAt: z.number().nullable(),
    waiting: z.array(
      z.object({
        callId: z.string(),
        tool: z.string(),
        waitsFor: z.string().describe("approval, client, or run: another process has it"),
        sessionId: z.string().describe("Of a call of a sub-agent: the sub-agent's session"),
        arguments: z.unknown().optional().describe("Of a call that the client runs"),
      }),
    ),
    result: turnResult.nullable().describe("How it ended, or where it stopped last"),
    problem: z.string().nullable().describe("Why it could not be resumed"),
  })
  .openapi("Turn");
