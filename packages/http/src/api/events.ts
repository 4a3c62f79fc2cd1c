import { createRoute, z } from "@hono/zod-openapi";
import { maySeeQuestions, visibleUser } from "../access/principal.ts";
import { HttpError } from "../fault/http-error.ts";
import { createRoutes, failures, hostOf, hostParam, type Service } from "./service.ts";
import type { ApprovalListener } from "../journal/approval-watch.ts";
import type { LoggedEvent } from "../work/event-log.ts";
import { repeat } from "../work/repeat.ts";
import { answerStream, type SendEvent } from "./stream.ts";

const events = createRoute({
  method: "get",
  path: "/hosts/{host}/events",
  operationId: "watch",
  tags: ["Server"],
  summary: "Watch calls and approvals as they happen",
  request: { params: hostParam },
  responses: {
    200: {
      description:
        "Events: `hello`, `call` (a CallSummary), `turn` (a Turn), `approvals` (how many wait, which were asked and which answered; for tokens with the role approve), `alive` every 15 s, `dropped` for a slow reader, and `bye` when the server ends. `call` and `turn` have ids: with `Last-Event-ID` the stream begins with what was missed, and `complete` of `hello` is false when that is no longer known",
      content: { "text/event-stream": { schema: z.string() } },
    },
    ...failures,
  },
});

/** Milliseconds between two events `alive`, by which a client notices a dead connection. */
const aliveMs = 15_000;

/** Maximum number of open streams with the same token name, for example for the tabs of a browser. */
const maxStreams = 20;

/** Creates the route of the event stream that keeps the page up to date. */
export function eventRoutes(service: Service) {
  /** How many streams are open, by the name of their token. The number is limited, because each event is sent to all of them. */
  const open = new Map<string, number>();
  return createRoutes().openapi(events, (c) => {
    const { principal } = c.env;
    const { name } = principal;
    const own = open.get(name) ?? 0;
    if (own >= maxStreams) throw new HttpError("TOO_MANY_OPEN", { open: own });
    const { events: log, watch, elsewhere } = hostOf(service, c.req.valid("param").host, principal);
    const user = visibleUser(principal);
    open.set(name, own + 1);
    return answerStream(c, async (send) => {
      const given = c.req.header("last-event-id");
      const missed = given === undefined ? [] : log.after(given);
      const pass = ({ event, data, id, userId }: LoggedEvent) => {
        if (user === null || userId === user) send(event, data, id);
      };
      send("hello", { version: service.version, complete: missed !== null });
      for (const event of missed ?? []) pass(event);
      const stops = [log.watch(pass), elsewhere.watch(), beat(service, () => send("alive", {}))];
      if (maySeeQuestions(principal)) stops.push(watch.watch(questionsSender(send)));
      await ended(AbortSignal.any([c.env.signal, service.ending]));
      for (const stop of stops) stop();
      open.set(name, open.get(name)! - 1);
      return { event: "bye", data: {} };
    });
  });
}

/** Returns a listener that sends how many questions wait, and the ids of those that were added or answered since it last sent. */
function questionsSender(send: SendEvent): ApprovalListener {
  let known: Set<string> | null = null;
  return (views) => {
    const ids = new Set(views.map(({ id }) => id));
    const asked = [...ids].filter((id) => known?.has(id) !== true);
    const answered = [...(known ?? [])].filter((id) => !ids.has(id));
    // If more questions wait than the list shows, the listener is called for changes beyond its end, too. Nothing is sent for
    // them.
    if (known !== null && asked.length + answered.length === 0) return;
    known = ids;
    send("approvals", { waiting: ids.size, asked, answered });
  };
}

/** Calls `act` at intervals, so that a client notices a dead connection. Returns a function that stops it. */
export function beat({ clock }: Service, act: () => void): () => void {
  return repeat(clock, aliveMs, act);
}

/** Resolves when the signal fires. */
export function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve());
  });
}
