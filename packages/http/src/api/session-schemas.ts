import { z } from "@hono/zod-openapi";
import { anyObject } from "./schemas.ts";

const nullableText = z.string().nullable();

/** A session of a model in a list. */
export const sessionSummarySchema = z
  .looseObject({
    id: z.string(),
    parentId: nullableText,
    agent: nullableText,
    title: z.string(),
    turns: z.number(),
    status: z.string().describe("open, or how its last turn ended"),
    waits: z.number().describe("How many calls wait"),
    forkedFrom: nullableText,
    createdAt: z.number(),
    updatedAt: z.number(),
    usage: z.looseObject({ requests: z.number(), inputTokens: z.number(), outputTokens: z.number() }),
    cost: z.object({ amount: z.number(), currency: z.string() }).nullable(),
  })
  .openapi("SessionSummary");

/** A session with its conversation. */
export const sessionSchema = sessionSummarySchema
  .extend({
    items: z.array(anyObject).describe("The conversation as the model sees it"),
    waiting: z.array(z.looseObject({ callId: z.string(), tool: z.string(), waitsFor: z.string() })),
    children: z.array(z.string()).describe("Sessions of its sub-agents"),
  })
  .openapi("Session");
