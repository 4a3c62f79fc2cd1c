import { createRoute, z } from "@hono/zod-openapi";
import { ToolmountError } from "@toolmount/core";
import { visibleUser } from "../../access/principal.ts";
import { HttpError } from "../../fault/http-error.ts";
import type { ServedStories } from "../../served-host.ts";
import { changeSchema, differenceSchema } from "./changes.ts";
import { sessionNamed } from "./own-session.ts";
import { callQuery, filterOf } from "../history.ts";
import { callSummarySchema, nullableText } from "../schemas.ts";
import { createRoutes, failures, hostOf, hostParam, json, type LiveHost, type Service } from "../service.ts";
import { sessionParam, sessionSummarySchema } from "./sessions.ts";

const nullableTime = z.number().nullable();
const stands = z.string().describe("Where it stands, in words");

/** A summary of a session from its newest calls. */
export const recentSchema = z
  .object({
    session: z.string(),
    user: nullableText,
    calls: z.number().describe("Of those that were read"),
    from: z.number(),
    to: z.number(),
    stands,
  })
  .openapi("RecentSession");

const storyCallSchema = callSummarySchema
  .omit({ change: true })
  .extend({
    error: nullableText,
    question: z
      .object({
        askedAt: nullableTime.describe("null where it was answered while the call ran"),
        rules: z.array(z.string()).describe("What asked, such as a line of the plan"),
        answer: z.enum(["approved", "denied"]).nullable(),
        by: nullableText,
        answeredAt: nullableTime,
        reason: nullableText,
      })
      .nullable(),
    runBy: nullableText.describe("The person who ran it in the place of its caller"),
    allowedBy: nullableText.describe("The line of the plan that took a question away"),
    omitted: z.array(z.object({ what: z.string(), amount: z.string(), why: z.string(), how: z.string() })),
    change: changeSchema.nullable(),
    says: z.string().describe("What became of it, in words"),
  })
  .openapi("StoryCall");

/** What happened in a session. */
export const storySchema = z
  .object({
    session: z.string(),
    user: nullableText,
    from: nullableTime,
    to: nullableTime,
    workedMs: z.number().describe("How long its calls ran"),
    spent: sessionSummarySchema
      .pick({ usage: true, cost: true })
      .nullable()
      .describe("What its model used; null where the model is the client's own"),
    stands,
    steps: z.array(
      z.discriminatedUnion("kind", [
        z.object({
          kind: z.literal("said"),
          by: z.string().describe("model, typed, piped, pasted, attached, client or tool"),
          text: z.string(),
        }),
        z.object({
          kind: z.literal("call"),
          depth: z.number().describe("A call of another call's tool follows it, one deeper"),
          call: storyCallSchema,
        }),
      ]),
    ),
    changes: z.array(changeSchema),
    difference: differenceSchema,
    isPartial: z.boolean().describe("Earlier calls are not here"),
    omitsReads: z.boolean().describe("The audit leaves out the calls of tools that only read"),
  })
  .openapi("Story");

const recent = createRoute({
  method: "get",
  path: "/hosts/{host}/stories",
  operationId: "listStories",
  tags: ["Sessions"],
  summary: "List the sessions of the newest calls, of any client, or of those that a filter chooses",
  request: { params: hostParam, query: callQuery },
  responses: { 200: json(z.object({ stories: z.array(recentSchema) }), "The last used first"), ...failures },
});

const show = createRoute({
  method: "get",
  path: "/hosts/{host}/sessions/{session}/story",
  operationId: "showStory",
  tags: ["Sessions"],
  summary: "Show what was said and done in one session, who allowed it, and what can be undone",
  request: { params: sessionParam },
  responses: { 200: json(storySchema, "The newest 1,000 calls; secrets are masked"), ...failures },
});

/** Creates the routes for stories: what happened in the sessions of any client. */
export function storyRoutes(service: Service) {
  return createRoutes()
    .openapi(recent, async (c) => {
      const live = hostOf(service, c.req.valid("param").host, c.env.principal);
      const filter = await filterOf(c.req.valid("query"), live, c.env.principal);
      const found = await storiesOf(live).recent(filter);
      return c.json({ stories: found as z.output<typeof recentSchema>[] }, 200);
    })
    .openapi(show, async (c) => {
      const { host, session: name } = c.req.valid("param");
      const { principal } = c.env;
      const live = hostOf(service, host, principal);
      const session = await sessionNamed(live, { name, principal });
      const found = await storiesOf(live).read(session, visibleUser(principal) ?? undefined);
      const story = found as z.output<typeof storySchema>;
      if (story.steps.length === 0) throw new ToolmountError("SESSION_NOT_FOUND", { session: name });
      return c.json(story, 200);
    });
}

function storiesOf({ stories }: LiveHost): ServedStories {
  if (stories === undefined) throw new HttpError("NOT_SERVED", { what: "stories of sessions" });
  return stories;
}
