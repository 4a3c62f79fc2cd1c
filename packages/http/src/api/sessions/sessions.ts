import { createRoute, z } from "@hono/zod-openapi";
import { isToolmountError } from "@toolmount/core";
import { newSession, sessionNamed, turnsNamed } from "./own-session.ts";
import { requireRole, visibleUser, type Principal } from "../../access/principal.ts";
import type { CallHistory } from "../../journal/call-history.ts";
import { HttpError } from "../../fault/http-error.ts";
import type { ServedTurns } from "../../served-host.ts";
import type { ServerTurns } from "../../work/server-turns.ts";
import { createRoutes, failures, hostOf, hostParam, json, type Service } from "../service.ts";

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
    items: z
      .array(z.looseObject({ type: z.string(), role: z.string().optional() }))
      .describe("The conversation as the model sees it"),
    waiting: z.array(z.looseObject({ callId: z.string(), tool: z.string(), waitsFor: z.string() })),
    children: z.array(z.string()).describe("Sessions of its sub-agents"),
  })
  .openapi("Session");

export const sessionParam = hostParam.extend({ session: z.string().min(1).max(256) });

const list = createRoute({
  method: "get",
  path: "/hosts/{host}/sessions",
  operationId: "listSessions",
  tags: ["Sessions"],
  summary: "List the sessions of models",
  request: {
    params: hostParam,
    query: z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) }),
  },
  responses: {
    200: json(z.object({ sessions: z.array(sessionSummarySchema) }), "Newest change first"),
    ...failures,
  },
});

const show = createRoute({
  method: "get",
  path: "/hosts/{host}/sessions/{session}",
  operationId: "showSession",
  tags: ["Sessions"],
  summary: "Show one session with its conversation",
  request: { params: sessionParam },
  responses: { 200: json(sessionSchema, "The session"), ...failures },
});

const fork = createRoute({
  method: "post",
  path: "/hosts/{host}/sessions/{session}/fork",
  operationId: "forkSession",
  tags: ["Sessions"],
  summary: "Copy a session without its open turn",
  request: { params: sessionParam },
  responses: { 200: json(sessionSummarySchema, "The new session"), ...failures },
});

const cancel = createRoute({
  method: "post",
  path: "/hosts/{host}/sessions/{session}/cancel",
  operationId: "cancelSession",
  tags: ["Sessions"],
  summary: "Cancel the open turn of a session, and its calls that run in this server",
  request: { params: sessionParam },
  responses: {
    200: json(z.object({ cancelled: z.boolean() }), "No call of it runs here any more"),
    ...failures,
  },
});

/** A session as the reasoner returns it, which is JSON of this form. */
type Summary = z.output<typeof sessionSummarySchema>;

/** Returns the turns and the call history of a host. Throws `NOT_SERVED` for a plan without a model. */
export function turnsOf(
  service: Service,
  name: string,
  principal: Principal,
): { readonly turns: ServedTurns; readonly history: CallHistory } {
  const { turns, history } = hostOf(service, name, principal);
  if (turns === undefined) throw new HttpError("NOT_SERVED", { what: "model: its plan has no agent" });
  return { turns, history };
}

/** Creates the routes that list, show and fork sessions, and end their open turn. */
export function sessionRoutes(service: Service) {
  return createRoutes()
    .openapi(list, async (c) => {
      const { principal } = c.env;
      const { turns } = turnsOf(service, c.req.valid("param").host, principal);
      const sessions = await turns.list(c.req.valid("query"));
      const user = visibleUser(principal);
      const own = user === null ? sessions : await ownSessions(turns, sessions, user);
      return c.json({ sessions: own.map((session) => session as Summary) }, 200);
    })
    .openapi(show, async (c) => {
      const { principal } = c.env;
      const { host, session: name } = c.req.valid("param");
      const { turns, history } = turnsOf(service, host, principal);
      const own = await turnsNamed({ turns, history }, { name, principal });
      return c.json((await turns.show(own)) as z.output<typeof sessionSchema>, 200);
    })
    .openapi(fork, async (c) => {
      const { principal } = c.env;
      requireRole(principal, "call");
      const { host, session: name } = c.req.valid("param");
      const { turns, history } = turnsOf(service, host, principal);
      const user = principal.user ?? undefined;
      const own = await turnsNamed({ turns, history }, { name, principal });
      return c.json((await turns.fork(own, newSession(user), user)) as Summary, 200);
    })
    .openapi(cancel, async (c) => {
      const { principal } = c.env;
      requireRole(principal, "call");
      const { host, session: name } = c.req.valid("param");
      const known = hostOf(service, host, principal);
      const own = await sessionNamed(known, { name, principal });
      const live = known.host.session(own);
      const cancelled = await live.cancel({ immediate: true });
      live.cancellation.reset();
      if (known.work !== undefined) await endTurn(known.work, own, principal);
      return c.json({ cancelled }, 200);
    });
}

/** Ends the open turn of a session, even if another program began it. Does nothing if no turn is open. */
async function endTurn(work: ServerTurns, sessionId: string, { user, name }: Principal): Promise<void> {
  const open = await work.openTurn(sessionId);
  if (open !== null) return work.cancel(open);
  try {
    const turn = await work.resume({ sessionId, userId: user ?? undefined, by: name, cancel: true });
    await turn.running;
  } catch (error) {
    // No turn is open, or the session has only calls of a client.
    if (isToolmountError(error) && noTurn.has(error.code)) return;
    throw error;
  }
}

const noTurn: ReadonlySet<string> = new Set(["SESSION_CONFLICT", "SESSION_NOT_FOUND"]);

async function ownSessions(
  turns: ServedTurns,
  sessions: readonly object[],
  user: string,
): Promise<readonly object[]> {
  const owners = await Promise.all(sessions.map((session) => turns.owner((session as { id: string }).id)));
  return sessions.filter((_, at) => owners[at] === user);
}
