import { createRoute, z } from "@hono/zod-openapi";
import { ToolmountError, type ApprovalView } from "@toolmount/core";
import { requireRole } from "../access/principal.ts";
import { anyObject, effectSchema, nullableText } from "./schemas.ts";
import { createRoutes, failures, hostOf, hostParam, json, jsonBody, type Service } from "./service.ts";

/** A question about a waiting call. */
export const approvalSchema = z
  .object({
    id: z.string(),
    state: z.string(),
    tool: z.string(),
    arguments: anyObject,
    prompt: z.string(),
    reasons: z.array(z.object({ source: z.string(), reason: z.string(), rule: z.string().optional() })),
    place: z
      .object({ tool: z.string(), line: z.number(), code: z.string(), after: z.number() })
      .optional()
      .describe("The line of a program that makes the call, and how many calls the program made before it"),
    options: z.array(z.string()),
    digest: z.string(),
    createdAt: z.number(),
    expiresAt: z.number(),
    decision: z
      .object({
        decision: z.enum(["approve", "deny"]),
        by: z.string(),
        at: z.number(),
        reason: z.string().optional(),
        arguments: anyObject.optional().describe("With which the approver lets the call run instead; masked"),
      })
      .nullable(),
    info: z
      .looseObject({
        callId: z.string(),
        runId: z.string(),
        parentRunId: z.string().optional(),
        sessionId: z.string().optional(),
        userId: z.string().optional(),
      })
      .describe("The call, and whose it is"),
    default: z.enum(["approve", "deny"]),
    rememberable: z.boolean(),
    end: z.looseObject({ status: z.string() }).optional().describe("How the call ended"),
  })
  .openapi("Approval");

/** An approval that answers later calls, too. */
export const rememberedSchema = z
  .object({
    id: z.string(),
    tool: z.string(),
    definition: z.string(),
    scope: z.enum(["arguments", "session", "rule"]),
    argumentsDigest: z.string().nullable(),
    pattern: anyObject.nullable(),
    sessionId: z.string().nullable(),
    userId: z.string().nullable(),
    by: z.string(),
    at: z.number(),
    expiresAt: z.number().nullable().describe("When it ends by itself; null: when it is revoked"),
    uses: z.number().describe("Calls that it has answered"),
    usedAt: z.number().nullable(),
  })
  .openapi("RememberedApproval");

/** For which later calls an approval counts, too. */
const forMs = z
  .int()
  .min(1)
  .max(315_360_000_000)
  .optional()
  .describe("It ends by itself after so many milliseconds; default: when it is revoked");

export const scopeSchema = z
  .union([
    z.strictObject({ scope: z.enum(["arguments", "session"]), forMs }),
    z.strictObject({ scope: z.literal("rule"), arguments: anyObject, forMs }),
  ])
  .openapi("ApprovalScope");

const idParam = hostParam.extend({ id: z.string().min(1).max(256) });

/** A decision. */
const decisionSchema = z
  .strictObject({
    decision: z.enum(["approve", "deny"]),
    reason: z.string().max(2_000).optional().describe("The model reads it"),
    person: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Who decided, where the token is of a program: recorded beside the token's name"),
    remember: scopeSchema.optional().describe("Also approves later calls of this scope"),
    arguments: anyObject
      .optional()
      .describe(
        "Approves the call with these arguments; one that is equal to the shown one keeps the call's own value",
      ),
  })
  .openapi("Decision");

const list = createRoute({
  method: "get",
  path: "/hosts/{host}/approvals",
  operationId: "listApprovals",
  tags: ["Approvals"],
  summary: "List the questions that wait, those that were answered lately, and the remembered approvals",
  request: { params: hostParam },
  responses: {
    200: json(
      z.object({
        waiting: z.array(approvalSchema),
        hasMore: z.boolean().describe("More wait behind these; they follow as these are answered"),
        answered: z.array(approvalSchema),
        remembered: z.array(rememberedSchema),
      }),
      "Waiting: oldest first; answered: newest first, since this server looks",
    ),
    ...failures,
  },
});

const show = createRoute({
  method: "get",
  path: "/hosts/{host}/approvals/{id}",
  operationId: "showApproval",
  tags: ["Approvals"],
  summary: "Show one question",
  request: { params: idParam },
  responses: { 200: json(approvalSchema, "The question"), ...failures },
});

/** What the call of a question would change. */
export const previewSchema = z
  .object({
    effects: z.array(effectSchema),
    problem: nullableText.describe("Why it is not known, or why the call would change nothing"),
  })
  .openapi("QuestionPreview");

const preview = createRoute({
  method: "get",
  path: "/hosts/{host}/approvals/{id}/preview",
  operationId: "previewApproval",
  tags: ["Approvals"],
  summary: "Show what the call of an open question would change, as its tool's preview says it now",
  request: { params: idParam },
  responses: { 200: json(previewSchema, "It is rehearsed: nothing changes"), ...failures },
});

const decide = createRoute({
  method: "post",
  path: "/hosts/{host}/approvals/{id}/decision",
  operationId: "decide",
  tags: ["Approvals"],
  summary: "Approve or deny a call",
  request: { params: idParam, body: jsonBody(decisionSchema) },
  responses: {
    200: json(approvalSchema, "The decided question. The decision is on disk"),
    ...failures,
  },
});

const revoke = createRoute({
  method: "delete",
  path: "/hosts/{host}/approvals/{id}",
  operationId: "revoke",
  tags: ["Approvals"],
  summary: "Revoke a remembered approval, or an approval that was not used yet",
  request: { params: idParam },
  responses: { 200: json(z.object({ revoked: z.string() }), "It is revoked"), ...failures },
});

/** Approvals. A question may show what only some may know, so that reading it needs a role, too. */
export function approvalRoutes(service: Service) {
  const routes = createRoutes();
  routes.use("/hosts/:host/approvals/*", async (c, next) => {
    const reads = c.req.method === "GET" || c.req.method === "HEAD";
    requireRole(c.env.principal, "approve", ...(reads ? (["view"] as const) : []));
    await next();
  });
  return routes
    .openapi(list, async (c) => {
      const { host, watch } = hostOf(service, c.req.valid("param").host, c.env.principal);
      const waiting = await watch.waiting();
      const remembered = await host.approvals.remembered();
      return c.json(
        {
          waiting: waiting.map(toJson),
          hasMore: watch.hasMore,
          answered: watch.answered().map(toJson),
          remembered: remembered.map((one) => ({
            ...one,
            pattern: one.pattern as Record<string, unknown> | null,
          })),
        },
        200,
      );
    })
    .openapi(show, async (c) => {
      const { host, id } = c.req.valid("param");
      const view = await hostOf(service, host, c.env.principal).watch.find(id);
      if (view === undefined) throw new ToolmountError("APPROVAL_NOT_FOUND", {});
      return c.json(toJson(view), 200);
    })
    .openapi(preview, async (c) => {
      const { host: name, id } = c.req.valid("param");
      requireRole(c.env.principal, "approve");
      const { host } = hostOf(service, name, c.env.principal);
      return c.json((await host.approvals.preview(id)) as z.output<typeof previewSchema>, 200);
    })
    .openapi(decide, async (c) => {
      const { host: name, id } = c.req.valid("param");
      const { host, watch, reports } = hostOf(service, name, c.env.principal);
      service.countDecision(c.env.principal);
      const asked = reports && (await watch.find(id));
      if (asked !== undefined) await reports!.expect(asked);
      const { person, ...decision } = c.req.valid("json");
      const { name: decider } = c.env.principal;
      const by = person === undefined ? decider : `${person} (${decider})`;
      const view = await host.approvals.decide(id, decision as never, by);
      void watch.refresh();
      return c.json(toJson(view), 200);
    })
    .openapi(revoke, async (c) => {
      const { host: name, id } = c.req.valid("param");
      const { host, watch } = hostOf(service, name, c.env.principal);
      requireRole(c.env.principal, "admin");
      service.countDecision(c.env.principal);
      if (!(await host.approvals.revoke(id))) throw new ToolmountError("APPROVAL_NOT_FOUND", {});
      void watch.refresh();
      return c.json({ revoked: id }, 200);
    });
}

function toJson(view: ApprovalView): z.output<typeof approvalSchema> {
  return view as unknown as z.output<typeof approvalSchema>;
}
