import { createRoute, z } from "@hono/zod-openapi";
import { visibleUser } from "../access/principal.ts";
import { HttpError } from "../fault/http-error.ts";
import { createRoutes, failures, hostOf, hostParam, signalOf, type Service } from "./service.ts";
import { answerStream } from "./stream.ts";

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
        "Events: `hello`, `call` (a CallSummary), `approvals` (how many wait; for tokens with the role approve), `alive` every 15 s, `dropped` for a slow reader, and `bye` when the server ends",
      content: { "text/event-stream": { schema: z.string() } },
    },
    ...failures,
  },
});

/** Milliseconds between two signs of life, so that a client notices a dead connection. */
const aliveMs = 15_000;

/** Streams of one person or program, such as the tabs of a browser. */
const maxStreams = 20;

/** The stream of events that keeps the page up to date. */
export function eventRoutes(service: Service) {
  /** Open streams by the name of their tokens: each call is sent to all of them. */
  const open = new Map<string, number>();
  return createRoutes().openapi(events, (c) => {
    const { principal } = c.env;
    const { name } = principal;
    const own = open.get(name) ?? 0;
    if (own >= maxStreams) throw new HttpError("TOO_MANY_OPEN", { open: own });
    const { journal, watch } = hostOf(service, c.req.valid("param").host, principal);
    const user = visibleUser(principal);
    const seesApprovals = principal.roles.has("approve");
    open.set(name, own + 1);
    return answerStream(c, async ({ send, gone }) => {
      send("hello", { version: service.version });
      const stops = [
        journal.watch((call) => {
          if (user === null || call.userId === user) send("call", call);
        }),
        beat(service, () => send("alive", {})),
      ];
      if (seesApprovals) stops.push(watch.watch((waiting) => send("approvals", { waiting: waiting.length })));
      await ended(AbortSignal.any([gone, signalOf(c, service), service.ending]));
      for (const stop of stops) stop();
      open.set(name, open.get(name)! - 1);
      return { event: "bye", data: {} };
    });
  });
}

function beat({ clock }: Service, act: () => void): () => void {
  let timer = clock.setTimer(next, aliveMs);
  function next() {
    act();
    timer = clock.setTimer(next, aliveMs);
    timer.keepAlive(false);
  }
  timer.keepAlive(false);
  return () => timer.cancel();
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve());
  });
}
