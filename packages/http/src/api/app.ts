import { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { answerError, headersOf } from "../fault/answer.ts";
import { HttpError } from "../fault/http-error.ts";
import { visibleUser } from "../access/principal.ts";
import { approvalRoutes } from "./approvals.ts";
import { auditRoutes } from "./audit.ts";
import { callRoutes } from "./calls.ts";
import { changeRoutes, rehearsalRoutes } from "./sessions/changes.ts";
import { eventRoutes } from "./events.ts";
import { historyRoutes } from "./history.ts";
import { matchRoutes } from "./matches.ts";
import { mcpRoutes } from "./mcp.ts";
import { planRoutes } from "./plan.ts";
import { serverRoutes } from "./servers.ts";
import { sessionRoutes } from "./sessions/sessions.ts";
import { storyRoutes } from "./sessions/stories.ts";
import { readRest } from "../guard/read-rest.ts";
import { withBoundedBody } from "../guard/bounded-body.ts";
import { hostOf, type RouteEnv, type Service } from "./service.ts";
import { toolRoutes } from "./tools.ts";
import { turnRoutes } from "./turns.ts";

/** The app with all routes, which only gets requests with a valid token, and the OpenAPI 3.1 document that describes them. */
export interface App {
  readonly fetch: (request: Request, env: RouteEnv["Bindings"]) => Promise<Response>;
  readonly document: object;
}

/** The path below which the API is served. */
const apiPath = "/api/v1";

/** The groups of the API. */
const tags = {
  Server: "The token, the hosts, and what happens in them",
  Tools: "What may be called",
  Calls: "Calls, and those that wait",
  Approvals: "Questions for people",
  Turns: "What a model does for one prompt; the server runs it",
  Sessions: "Conversations of a model, and what calls of any client did in one",
  Audit: "The record of what was decided, started and ended",
  Plan: "What is mounted, and why",
};

/** Creates the app with all routes. */
export function createApp(service: Service, maxBodyBytes: number): App {
  const api = new OpenAPIHono<RouteEnv>();
  api.use("/hosts/:host/*", namePlan(service));
  for (const routes of [
    toolRoutes(service),
    callRoutes(service),
    rehearsalRoutes(service),
    historyRoutes(service),
    approvalRoutes(service),
    matchRoutes(service),
    sessionRoutes(service),
    storyRoutes(service),
    changeRoutes(service),
    turnRoutes(service),
    auditRoutes(service),
    planRoutes(service),
    serverRoutes(service),
    eventRoutes(service),
  ])
    api.route("/", routes);
  const app = new OpenAPIHono<RouteEnv>();
  app.route(apiPath, api);
  app.openAPIRegistry.registerComponent("securitySchemes", "token", { type: "http", scheme: "bearer" });
  // The document is created when it is first requested, because this takes longer than the rest of the start.
  let document: object | undefined;
  const describe = () =>
    (document ??= app.getOpenAPI31Document({
      openapi: "3.1.0",
      info: {
        title: "toolmount",
        version: service.version,
        description: "Tools for agents: call them, approve calls, and see what happened.",
        license: { name: "MIT", url: "https://opensource.org/license/mit" },
      },
      servers: [{ url: "/" }],
      security: [{ token: [] }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    }));
  app.get(`${apiPath}/openapi.json`, (c) => c.json(describe()));
  app.get("/metrics", async (c) => {
    if (visibleUser(c.env.principal) !== null)
      throw new HttpError("FORBIDDEN", { problem: "the figures are of every user's calls" });
    return c.body(await service.metrics.text(), 200, { "content-type": service.metrics.contentType });
  });
  app.route("/", mcpRoutes(service));
  app.notFound((c) => {
    throw new HttpError("NOT_FOUND", { what: `path ${JSON.stringify(c.req.path)}` });
  });
  app.onError((thrown, c) => {
    const { status, body } = answerError(thrown);
    if (status === 500) service.logger.error({ err: thrown, path: c.req.path }, "a request failed");
    return c.body(JSON.stringify(body), status as 500, headersOf(thrown));
  });
  return {
    fetch: boundedFetch(app, service, maxBodyBytes),
    get document() {
      return describe();
    },
  };
}

/**
 * Adds the digest of the mounted plan to each answer of a host. It is set on the connection itself, because some routes answer
 * there.
 */
const namePlan =
  (service: Service): MiddlewareHandler<RouteEnv> =>
  (c, next) => {
    const { plan } = hostOf(service, c.req.param("host") ?? "", c.env.principal).replicas;
    if (plan !== "") c.env.outgoing.setHeader("toolmount-plan", plan);
    return next();
  };

/**
 * Returns the app's `fetch` behind a check of the body. A request with a body that is too large or invalid is answered before any
 * route.
 */
const boundedFetch =
  (app: OpenAPIHono<RouteEnv>, { clock }: Service, maxBodyBytes: number): App["fetch"] =>
  async (request, env) => {
    try {
      return await app.fetch(await withBoundedBody(request, env.incoming, maxBodyBytes), env);
    } catch (thrown) {
      await readRest(env.incoming, clock);
      const { status, body } = answerError(thrown);
      return Response.json(body, { status, headers: { ...headersOf(thrown), connection: "close" } });
    }
  };
