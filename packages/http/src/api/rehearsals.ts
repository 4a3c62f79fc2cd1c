import { createRoute, z } from "@hono/zod-openapi";
import type { ToolOutcome } from "@toolmount/core";
import { requireRole, userOfCall } from "../access/principal.ts";
import { anyObject, callContext, id, outcomeSchema } from "./schemas.ts";
import {
  createRoutes,
  failures,
  hostOf,
  hostParam,
  json,
  jsonBody,
  requireOpen,
  signalOf,
  type Service,
} from "./service.ts";

const rehearsalSchema = z
  .strictObject({
    sessionId: id("The session of the calls"),
    userId: callContext.userId,
    turnId: callContext.turnId,
    prompts: callContext.prompts,
    calls: z
      .array(z.strictObject({ tool: id("The tool's name"), arguments: anyObject.optional() }))
      .min(1)
      .max(1_000),
    ask: z
      .boolean()
      .optional()
      .describe("Ask one question about the whole list; after the answer its calls are made"),
    first: z.number().int().min(1).optional().describe("With `ask`: only the first calls of the list"),
  })
  .openapi("RehearsalRequest");

const rehearsed = z
  .object({
    outcomes: z.array(outcomeSchema).describe("What the calls answered: results of previews, and of reads"),
    calls: z.array(
      z.object({
        tool: z.string(),
        callId: z.string(),
        runId: z.string(),
        arguments: anyObject,
        effects: z.array(
          z.object({
            target: z.string(),
            change: z.string(),
            difference: z.string().optional(),
            cost: z.object({ amount: z.number(), currency: z.string() }).optional(),
          }),
        ),
        isModelled: z.boolean(),
        canUndo: z.boolean().nullable(),
        asks: z.array(z.string()),
        origins: z
          .array(anyObject)
          .describe("Where the values of its arguments came from, by the plan's flows"),
      }),
    ),
    stopped: z.string().nullable(),
    digest: z.string(),
    made: outcomeSchema.nullable().describe("Of the list, with `ask`; pending while no person has answered"),
  })
  .openapi("Rehearsed");

const rehearse = createRoute({
  method: "post",
  path: "/hosts/{host}/rehearsals",
  operationId: "rehearse",
  tags: ["Calls"],
  summary: "Show what calls would change, and ask once for all of them",
  request: { params: hostParam, body: jsonBody(rehearsalSchema) },
  responses: { 200: json(rehearsed, "The list of what would change"), ...failures },
});

/** Rehearsals: calls whose changes are only staged; one question about all of them makes them. */
export function rehearsalRoutes(service: Service) {
  return createRoutes().openapi(rehearse, async (c) => {
    const { principal } = c.env;
    requireRole(principal, "call");
    requireOpen(service);
    const { host } = hostOf(service, c.req.param("host"), principal);
    const { sessionId, calls, ask, first, prompts, turnId, ...given } = c.req.valid("json");
    const context = {
      userId: userOfCall(principal, given.userId),
      prompts,
      turnId,
      abortSignal: signalOf(c, service),
    };
    const rehearsal = host.session(sessionId).rehearse();
    const outcomes: ToolOutcome[] = [];
    for (const { tool, arguments: own } of calls) {
      if (rehearsal.stopped !== null) break;
      outcomes.push(await rehearsal.call({ name: tool, arguments: own }, context));
    }
    const { digest, stopped } = rehearsal;
    const isAsked = ask === true && rehearsal.calls.length > 0;
    const made = isAsked ? await rehearsal.make({ digest, first }, context) : null;
    const answer = { outcomes, calls: rehearsal.calls, stopped, digest, made };
    return c.json(answer as unknown as z.output<typeof rehearsed>, 200);
  });
}
