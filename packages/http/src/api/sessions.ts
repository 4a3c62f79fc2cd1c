import { createRoute, z } from "@hono/zod-openapi";
import { isToolmountError, ToolmountError } from "@toolmount/core";
import type { Context } from "hono";
import { requireRole, userOfCall, visibleUser, type Principal } from "../access/principal.ts";
import { HttpError } from "../fault/http-error.ts";
import type { ServedTurns, TurnResumption } from "../served-host.ts";
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
import { resumeTurnWhenDecided } from "./until-decided.ts";

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
  summary: "Cancel the open turn of a session, and its calls that run in this server",
  request: { params: sessionParam },
  responses: {
    200: json(z.object({ cancelled: z.boolean() }), "No call of it runs here any more"),
    ...failures,
  },
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
      const { host, turns } = hostOf(service, name, principal);
      const live = host.session(session);
      const cancelled = await live.cancel({ immediate: true });
      live.cancellation.reset();
      if (turns !== undefined) await endPausedTurn(turns, session, principal);
      return c.json({ cancelled }, 200);
    });
}

/** What every request for a turn has. */
type Listening = Pick<TurnResumption, "userId" | "abortSignal" | "onEvent">;

/** Running turns. */
function turnRoutes(service: Service) {
  const answer = async (
    c: Context<RouteEnv>,
    { name, userId, waitMs = 0 }: { name: string; userId: string | undefined; waitMs: number | undefined },
    begin: (turns: ServedTurns, rest: Listening) => Promise<object>,
  ): Promise<Response> => {
    const live = hostOf(service, name, c.env.principal);
    const turns = turnsOf(service, name, c.env.principal);
    const work = async (signal: AbortSignal, onEvent: (event: object) => void) => {
      const listening = { userId, abortSignal: signal, onEvent };
      const resumeAt = (sessionId: string) => turns.resume({ sessionId, ...listening });
      return resumeTurnWhenDecided(live, await begin(turns, listening), resumeAt, { waitMs, signal });
    };
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
      const { prompt, sessionId, userId, waitMs } = c.req.valid("json");
      const { host: name } = c.req.valid("param");
      const given = { name, userId: userOfCall(principal, userId), waitMs };
      return answer(c, given, (turns, rest) => turns.run({ prompt, sessionId, ...rest }));
    })
    .openapi(resume, async (c) => {
      const { principal } = c.env;
      requireRole(principal, "call");
      requireOpen(service);
      const { host: name, session: sessionId } = c.req.valid("param");
      const { clientResults, cancel: ends, userId, waitMs } = c.req.valid("json");
      await requireVisible(turnsOf(service, name, principal), sessionId, principal);
      const given = { name, userId: userOfCall(principal, userId), waitMs };
      return answer(c, given, (turns, rest) =>
        turns.resume({ sessionId, clientResults, cancel: ends, ...rest }),
      );
    });
}

/** A turn that runs here was cancelled with its calls; one that paused has nothing that runs, and ends now. */
async function endPausedTurn(turns: ServedTurns, sessionId: string, { user }: Principal): Promise<void> {
  const userId = user ?? undefined;
  const abortSignal = new AbortController().signal;
  try {
    await turns.resume({ sessionId, userId, cancel: true, abortSignal, onEvent: () => {} });
  } catch (error) {
    // It runs here and ends by itself, no turn is open, or the calls were not those of a model.
    if (isToolmountError(error) && noTurn.has(error.code)) return;
    throw error;
  }
}

const noTurn: ReadonlySet<string> = new Set(["SESSION_CONFLICT", "SESSION_NOT_FOUND"]);

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
