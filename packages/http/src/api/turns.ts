import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { newSession, sessionNamed, turnsNamed } from "./sessions/own-session.ts";
import { requireRole, userOfCall, visibleUser, type Principal } from "../access/principal.ts";
import { HttpError } from "../fault/http-error.ts";
import type { ServedTurns } from "../served-host.ts";
import type { LiveTurn } from "../work/live-turn.ts";
import { isToolmountError, ownSession, type Json } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import type { FirstAnswers } from "../work/first-answers.ts";
import { firstOf, type ServerTurns, type TurnStart } from "../work/server-turns.ts";
import { readId } from "../work/turn-events.ts";
import type { Turn } from "../work/turn-record.ts";
import { beat, ended } from "./events.ts";
import { createRoutes, hostOf, requireOpen, type RouteEnv, type Service } from "./service.ts";
import { turnsOf } from "./sessions/sessions.ts";
import { answerStream } from "./stream.ts";
import { addMessage, cancel, list, resume, run, show, watch } from "./turn-routes.ts";
import type { turnSchema } from "./turn-schemas.ts";

/** Creates the routes that start, watch and cancel turns. A turn runs on the server, not in a request. */
export function turnRoutes(service: Service) {
  return createRoutes()
    .openapi(run, async (c) => {
      const { prompt, sessionId, userId, waitMs } = c.req.valid("json");
      const { work, turns, by } = workOf(service, c.req.valid("param").host, c.env.principal);
      const user = userOfCall(c.env.principal, userId);
      const start = { prompt, sessionId: ownSession(user, sessionId), userId: user, by };
      const key = c.req.header("idempotency-key");
      const { answers } = hostOf(service, c.req.valid("param").host, c.env.principal);
      const made = { ...start, sessionId: start.sessionId ?? newSession(user) };
      const begin = key === undefined ? work.start(made) : startOnce({ work, turns, answers }, start, key);
      return answer(c, service, await begin, waitMs);
    })
    .openapi(resume, async (c) => {
      const { host, session } = c.req.valid("param");
      const { clientResults, cancel: ends, message, userId, waitMs } = c.req.valid("json");
      const { work, by } = workOf(service, host, c.env.principal);
      const { principal } = c.env;
      const known = turnsOf(service, host, principal);
      const sessionId = await turnsNamed(known, { name: session, principal, userId });
      const user = userOfCall(c.env.principal, userId);
      const turn = await work.resume({ sessionId, clientResults, cancel: ends, message, userId: user, by });
      return answer(c, service, turn, waitMs);
    })
    .openapi(list, async (c) => {
      const { status, session, cursor, limit } = c.req.valid("query");
      const { principal } = c.env;
      const known = turnsOf(service, c.req.valid("param").host, principal);
      const sessionId = session && (await sessionNamed(known, { name: session, principal }));
      const { work } = hostOf(service, c.req.valid("param").host, c.env.principal);
      const userId = visibleUser(c.env.principal) ?? undefined;
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const found = await work!.list({ statuses: status && [status], sessionId, userId, after, limit });
      const last = found.length === limit ? found.at(-1) : undefined;
      return c.json({ turns: found.map(toJson), next: last === undefined ? null : cursorOf(last) }, 200);
    })
    .openapi(show, async (c) => {
      const { host, turn } = c.req.valid("param");
      return c.json(toJson((await find(service, host, turn, c.env.principal)).shown), 200);
    })
    .openapi(watch, async (c) => {
      const { host, turn: id } = c.req.valid("param");
      const turn = await find(service, host, id, c.env.principal);
      return follow(c, service, hostOf(service, host, c.env.principal).work!, turn);
    })
    .openapi(addMessage, async (c) => {
      const { host, turn: id } = c.req.valid("param");
      const { work } = workOf(service, host, c.env.principal);
      const turn = await find(service, host, id, c.env.principal);
      await work.addMessage(turn, c.req.valid("json").text);
      return c.json(toJson(turn.shown), 200);
    })
    .openapi(cancel, async (c) => {
      const { host, turn: id } = c.req.valid("param");
      const { work } = workOf(service, host, c.env.principal);
      const turn = await find(service, host, id, c.env.principal);
      await work.cancel(turn);
      return c.json(toJson(turn.shown), 200);
    });
}

/**
 * Returns the turns of a host, and the name of the token. Throws if the token may not start turns, or if the server is ending.
 */
function workOf(
  service: Service,
  name: string,
  principal: Principal,
): { readonly work: ServerTurns; readonly turns: ServedTurns; readonly by: string } {
  requireRole(principal, "call");
  requireOpen(service);
  const { turns } = turnsOf(service, name, principal);
  return { turns, work: hostOf(service, name, principal).work!, by: principal.name };
}

/** Finds a turn. Throws `NOT_FOUND` if it does not exist, or belongs to another user. */
async function find(service: Service, name: string, id: string, principal: Principal): Promise<LiveTurn> {
  turnsOf(service, name, principal);
  const turn = await hostOf(service, name, principal).work!.find(id);
  const user = visibleUser(principal);
  if (turn === null || (user !== null && turn.stored.userId !== user))
    throw new HttpError("NOT_FOUND", { what: `turn ${JSON.stringify(id)}` });
  return turn;
}

/**
 * Starts a turn, or finds the one that was started with the same key. The id of its session is made from the key, so that it can
 * be found after a crash.
 */
async function startOnce(
  { work, turns, answers }: { work: ServerTurns; turns: ServedTurns; answers: FirstAnswers },
  { sessionId, ...rest }: TurnStart,
  key: string,
): Promise<LiveTurn> {
  const owner = `${rest.by}\n${rest.userId ?? ""}`;
  const made = ownSession(rest.userId, `turn-${digestOf([owner, key]).slice(0, 32)}`);
  const start = { ...rest, sessionId: sessionId ?? made };
  const begin = async () => (await work.start(start)).stored.id;
  const { answer: id } = await answers.once<string>(
    { key, owner, request: ["turn", rest.prompt, sessionId ?? null] },
    {
      run: begin,
      async recover(_note, _keep, began) {
        const [found] = await work.list({ sessionId: start.sessionId, limit: 1 });
        // An older turn of the session may have the same prompt.
        if (found?.prompt === firstOf(start.prompt) && found.startedAt >= began) return found.id;
        // If the server died before it stored the turn, the session is open although its newest stored turn has ended. Such a
        // turn is resumed.
        return begin().catch(async (error: unknown) => {
          if (!isToolmountError(error) || error.code !== "SESSION_CONFLICT") throw error;
          if (found?.endedAt === null || !(await beginsWith(turns, start))) throw error;
          return (await work.resume(start)).stored.id;
        });
      },
    },
  );
  return (await work.find(id))!;
}

/** Tests whether the last text of the user in a session is this prompt, so that the open turn began with it. */
async function beginsWith(turns: ServedTurns, { sessionId, prompt }: TurnStart): Promise<boolean> {
  const { items = [] } = (await turns.show(sessionId!)) as { items?: { role?: string; content?: unknown }[] };
  return items.findLast(({ role }) => role === "user")?.content === prompt;
}

async function answer(c: Context<RouteEnv>, service: Service, turn: LiveTurn, waitMs = 0) {
  if (waitMs > 0 && turn.isOpen) {
    const over = AbortSignal.any([AbortSignal.timeout(waitMs), c.env.signal, service.ending]);
    await untilEnded(turn, over);
  }
  c.header("location", `${c.req.path.replace(/\/(turns|sessions\/.*)$/, "")}/turns/${turn.stored.id}`);
  return turn.isOpen ? c.json(toJson(turn.shown), 202) : c.json(toJson(turn.shown), 200);
}

/**
 * Sends the events after the last one that the client has, and then new ones until the turn ends. A client that already has all
 * of them gets the turn's current state.
 */
function follow(c: Context<RouteEnv>, service: Service, work: ServerTurns, turn: LiveTurn): Response {
  const given = c.req.header("last-event-id");
  const signal = AbortSignal.any([c.env.signal, service.ending]);
  const newest = async () => (await work.find(turn.stored.id)) ?? turn;
  return answerStream(c, async (send) => {
    let known: Json = null;
    const continues = readId(given) !== null;
    const sendOnce = ({ shown }: LiveTurn) => {
      if (continues && known === null) send("turn", (known = toJson(shown) as unknown as Json));
    };
    if (given !== undefined && !continues) send("reset", {});
    const stop = beat(service, () => send("alive", {}));
    const isOver = async () => !(await newest()).isOpen;
    for await (const { event, data, id } of turn.stream.after(given, {
      signal,
      isOver,
      onIdle: () => sendOnce(turn),
    })) {
      if (event === "turn") known = data;
      send(event, data, id);
    }
    stop();
    const last = await newest();
    // If the server that ran the turn was killed, it could not send the end, so it is sent now.
    const knownEnd = (known as { readonly endedAt?: unknown } | null)?.endedAt ?? null;
    if (!last.isOpen && knownEnd === null) send("turn", toJson(last.shown));
    return { event: "bye", data: {} };
  });
}

async function untilEnded(turn: LiveTurn, signal: AbortSignal): Promise<void> {
  if (!turn.isOpen) return;
  const over = Promise.withResolvers<void>();
  const stop = turn.events.watch(() => turn.isOpen || over.resolve());
  await Promise.race([over.promise, ended(signal)]);
  stop();
}

function cursorOf({ startedAt, id }: Turn): string {
  return Buffer.from(JSON.stringify([startedAt, id])).toString("base64url");
}

function readCursor(cursor: string): { readonly at: number; readonly id: string } {
  try {
    const text = Buffer.from(cursor, "base64url").toString("utf8");
    const [at, id] = z.tuple([z.number(), z.string()]).parse(JSON.parse(text));
    return { at, id };
  } catch (cause) {
    throw new HttpError("REQUEST_INVALID", { problem: "cursor is not one of this list" }, { cause });
  }
}

function toJson(turn: Turn): z.output<typeof turnSchema> {
  return turn as unknown as z.output<typeof turnSchema>;
}
