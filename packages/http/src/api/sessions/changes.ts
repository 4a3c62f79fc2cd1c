import { createRoute, z } from "@hono/zod-openapi";
import { ownSession, userIn, type ToolOutcome } from "@toolmount/core";
import { layerRoutes } from "./layers.ts";
import { sessionNamed } from "./own-session.ts";
import { requireRole, userOfCall, type Principal } from "../../access/principal.ts";
import { anyObject, callContext, effectSchema, id, outcomeSchema } from "../schemas.ts";
import {
  createRoutes,
  failures,
  hostOf,
  hostParam,
  json,
  jsonBody,
  requireOpen,
  type Service,
} from "../service.ts";
import { sessionParam } from "./sessions.ts";

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
        effects: z.array(effectSchema),
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

/**
 * Creates the route of rehearsals. Their calls change nothing yet. With `ask`, one question about all changes lets a person apply
 * them.
 */
export function rehearsalRoutes(service: Service) {
  return createRoutes().openapi(rehearse, async (c) => {
    const { principal } = c.env;
    requireRole(principal, "call");
    requireOpen(service);
    const { host } = hostOf(service, c.req.param("host"), principal);
    const { sessionId, calls, ask, first, prompts, turnId, ...given } = c.req.valid("json");
    const userId = userOfCall(principal, given.userId);
    const context = {
      userId,
      prompts,
      turnId,
      abortSignal: c.env.signal,
    };
    const rehearsal = host.session(ownSession(userId, sessionId)).rehearse();
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

export const changeSchema = z
  .object({
    number: z.number().describe("Its place among the changes of its session"),
    sessionId: z.string().optional().describe("The session of an agent that this session began"),
    at: z.number(),
    tool: z.string(),
    callId: z.string(),
    runId: z.string(),
    turnId: z.string().optional(),
    parents: z.array(z.string()).optional(),
    arguments: anyObject.describe("Those that say what was changed"),
    irreversible: z.string().optional().describe("Why it cannot be undone"),
    isUndone: z.boolean(),
    undoBegan: z.literal(true).optional(),
  })
  .openapi("SessionChange");

/** The changes of a session as one difference. */
export const differenceSchema = z
  .object({
    effects: z.array(effectSchema).describe("Each target from before the first change to now"),
    unknown: z.array(changeSchema).describe("Changes of which no tool says what they made different"),
  })
  .openapi("SessionDifference");

const list = createRoute({
  method: "get",
  path: "/hosts/{host}/sessions/{session}/changes",
  operationId: "listChanges",
  tags: ["Sessions"],
  summary: "List what the calls of a session, and of the agents that it began, have changed",
  request: { params: sessionParam },
  responses: {
    200: json(
      z.object({ changes: z.array(changeSchema).describe("Oldest first"), difference: differenceSchema }),
      "The changes, and those that are not undone as one difference",
    ),
    ...failures,
  },
});

const selection = z
  .strictObject({
    call: z.string().optional().describe("A call, with the calls that its tool made"),
    turn: z.string().optional(),
    after: z.number().int().min(0).optional().describe("Only changes with a higher number"),
    unclear: z
      .enum(["repeat", "done"])
      .optional()
      .describe("What becomes of an undo that began and did not end"),
    userId: z.string().optional().describe("The user who undoes"),
  })
  .openapi("UndoRequest");

export const undoReportSchema = z
  .object({
    undone: z.array(changeSchema).describe("Newest first"),
    stopped: z
      .object({ change: changeSchema, outcome: outcomeSchema, later: z.array(changeSchema) })
      .nullable()
      .describe("The change that could not be undone, and why"),
    left: z.array(changeSchema),
    irreversible: z.array(changeSchema),
    isPartial: z.boolean(),
  })
  .openapi("UndoReport");

const undo = createRoute({
  method: "post",
  path: "/hosts/{host}/sessions/{session}/undo",
  operationId: "undo",
  tags: ["Sessions"],
  summary: "Undo changes of a session, the newest first, each once",
  request: { params: sessionParam, body: jsonBody(selection) },
  responses: {
    200: json(undoReportSchema, "What is undone, what stopped it, and what is left"),
    ...failures,
  },
});

/** Creates the routes for the changes of sessions, for undoing them, and for the changes that wait in layers. */
export function changeRoutes(service: Service) {
  return createRoutes()
    .route("/", layerRoutes(service))
    .openapi(list, async (c) => {
      const session = await openSession(service, c.req.valid("param"), c.env.principal);
      const changes = (await session.changes()) as z.output<typeof changeSchema>[];
      const difference = (await session.difference()) as z.output<typeof differenceSchema>;
      return c.json({ changes, difference }, 200);
    })
    .openapi(undo, async (c) => {
      const { principal } = c.env;
      requireRole(principal, "call");
      requireOpen(service);
      const { userId, ...selected } = c.req.valid("json");
      const session = await openSession(service, c.req.valid("param"), principal, userId);
      const user = userIn(session.id, userOfCall(principal, userId));
      const context = { userId: user, abortSignal: c.env.signal };
      const done = await session.undo(selected, context);
      return c.json(done as unknown as z.output<typeof undoReportSchema>, 200);
    });
}

/** Opens the session that a client names. With a token of a user, a name always refers to a session of that user. */
async function openSession(
  service: Service,
  { host: name, session }: z.output<typeof sessionParam>,
  principal: Principal,
  userId?: string,
) {
  const live = hostOf(service, name, principal);
  return live.host.session(await sessionNamed(live, { name: session, principal, userId }));
}
