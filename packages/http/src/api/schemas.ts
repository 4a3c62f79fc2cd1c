import { z } from "@hono/zod-openapi";

/** A JSON object whose members another package defines. */
export const anyObject = z.record(z.string(), z.unknown());

/** The body of every failed request: a problem of RFC 9457 with a code. */
export const errorSchema = z
  .object({
    type: z.string().describe("about:blank: the code says more than an address would"),
    title: z.string().describe("The name of the status"),
    status: z.int(),
    detail: z.string().describe("What is wrong, and how to fix it"),
    code: z.string().describe("Stable; see docs/reference/errors.md and docs/reference/http-errors.md"),
    details: anyObject.optional(),
  })
  .openapi("Problem");

export const toolSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    inputSchema: anyObject,
    outputSchema: anyObject.optional(),
    category: z.enum(["read", "write", "delete", "side_effect"]).optional(),
    consequenceLevel: z.enum(["low", "medium", "high"]).optional(),
    requiresConfirmation: z.union([z.boolean(), z.literal("dynamic")]),
    timeoutMs: z.number(),
    summary: z.string().optional(),
    question: z
      .string()
      .optional()
      .describe("A sentence for the person who is asked; `{name}` is an argument"),
    control: z.array(z.string()).optional().describe("Arguments that decide where an effect goes"),
    usage: z.string().optional(),
    owner: z.string(),
    origin: z.string(),
    version: z.string().optional(),
    idempotent: z.boolean(),
    undoable: z.literal(true).optional().describe("A call of it can be undone"),
    idempotentUndo: z.literal(true).optional().describe("Two undos of one call have the effect of one"),
    irreversible: z.literal(true).optional().describe("What a call of it does cannot be undone"),
    previews: z.literal(true).optional().describe("It says what a call would change"),
    tags: z.array(z.string()),
  })
  .openapi("Tool");

export const outcomeSchema = z
  .object({
    callId: z.string(),
    runId: z.string(),
    tool: z.string(),
    status: z.enum([
      "ok",
      "invalid",
      "not_found",
      "denied",
      "pending",
      "cancelled",
      "timed_out",
      "failed",
      "unknown",
    ]),
    result: z
      .looseObject({ error: z.string().optional(), code: z.string().optional() })
      .describe("Exactly one of `data` and `error`, with `tool` and `fetchedAt`"),
    durationMs: z.number(),
    sessionId: z.string().optional(),
    conversationId: z.string().optional(),
    turnId: z.string().optional(),
    userId: z.string().optional(),
    ticket: z.string().optional().describe("Resumes a pending call of the same session"),
    cancelled: anyObject.optional(),
    injections: z.array(anyObject).optional(),
    modelText: z.string().optional().describe("The text that a model reads, where the request asks for it"),
  })
  .openapi("Outcome");

/** Returns the schema of an id that a client chooses. */
export const id = (what: string) => z.string().min(1).max(256).describe(what);

const waitMs = (what: string, otherwise: string) =>
  z
    .int()
    .min(0)
    .max(600_000)
    .optional()
    .describe(`How long ${what} is kept open for a decision; default 0: ${otherwise}`);

/** The members of a request that say for whom a call runs and what the user wrote. */
export const callContext = {
  sessionId: id(
    "The session that the call belongs to; `s1` of the user ana is `ana:s1` in answers",
  ).optional(),
  userId: id("The user on whose behalf it is made; a token of a user needs none").optional(),
  conversationId: id("Seen by the tool").optional(),
  turnId: id("Seen by the tool").optional(),
  mode: id("The mode of the session").optional(),
  prompts: z
    .array(z.string().max(1_000_000))
    .max(1_000)
    .optional()
    .describe("What the user has written in the session so far, oldest first; never a model's text"),
  traceparent: z.string().max(256).optional().describe("W3C trace context of the caller"),
  waitMs: waitMs("a call that needs approval", "the outcome is pending"),
  modelText: z.boolean().optional().describe("Adds the text that a model reads to the outcome"),
};

export const callSchema = z
  .strictObject({
    id: id("The caller's id of the call").optional(),
    tool: id("The tool's name"),
    arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
    background: z
      .boolean()
      .optional()
      .describe("A call that waits is resumed by the server when it is approved, also after a restart"),
    ...callContext,
  })
  .openapi("CallRequest");

export const resumeSchema = z
  .strictObject({
    ticket: z.string().min(1).max(1_024),
    clientResult: z.unknown().optional().describe("The result of a call that the client runs"),
    ...callContext,
  })
  .openapi("ResumeRequest");

export const nullableText = z.string().nullable();

/** A call in a list. */
export const callSummarySchema = z
  .object({
    runId: z.string(),
    callId: z.string(),
    kind: z.enum(["call", "rehearsal", "undo"]).describe("A rehearsal changed nothing"),
    tool: z.string(),
    status: z
      .string()
      .describe("running, waiting, decided (answered and not resumed), or the status of the outcome"),
    startedAt: z.number(),
    durationMs: z.number().nullable(),
    code: nullableText,
    sessionId: nullableText,
    userId: nullableText,
    turnId: nullableText,
    parentRunId: nullableText,
    place: z
      .object({ line: z.number(), code: z.string() })
      .nullable()
      .describe("The line of a program that made it, from 1"),
    line: z.string().describe("Its arguments as a line of at most 200 characters; secrets are masked"),
    change: z.number().describe("Every change of any call adds 1"),
  })
  .openapi("CallSummary");

const shown = z
  .union([z.object({ value: z.unknown() }), z.object({ text: z.string(), characters: z.number() })])
  .nullable();

/** A call with everything that is known about it. */
export const callRecordSchema = callSummarySchema
  .extend({
    phase: nullableText,
    traceparent: nullableText,
    arguments: shown,
    result: shown,
    steps: z.array(z.object({ at: z.number(), name: z.string(), note: z.string().optional() })),
  })
  .openapi("Call");

export const auditRecordSchema = z
  .object({
    writer: z.string(),
    sequence: z.number(),
    previous: z.string(),
    hash: z.string(),
    entry: anyObject,
  })
  .openapi("AuditRecord");

/** One change that a call would make, as its tool's preview describes it. */
export const effectSchema = z
  .object({
    target: z.string(),
    change: z.string(),
    difference: z.string().optional(),
    cost: z.object({ amount: z.number(), currency: z.string() }).optional(),
  })
  .openapi("Effect");
