import { createRoute, z } from "@hono/zod-openapi";
import { ToolmountError, type ApprovalView } from "@toolmount/core";
import { requireRole, type Principal } from "../access/principal.ts";
import {
  approvalSchema,
  decisionSchema,
  person,
  previewSchema,
  rememberedSchema,
} from "./approval-schemas.ts";
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
} from "./service.ts";

const idParam = hostParam.extend({ id: z.string().min(1).max(256) });

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

const run = createRoute({
  method: "post",
  path: "/hosts/{host}/approvals/{id}/run",
  operationId: "runApproved",
  tags: ["Approvals"],
  summary: "Run an approved call in the place of its caller, which may be gone",
  request: { params: idParam, body: jsonBody(z.strictObject({ person })) },
  responses: {
    200: json(
      approvalSchema,
      "The question, with how its call ended. The call runs once; its caller reads the outcome with its ticket",
    ),
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

/** Creates the routes of approvals. Reading a question needs a role, too, because it can show private content. */
export function approvalRoutes(service: Service) {
  const routes = createRoutes();
  routes.use("/hosts/:host/approvals/*", async (c, next) => {
    const reads = c.req.method === "GET" || c.req.method === "HEAD";
    requireRole(c.env.principal, "approve", ...(reads ? (["view"] as const) : []));
    await next();
  });
  return routes
    .openapi(list, async (c) => {
      const live = hostOf(service, c.req.valid("param").host, c.env.principal);
      return c.json(await questionsOf(live), 200);
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
      const { person: who, ...decision } = c.req.valid("json");
      const view = await host.approvals.decide(id, decision as never, nameOf(c.env.principal, who));
      void watch.refresh();
      return c.json(toJson(view), 200);
    })
    .openapi(run, async (c) => {
      const { host: name, id } = c.req.valid("param");
      const { host, watch } = hostOf(service, name, c.env.principal);
      service.countDecision(c.env.principal);
      requireOpen(service);
      const view = await host.approvals.run(id, nameOf(c.env.principal, c.req.valid("json").person));
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

async function questionsOf({ host, watch }: LiveHost) {
  const waiting = await watch.waiting();
  const remembered = await host.approvals.remembered();
  return {
    waiting: waiting.map(toJson),
    hasMore: watch.hasMore,
    answered: watch.answered().map(toJson),
    remembered: remembered.map((one) => ({ ...one, pattern: one.pattern as Record<string, unknown> | null })),
  };
}

/** Returns the name that is recorded with a decision: that of the token, and of the person whom the request names. */
function nameOf({ name }: Principal, who: string | undefined): string {
  return who === undefined ? name : `${who} (${name})`;
}

function toJson(view: ApprovalView): z.output<typeof approvalSchema> {
  return view as unknown as z.output<typeof approvalSchema>;
}
