import { createRoute, z } from "@hono/zod-openapi";
import { failures, hostParam, json, jsonBody, keyHeader } from "./service.ts";
import { sessionParam } from "./sessions/sessions.ts";
import {
  turnMessageSchema,
  turnResumeSchema,
  turnSchema,
  turnStartSchema,
  turnStatusSchema,
} from "./turn-schemas.ts";

const turnParam = hostParam.extend({ turn: z.string().min(1).max(256) });

const started = {
  200: json(turnSchema, "The turn has ended"),
  202: json(turnSchema, "The turn keeps running; no client needs to wait for it"),
  ...failures,
};

export const run = createRoute({
  method: "post",
  path: "/hosts/{host}/turns",
  operationId: "runTurn",
  tags: ["Turns"],
  summary: "Start a turn of a model. The server runs it; clients only watch",
  request: { params: hostParam, headers: keyHeader, body: jsonBody(turnStartSchema) },
  responses: started,
});

export const resume = createRoute({
  method: "post",
  path: "/hosts/{host}/sessions/{session}/resume",
  operationId: "resumeTurn",
  tags: ["Turns"],
  summary: "Resume the open turn of a session with results of the client, or end it with `cancel`",
  request: { params: sessionParam, body: jsonBody(turnResumeSchema) },
  responses: started,
});

export const list = createRoute({
  method: "get",
  path: "/hosts/{host}/turns",
  operationId: "listTurns",
  tags: ["Turns"],
  summary: "List turns, those that began last first",
  request: {
    params: hostParam,
    query: z.object({
      status: turnStatusSchema.optional(),
      session: z.string().optional(),
      cursor: z.string().max(512).optional().describe("`next` of the page before"),
      limit: z.coerce.number().int().min(1).max(1_000).default(100),
    }),
  },
  responses: {
    200: json(
      z.object({ turns: z.array(turnSchema), next: z.string().nullable() }),
      "A page; `next` is null on the last one",
    ),
    ...failures,
  },
});

export const show = createRoute({
  method: "get",
  path: "/hosts/{host}/turns/{turn}",
  operationId: "showTurn",
  tags: ["Turns"],
  summary: "Show one turn",
  request: { params: turnParam },
  responses: { 200: json(turnSchema, "The turn"), ...failures },
});

export const watch = createRoute({
  method: "get",
  path: "/hosts/{host}/turns/{turn}/events",
  operationId: "watchTurn",
  tags: ["Turns"],
  summary: "Watch one turn to its end, also while it waits",
  request: { params: turnParam },
  responses: {
    200: {
      description:
        "Events: `turn` (a Turn, at each change), `step` (what the model says and which calls it makes), `reset` when earlier steps are no longer known, `alive` every 15 s, and `bye`. `turn` and `step` have ids; `Last-Event-ID` continues after one of them",
      content: { "text/event-stream": { schema: z.string() } },
    },
    ...failures,
  },
});

export const addMessage = createRoute({
  method: "post",
  path: "/hosts/{host}/turns/{turn}/messages",
  operationId: "addMessage",
  tags: ["Turns"],
  summary: "Add a message of the user to a turn that has not ended: the model reads it with its next request",
  request: { params: turnParam, body: jsonBody(turnMessageSchema) },
  responses: { 200: json(turnSchema, "The message is stored; the turn keeps running"), ...failures },
});

export const cancel = createRoute({
  method: "post",
  path: "/hosts/{host}/turns/{turn}/cancel",
  operationId: "cancelTurn",
  tags: ["Turns"],
  summary: "Cancel a turn. Its calls are cancelled, and its open questions are void",
  request: { params: turnParam },
  responses: { 200: json(turnSchema, "The turn; it may need seconds on another server"), ...failures },
});
