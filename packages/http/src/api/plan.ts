import { createRoute, z } from "@hono/zod-openapi";
import type { JsonObject } from "@toolmount/core";
import { requireRole, visibleUser, type Principal } from "../access/principal.ts";
import { HttpError } from "../fault/http-error.ts";
import type { ServedPlan } from "../served-host.ts";
import { anyObject } from "./schemas.ts";
import {
  comparisonSchema,
  explanationSchema,
  planSchema,
  reloadSchema,
  statusSchema,
  suggestionSchema,
} from "./plan-schemas.ts";
import {
  createRoutes,
  failures,
  hostOf,
  hostParam,
  json,
  jsonBody,
  type LiveHost,
  requireOpen,
  type Service,
} from "./service.ts";

const status = createRoute({
  method: "get",
  path: "/hosts/{host}/status",
  operationId: "status",
  tags: ["Plan"],
  summary: "Show each module of the plan: its state, its tools, its problems, and drift against the lock",
  request: { params: hostParam },
  responses: { 200: json(statusSchema, "The status"), ...failures },
});

const effective = createRoute({
  method: "get",
  path: "/hosts/{host}/plan",
  operationId: "showPlan",
  tags: ["Plan"],
  summary: "Show the plan with its parts merged, and where each value is written",
  request: { params: hostParam },
  responses: { 200: json(planSchema, "The plan; secrets are masked"), ...failures },
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
  responses: { 200: json(explanationSchema, "The explanation"), ...failures },
});

const reload = createRoute({
  method: "post",
  path: "/hosts/{host}/reload",
  operationId: "reload",
  tags: ["Plan"],
  summary: "Read the plan again, at every server of the store; a plan with problems changes nothing",
  request: { params: hostParam },
  responses: { 200: json(reloadSchema, "What the reload did"), ...failures },
});

const newest = z.int().min(1).max(100_000).default(10_000).describe("How many calls, the newest");

const compare = createRoute({
  method: "post",
  path: "/hosts/{host}/plan/compare",
  operationId: "comparePolicy",
  tags: ["Plan"],
  summary: "Show how another policy would have answered the newest calls of the audit; no tool runs",
  request: {
    params: hostParam,
    body: jsonBody(
      z
        .strictObject({
          policy: z.string().max(50_000).describe("The section policy of the plan, as YAML"),
          last: newest,
        })
        .openapi("PolicyToCompare"),
    ),
  },
  responses: { 200: json(comparisonSchema, "The calls that would be answered otherwise"), ...failures },
});

const suggest = createRoute({
  method: "post",
  path: "/hosts/{host}/plan/suggest",
  operationId: "suggestPolicy",
  tags: ["Plan"],
  summary:
    "Suggest lines of the policy by what people answered in the newest calls of the audit; the plan stays",
  request: {
    params: hostParam,
    body: jsonBody(z.strictObject({ last: newest }).openapi("CallsToLearnFrom")),
  },
  responses: { 200: json(suggestionSchema, "The lines, and the policy with them"), ...failures },
});

/**
 * Returns a function that runs one comparison of policies for each host at a time, because each of them mounts the plan's modules
 * once more. Throws `RATE_LIMITED` for another one.
 */
function oneAtATime() {
  const judging = new Set<string>();
  return async (host: string, work: (() => Promise<object>) | undefined): Promise<object> => {
    if (work === undefined) throw new HttpError("NOT_SERVED", { what: "comparison of policies" });
    if (judging.has(host)) throw new HttpError("RATE_LIMITED", { seconds: 5 });
    judging.add(host);
    try {
      return await work();
    } finally {
      judging.delete(host);
    }
  };
}

/** Returns the digest of the plan that this server has, and all servers of the plan. */
async function serversOf({ replicas }: LiveHost) {
  return { digest: replicas.plan, replicas: await replicas.list() };
}

/** Creates the routes of a host's plan. A token of one user cannot read it, because it names all tools and paths. */
export function planRoutes(service: Service) {
  const planOf = (name: string, principal: Principal): ServedPlan => {
    const { plan } = hostOf(service, name, principal);
    if (visibleUser(principal) !== null)
      throw new HttpError("FORBIDDEN", { problem: "the plan is for people who run the server" });
    if (plan === undefined) throw new HttpError("NOT_SERVED", { what: "plan: it was created without one" });
    return plan;
  };
  const alone = oneAtATime();
  const openPlan = (host: string, principal: Principal): ServedPlan => {
    requireRole(principal, "admin");
    requireOpen(service);
    return planOf(host, principal);
  };
  return createRoutes()
    .openapi(compare, async (c) => {
      const { host } = c.req.valid("param");
      const plan = openPlan(host, c.env.principal);
      const { policy, last } = c.req.valid("json");
      const options = { last, signal: c.env.signal };
      const found = await alone(host, plan.compare && (() => plan.compare!(policy, options)));
      return c.json(found as z.output<typeof comparisonSchema>, 200);
    })
    .openapi(suggest, async (c) => {
      const { host } = c.req.valid("param");
      const plan = openPlan(host, c.env.principal);
      const options = { last: c.req.valid("json").last, signal: c.env.signal };
      const found = await alone(host, plan.suggest && (() => plan.suggest!(options)));
      return c.json(found as z.output<typeof suggestionSchema>, 200);
    })
    .openapi(status, async (c) => {
      const { host } = c.req.valid("param");
      const found = planOf(host, c.env.principal).status();
      const servers = await serversOf(hostOf(service, host, c.env.principal));
      return c.json({ ...found, ...servers } as z.output<typeof statusSchema>, 200);
    })
    .openapi(effective, async (c) => {
      const found = await planOf(c.req.valid("param").host, c.env.principal).effective();
      return c.json(found as z.output<typeof planSchema>, 200);
    })
    .openapi(why, async (c) => {
      const { tool, arguments: given, mode } = c.req.valid("json");
      const plan = planOf(c.req.valid("param").host, c.env.principal);
      const found = await plan.why(tool, { arguments: given as JsonObject | undefined, mode });
      return c.json(found as z.output<typeof explanationSchema>, 200);
    })
    .openapi(reload, async (c) => {
      const { host } = c.req.valid("param");
      openPlan(host, c.env.principal);
      const done = await hostOf(service, host, c.env.principal).replicas.reload();
      return c.json(done as z.output<typeof reloadSchema>, 200);
    });
}
