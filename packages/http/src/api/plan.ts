import { createRoute, z } from "@hono/zod-openapi";
import type { JsonObject } from "@toolmount/core";
import { requireRole, visibleUser, type Principal } from "../access/principal.ts";
import { HttpError } from "../fault/http-error.ts";
import type { ServedPlan } from "../served-host.ts";
import { anyObject } from "./schemas.ts";
import { createRoutes, failures, hostOf, hostParam, json, requireOpen, type Service } from "./service.ts";

const status = createRoute({
  method: "get",
  path: "/hosts/{host}/status",
  operationId: "status",
  tags: ["Plan"],
  summary: "Show each module of the plan: its state, its tools, its problems, and drift against the lock",
  request: { params: hostParam },
  responses: { 200: json(anyObject, "The status"), ...failures },
});

const effective = createRoute({
  method: "get",
  path: "/hosts/{host}/plan",
  operationId: "showPlan",
  tags: ["Plan"],
  summary: "Show the plan with all layers merged, and where each value is written",
  request: { params: hostParam },
  responses: { 200: json(anyObject, "The plan; secrets are masked"), ...failures },
});

const why = createRoute({
  method: "post",
  path: "/hosts/{host}/why",
  operationId: "why",
  tags: ["Plan"],
  summary: "Explain a tool: which lines made it what it is, and what would decide a call of it",
  request: {
    params: hostParam,
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.strictObject({
            tool: z.string().min(1).max(256),
            arguments: anyObject.optional(),
            mode: z.string().optional(),
          }),
        },
      },
    },
  },
  responses: { 200: json(anyObject, "The explanation"), ...failures },
});

const reload = createRoute({
  method: "post",
  path: "/hosts/{host}/reload",
  operationId: "reload",
  tags: ["Plan"],
  summary: "Read the plan again; a plan with problems changes nothing",
  request: { params: hostParam },
  responses: { 200: json(anyObject, "What the reload did"), ...failures },
});

/** The plan of a host. It names every tool and path, so a token of one user does not read it. */
export function planRoutes(service: Service) {
  const planOf = (name: string, principal: Principal): ServedPlan => {
    const { plan } = hostOf(service, name, principal);
    if (visibleUser(principal) !== null)
      throw new HttpError("FORBIDDEN", { problem: "the plan is for people who run the server" });
    if (plan === undefined) throw new HttpError("NOT_SERVED", { what: "plan: it was created without one" });
    return plan;
  };
  return createRoutes()
    .openapi(status, (c) => c.json({ ...planOf(c.req.valid("param").host, c.env.principal).status() }, 200))
    .openapi(effective, async (c) =>
      c.json({ ...(await planOf(c.req.valid("param").host, c.env.principal).effective()) }, 200),
    )
    .openapi(why, async (c) => {
      const { tool, arguments: given, mode } = c.req.valid("json");
      const plan = planOf(c.req.valid("param").host, c.env.principal);
      return c.json({ ...(await plan.why(tool, { arguments: given as JsonObject | undefined, mode })) }, 200);
    })
    .openapi(reload, async (c) => {
      requireRole(c.env.principal, "admin");
      requireOpen(service);
      return c.json({ ...(await planOf(c.req.valid("param").host, c.env.principal).reload()) }, 200);
    });
}
