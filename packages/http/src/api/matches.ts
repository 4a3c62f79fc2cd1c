import { isDeepStrictEqual } from "node:util";
import { createRoute, z } from "@hono/zod-openapi";
import { ToolmountError, type ApprovalView } from "@toolmount/core";
import { matchesArguments } from "@toolmount/core/text";
import type { CallHistory } from "../journal/call-history.ts";
import { scopeSchema } from "./approval-schemas.ts";
import { createRoutes, failures, hostOf, hostParam, json, jsonBody, type Service } from "./service.ts";

/** How many of the newest calls are compared. */
const maxCompared = 1_000;

const matches = createRoute({
  method: "post",
  path: "/hosts/{host}/approvals/{id}/matches",
  operationId: "countMatches",
  tags: ["Approvals"],
  summary: "Count the newest calls that an approval of a scope would have answered",
  request: {
    params: hostParam.extend({ id: z.string().min(1).max(256) }),
    body: jsonBody(z.strictObject({ remember: scopeSchema }).openapi("Scope")),
  },
  responses: {
    200: json(
      z.object({ compared: z.number(), matched: z.number() }),
      "Of the newest calls that this server knows, with the question's own call; at most 1,000",
    ),
    ...failures,
  },
});

/**
 * Creates the route that counts the calls which a remembered approval would have answered. It is below `/approvals`, so it needs
 * the role `approve`.
 */
export function matchRoutes(service: Service) {
  return createRoutes().openapi(matches, async (c) => {
    const { host, id } = c.req.valid("param");
    const { history, watch } = hostOf(service, host, c.env.principal);
    const view = await watch.find(id);
    if (view === undefined) throw new ToolmountError("APPROVAL_NOT_FOUND", {});
    return c.json(await countMatches(view, c.req.valid("json").remember, history), 200);
  });
}

async function countMatches(view: ApprovalView, scope: z.output<typeof scopeSchema>, history: CallHistory) {
  const { sessionId, userId = null } = view.info;
  const { calls } = await history.list({ limit: maxCompared });
  const same = calls.filter(
    (call) =>
      call.tool === view.tool &&
      call.userId === userId &&
      (scope.scope !== "session" || call.sessionId === sessionId),
  );
  const given = await history.argumentsOf(same.map(({ runId }) => runId));
  const matched = same.filter(({ runId }) => {
    const values = given.get(runId);
    if (values === undefined) return false;
    return scope.scope === "rule"
      ? matchesArguments(scope.arguments, values as Record<string, unknown>, "every")
      : isDeepStrictEqual(values, view.arguments);
  });
  return { compared: calls.length, matched: matched.length };
}
