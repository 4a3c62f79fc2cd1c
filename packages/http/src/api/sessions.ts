import { createRoute, z } from "@hono/zod-openapi";
import { ToolmountError } from "@toolmount/core";
import type { Context } from "hono";
import { requireRole, userOfCall, visibleUser, type Principal } from "../access/principal.ts";
import { HttpError } from "../fault/http-error.ts";
import type { ServedTurns } from "../served-host.ts";
import { anyObject, turnResumeSchema, turnSchema } from "./schemas.ts";
import {
  createRoutes,
  failures,
  hostOf,
  hostParam,
  json,
  jsonBody,
  requireOpen,
  signalOf,
  type RouteEnv,
  type Service,
} from "./service.ts";
import { answerStream, wantsStream } from "./stream.ts";

const sessionParam = hostParam.extend({ session: z.string().min(1).max(256) });

const turnAnswers = {
  200: {
    description: "How the turn ended or paused. With Accept: text/event-stream, its events and then `result`",
    content: { "application/json": { schema: anyObject }, "text/event-stream": { schema: z.string() } },
  },
  ...failures,
};

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
  responses: { 200: json(z.object({ sessions: z.array(anyObject) }), "Newest change first"), ...failures },
});

const show = createRoute({
  method: "get",
  path: "/hosts/{host}/sessions/{session}",
  operationId: "showSession",
  tags: ["Sessions"],
  summary: "Show one session with its conversation",
  request: { params: sessionParam },
  responses: { 200: json(anyObject, "The session"), ...failures },
});

const run = createRoute({
  method: "post",
  path: "/hosts/{host}/turns",
  operationId: "runTurn",
  tags: ["Sessions"],
  summary: "Run a turn of a model",
  request: { params: hostParam, body: jsonBody(turnSchema) },
  responses: turnAnswers,
});

const resume = createRoute({
  method: "post",
  path: "/hosts/{host}/sessions/{session}/resume",
  operationId: "resumeTurn",
  tags: ["Sessions"],
  summary: "Resume a turn that paused, or end it with `cancel`",
  request: { params: sessionParam, body: jsonBody(turnResumeSchema) },
  responses: turnAnswers,
});

const fork = createRoute({
  method: "post",
  path: "/hosts/{host}/sessions/{session}/fork",
  operationId: "forkSession",
  tags: ["Sessions"],
  summary: "Copy a session without its open turn",
  request: { params: sessionParam },
  responses: { 200: json(anyObject, "The new session"), ...failures },
});

const cancel = createRoute({
  method: "post",
  path: "/hosts/{host}/sessions/{session}/cancel",
  operationId: "cancelSession",
  tags: ["Sessions"],
  summary: "Stop the calls of a session that run in this server",
  request: { params: sessionParam },
  responses: { 200: json(z.object({ cancelled: z.boolean() }), "No call of it runs any more"), ...failures },
});

/** Sessions and turns. */
export function sessionRoutes(service: Service) {
  return createRoutes().route("/", lookRoutes(service)).route("/", turnRoutes(service));
}

function turnsOf(service: Service, name: string, principal: Principal): ServedTurns {
  const { turns } = hostOf(service, name, principal);
  if (turns === undefined)
    throw new HttpError("NOT_SERVED", { what: "model: its plan has no session.orchestrator" });
  return turns;
}

/** Looking at sessions, copying them, and stopping their calls. */
function lookRoutes(service: Service) {
  return createRoutes()
    .openapi(list, async (c) => {
      const { principal } = c.env;
      const turns = turnsOf(service, c.req.valid("param").host, principal);
      const sessions = await turns.list(c.req.valid("query"));
      const user = visibleUser(principal);
      const own = user === null ? sessions : await ownSessions(turns, sessions, user);
      return c.json({ sessions: own.map((session) => ({ ...session })) }, 200);
    })
    .openapi(show, async (c) => {
      const { host, session } = c.req.valid("param");
      const turns = turnsOf(service, host, c.env.principal);
      await requireVisible(turns, session, c.env.principal);
      return c.json({ ...(await turns.show(session)) }, 200);
    })
    .openapi(fork, async (c) => {
      const { principal } = c.env;
      requireRole(principal, "call");
      const { host, session } = c.req.valid("param");
      const turns = turnsOf(service, host, principal);
      await requireVisible(turns, session, principal);
      return c.json({ ...(await turns.fork(session, undefined, principal.user ?? undefined)) }, 200);
    })
    .openapi(cancel, async (c) => {
      const { principal } = c.env;
      requireRole(principal, "call");
      const { host: name, session } = c.req.valid("param");
      if (visibleUser(principal) !== null)
        await requireVisible(turnsOf(service, name, principal), session, principal);
      const live = hostOf(service, name, principal).host.session(session);
      const cancelled = await live.cancel({ immediate: true });
      live.cancellation.reset();
      return c.json({ cancelled }, 200);
    });
}

/** Running turns. */
function turnRoutes(service: Service) {
  const answer = async (
    c: Context<RouteEnv>,
    work: (abortSignal: AbortSignal, onEvent: (event: object) => void) => Promise<object>,
  ): Promise<Response> => {
    const signal = signalOf(c, service);
    if (!wantsStream(c)) return c.json(await work(signal, () => {}), 200);
    return answerStream(c, async ({ send, gone }) => {
      const data = await work(AbortSignal.any([signal, gone]), (event) => send("turn", event));
      return { event: "result", data };
    });
  };
  return createRoutes()
    .openapi(run, async (c) => {
      const { principal } = c.env;
      requireRole(principal, "call");
      requireOpen(service);
      const { prompt, sessionId, userId } = c.req.valid("json");
      const turns = turnsOf(service, c.req.valid("param").host, principal);
      const request = { prompt, sessionId, userId: userOfCall(principal, userId) };
      return answer(c, (abortSignal, onEvent) => turns.run({ ...request, abortSignal, onEvent }));
    })
    .openapi(resume, async (c) => {
      const { principal } = c.env;
      requireRole(principal, "call");
      requireOpen(service);
      const { host, session: sessionId } = c.req.valid("param");
      const given = c.req.valid("json");
      const turns = turnsOf(service, host, principal);
      await requireVisible(turns, sessionId, principal);
      const request = { ...given, sessionId, userId: userOfCall(principal, given.userId) };
      return answer(c, (abortSignal, onEvent) => turns.resume({ ...request, abortSignal, onEvent }));
    });
}

/** Another user's session does not exist for a token of a user. */
async function requireVisible(turns: ServedTurns, session: string, principal: Principal): Promise<void> {
  const user = visibleUser(principal);
  if (user !== null && (await turns.owner(session)) !== user)
    throw new ToolmountError("SESSION_NOT_FOUND", { session });
}

async function ownSessions(
  turns: ServedTurns,
  sessions: readonly object[],
  user: string,
): Promise<readonly object[]> {
  const owners = await Promise.all(sessions.map((session) => turns.owner((session as { id: string }).id)));
  return sessions.filter((_, at) => owners[at] === user);
}
