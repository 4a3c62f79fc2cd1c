import { createRoute, z } from "@hono/zod-openapi";
import { userIn } from "@toolmount/core";
import { maySeeQuestions, requireRole, userOfCall, type Principal } from "../../access/principal.ts";
import { HttpError } from "../../fault/http-error.ts";
import type { ServedLayers } from "../../served-host.ts";
import { person } from "../approval-schemas.ts";
import { callContext, outcomeSchema } from "../schemas.ts";
import {
  createRoutes,
  failures,
  hostOf,
  hostParam,
  json,
  jsonBody,
  requireOpen,
  type LiveHost,
  type Service,
} from "../service.ts";
import { sessionNamed } from "./own-session.ts";
import { sessionParam } from "./sessions.ts";

const section = z
  .enum(["files", "deletions", "obeyed", "repository"])
  .describe("`deletions`, and `obeyed`: what the next command runs or obeys, need a yes of their own");
const digest = z
  .string()
  .max(128)
  .describe("Of the difference that the person saw; another one voids the answer");

/** The changes that wait in the layer of a session. */
export const layerSchema = z
  .object({
    digest,
    changes: z.array(
      z.object({
        path: z.string(),
        section,
        change: z.enum(["create", "change", "delete", "mode"]),
        kind: z.string().describe("file, folder, link or pipe"),
        bytes: z.number(),
        mode: z.object({ before: z.string(), after: z.string() }).nullable(),
        moved: z
          .string()
          .nullable()
          .describe(
            "The other name of an entry that only got another one: of a new entry the old, of a deleted one the new",
          ),
        lines: z
          .object({ added: z.number(), removed: z.number() })
          .nullable()
          .describe("null for what is no short text"),
      }),
    ),
    left: z
      .array(z.object({ path: z.string(), reason: z.string() }))
      .describe("What cannot be kept, with the reason"),
    conflicts: z
      .array(z.object({ path: z.string(), reason: z.string() }))
      .describe("What the person changed, too: with one of these nothing is kept"),
    running: z.array(z.string()).describe("Commands in the background that a keep or a drop ends"),
    calls: z
      .array(
        z.object({
          tool: z.string(),
          runId: z.string(),
          network: z.array(z.string()).optional().describe("Hosts of the network that it says it reached"),
        }),
      )
      .describe("The calls that made it, as far as this server ran them"),
  })
  .openapi("SessionLayer");

/** A session with a layer, and the number of its changes. */
export const layerSessionSchema = z.object({
  session: z.string(),
  changes: z.number().nullable().describe("null where this server has not opened the layer"),
});

const answerSchema = z
  .strictObject({
    digest,
    sections: z.array(section).min(1).optional().describe("Keep the changes of these"),
    paths: z.array(z.string()).optional().describe("Of them only these"),
    parts: z
      .record(z.string(), z.array(z.int().min(0)).min(1))
      .optional()
      .describe(
        "Of these files only these parts: in the difference of a file, each `@@` begins one; counted from 0",
      ),
    drop: z.literal(true).optional().describe("Drop all that waits, instead of keeping"),
    userId: callContext.userId,
    person,
  })
  .refine(({ sections, drop }) => (sections === undefined) === (drop === true), {
    message: "give either sections, or drop: true",
  })
  .openapi("LayerAnswer");

const list = createRoute({
  method: "get",
  path: "/hosts/{host}/layers",
  operationId: "listLayers",
  tags: ["Sessions"],
  summary: "List the sessions whose changes of files wait for an answer",
  request: { params: hostParam },
  responses: {
    200: json(z.object({ sessions: z.array(layerSessionSchema) }), "Those that have changes, or may have"),
    ...failures,
  },
});

const show = createRoute({
  method: "get",
  path: "/hosts/{host}/sessions/{session}/layer",
  operationId: "showLayer",
  tags: ["Sessions"],
  summary: "Show which changes of files of a session wait for an answer",
  request: {
    params: sessionParam,
    query: z.object({ path: z.string().max(4_096).optional().describe("Only the difference of this file") }),
  },
  responses: {
    200: json(
      z.object({
        layer: layerSchema.nullable().describe("null with `path`, and for a session without a layer"),
        conflict: z
          .object({ person: z.string(), session: z.string() })
          .nullable()
          .describe("With `path`, of a conflict: what each side changed since it was staged or committed"),
        difference: z
          .string()
          .nullable()
          .describe("With `path`: line by line; null for what is no short text"),
      }),
      "What waits",
    ),
    ...failures,
  },
});

const answer = createRoute({
  method: "post",
  path: "/hosts/{host}/sessions/{session}/layer",
  operationId: "answerLayer",
  tags: ["Sessions"],
  summary: "Keep what waits of a session, or some of it, or drop it",
  request: { params: sessionParam, body: jsonBody(answerSchema) },
  responses: {
    200: json(
      z.object({
        outcome: outcomeSchema.describe(
          "Of the call that keeps or drops; a keep is undone as other changes are",
        ),
        layer: layerSchema.nullable().describe("What waits now"),
      }),
      "What became of it. With the code DIFFERENCE_CHANGED nothing was done, and `layer` is the new difference",
    ),
    ...failures,
  },
});

/**
 * Creates the routes of layers. Looking needs a role, because changes can show private content. Keeping and dropping need the
 * role for decisions.
 */
export function layerRoutes(service: Service) {
  return createRoutes()
    .openapi(list, async (c) => {
      const { principal } = c.env;
      requireLook(principal);
      const { layers } = hostOf(service, c.req.valid("param").host, principal);
      return c.json({ sessions: [...((await layers?.sessions()) ?? [])] }, 200);
    })
    .openapi(show, async (c) => {
      requireLook(c.env.principal);
      const { layers, session } = await layerOf(service, c.req.valid("param"), c.env.principal);
      const { path } = c.req.valid("query");
      if (path !== undefined)
        return c.json({ layer: null, ...(await layers.difference(session, path)) }, 200);
      return c.json({ layer: await shownOf(layers, session), difference: null, conflict: null }, 200);
    })
    .openapi(answer, async (c) => {
      const { principal } = c.env;
      requireRole(principal, "approve");
      service.countDecision(principal);
      requireOpen(service);
      const { userId, person: who, drop, digest: shown, sections = [], paths, parts } = c.req.valid("json");
      const { layers, session } = await layerOf(service, c.req.valid("param"), principal, userId);
      const by = who === undefined ? principal.name : `${who} (${principal.name})`;
      const context = { by, userId: userIn(session, userOfCall(principal, userId)) };
      const outcome =
        drop === true
          ? await layers.drop(session, shown, context)
          : await layers.keep(session, { digest: shown, sections, paths, parts }, context);
      const layer = await shownOf(layers, session);
      return c.json({ outcome: outcome as unknown as z.output<typeof outcomeSchema>, layer }, 200);
    });
}

function requireLook(principal: Principal): void {
  if (!maySeeQuestions(principal)) requireRole(principal, "approve", "view");
}

async function shownOf(layers: ServedLayers, session: string) {
  return (await layers.waiting(session)) as z.output<typeof layerSchema> | null;
}

async function layerOf(
  service: Service,
  { host, session: name }: z.output<typeof sessionParam>,
  principal: Principal,
  userId?: string,
): Promise<{ readonly layers: ServedLayers; readonly session: string }> {
  const live: LiveHost = hostOf(service, host, principal);
  const { layers } = live;
  if (layers === undefined) throw new HttpError("NOT_SERVED", { what: "layer: its plan has none" });
  return { layers, session: await sessionNamed(live, { name, principal, userId }) };
}
