import { createRoute, z } from "@hono/zod-openapi";
import { checkSink, type AuditSink, type Host } from "@toolmount/core";
import { visibleUser } from "../access/principal.ts";
import { HttpError } from "../fault/http-error.ts";
import { auditRecordSchema } from "./schemas.ts";
import { createRoutes, failures, hostOf, hostParam, json, type Service } from "./service.ts";

const query = createRoute({
  method: "get",
  path: "/hosts/{host}/audit",
  operationId: "queryAudit",
  tags: ["Audit"],
  summary: "Read the newest records of the audit",
  request: {
    params: hostParam,
    query: z.object({
      run: z.string().optional(),
      tool: z.string().optional(),
      since: z.coerce.number().int().min(0).optional().describe("Milliseconds since the epoch"),
      last: z.coerce.number().int().min(1).max(10_000).default(100),
    }),
  },
  responses: { 200: json(z.object({ records: z.array(auditRecordSchema) }), "Newest first"), ...failures },
});

const verify = createRoute({
  method: "get",
  path: "/hosts/{host}/audit/verify",
  operationId: "verifyAudit",
  tags: ["Audit"],
  summary: "Check that no record was changed, removed or reordered",
  request: { params: hostParam },
  responses: {
    200: json(
      z.object({
        records: z.number(),
        problems: z.array(z.object({ writer: z.string(), sequence: z.number(), problem: z.string() })),
      }),
      "The number of records, and every problem",
    ),
    ...failures,
  },
});

/** Creates the routes of the audit. A token of one user cannot read it, because it contains the work of all users. */
export function auditRoutes(service: Service) {
  const routes = createRoutes();
  routes.use("/hosts/:host/audit/*", async (c, next) => {
    if (visibleUser(c.env.principal) !== null)
      throw new HttpError("FORBIDDEN", { problem: "the audit holds what every user did" });
    await next();
  });
  return routes
    .openapi(query, async (c) => {
      const { run, tool, since, last } = c.req.valid("query");
      const { host } = hostOf(service, c.req.valid("param").host, c.env.principal);
      const records = await sinkOf(host).read({ runId: run, tool, since, last });
      return c.json({ records: records as unknown as z.output<typeof auditRecordSchema>[] }, 200);
    })
    .openapi(verify, async (c) => {
      const sink = sinkOf(hostOf(service, c.req.valid("param").host, c.env.principal).host);
      const { records, problems } = await checkSink(sink);
      return c.json({ records, problems: problems.map((problem) => ({ ...problem })) }, 200);
    });
}

function sinkOf({ coordinator }: Host): AuditSink {
  const sink = coordinator.get("audit-sink") as AuditSink | null;
  if (sink === null)
    throw new HttpError("NOT_SERVED", { what: 'audit: its plan has no line "audit: durable"' });
  return sink;
}
