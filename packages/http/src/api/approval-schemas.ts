import { z } from "@hono/zod-openapi";
import { anyObject, effectSchema, nullableText } from "./schemas.ts";

/** A question about a waiting call. */
export const approvalSchema = z
  .object({
    id: z.string(),
    state: z.string(),
    tool: z.string(),
    arguments: anyObject,
    prompt: z.string(),
    reasons: z.array(z.object({ source: z.string(), reason: z.string(), rule: z.string().optional() })),
    place: z
      .object({ tool: z.string(), line: z.number(), code: z.string(), after: z.number() })
      .optional()
      .describe("The line of a program that makes the call, and how many calls the program made before it"),
    options: z.array(z.string()),
    digest: z.string(),
    createdAt: z.number(),
    expiresAt: z.number(),
    decision: z
      .object({
        decision: z.enum(["approve", "deny"]),
        by: z.string(),
        at: z.number(),
        reason: z.string().optional(),
        arguments: anyObject.optional().describe("With which the approver lets the call run instead; masked"),
      })
      .nullable(),
    info: z
      .looseObject({
        callId: z.string(),
        runId: z.string(),
        parentRunId: z.string().optional(),
        sessionId: z.string().optional(),
        userId: z.string().optional(),
      })
      .describe("The call, and whose it is"),
    default: z.enum(["approve", "deny"]),
    rememberable: z.boolean(),
    runnable: z.boolean().describe("Once it is approved, it can be run without its caller"),
    end: z.looseObject({ status: z.string() }).optional().describe("How the call ended"),
  })
  .openapi("Approval");

/** A remembered approval, which also answers later calls. */
export const rememberedSchema = z
  .object({
    id: z.string(),
    tool: z.string(),
    definition: z.string(),
    scope: z.enum(["arguments", "session", "rule"]),
    argumentsDigest: z.string().nullable(),
    pattern: anyObject.nullable(),
    sessionId: z.string().nullable(),
    userId: z.string().nullable(),
    by: z.string(),
    at: z.number(),
    expiresAt: z.number().nullable().describe("When it ends by itself; null: when it is revoked"),
    uses: z.number().describe("Calls that it has answered"),
    usedAt: z.number().nullable(),
  })
  .openapi("RememberedApproval");

/** After how many milliseconds a remembered approval expires. */
const forMs = z
  .int()
  .min(1)
  .max(315_360_000_000)
  .optional()
  .describe("It ends by itself after so many milliseconds; default: when it is revoked");

export const scopeSchema = z
  .union([
    z.strictObject({ scope: z.enum(["arguments", "session"]), forMs }),
    z.strictObject({ scope: z.literal("rule"), arguments: anyObject, forMs }),
  ])
  .openapi("ApprovalScope");

/** The changes that the call of a question would make. */
export const previewSchema = z
  .object({
    effects: z.array(effectSchema),
    problem: nullableText.describe("Why it is not known, or why the call would change nothing"),
  })
  .openapi("QuestionPreview");

/** The name of the person who acts. */
export const person = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("Who acts, where the token is of a program: recorded beside the token's name");

export const decisionSchema = z
  .strictObject({
    decision: z.enum(["approve", "deny"]),
    reason: z.string().max(2_000).optional().describe("The model reads it"),
    person,
    remember: scopeSchema.optional().describe("Also approves later calls of this scope"),
    arguments: anyObject
      .optional()
      .describe(
        "Approves the call with these arguments; one that is equal to the shown one keeps the call's own value",
      ),
  })
  .openapi("Decision");
