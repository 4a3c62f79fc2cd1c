import { createRoute, z } from "@hono/zod-openapi";
import type { ToolInfo } from "@toolmount/core";
import { sessionNamed } from "./sessions/own-session.ts";
import { roles, visibleUser } from "../access/principal.ts";
import { toolSchema } from "./schemas.ts";
import { countServers } from "./servers.ts";
import { createRoutes, failures, hostOf, hostParam, json, type Service } from "./service.ts";

/** Who sent the request, what they may do, and the hosts that they may use. */
export const meSchema = z.object({
  name: z.string(),
  user: z.string().nullable(),
  roles: z.array(z.enum(roles)),
  version: z.string(),
  hosts: z.array(
    z.object({
      name: z.string(),
      tools: z.number(),
      plan: z.boolean(),
      turns: z.boolean(),
      stories: z.boolean(),
      layers: z.boolean(),
      mcp: z.boolean(),
      modelText: z.boolean(),
      servers: z.number().describe("Mounted servers that this token sees"),
    }),
  ),
});

const hosts = createRoute({
  method: "get",
  path: "/hosts",
  operationId: "listHosts",
  tags: ["Server"],
  summary: "Show who the token belongs to, and the hosts that it may use",
  responses: {
    200: json(meSchema, "The token and the hosts"),
    ...failures,
  },
});

const list = createRoute({
  method: "get",
  path: "/hosts/{host}/tools",
  operationId: "listTools",
  tags: ["Tools"],
  summary: "List the tools that are offered",
  request: {
    params: hostParam,
    query: z.object({ session: z.string().optional(), mode: z.string().optional() }),
  },
  responses: {
    200: json(
      z.object({ mode: z.string(), tools: z.array(toolSchema), available: z.array(toolSchema) }),
      "Sorted by name; `available` may be activated",
    ),
    ...failures,
  },
});

const output = createRoute({
  method: "get",
  path: "/hosts/{host}/outputs/{ref}",
  operationId: "readOutput",
  tags: ["Tools"],
  summary: "Read a page of a truncated output",
  request: {
    params: hostParam.extend({ ref: z.string().min(1).max(256) }),
    query: z.object({
      offset: z.coerce.number().int().min(0).optional(),
      limit: z.coerce.number().int().min(1).max(1_000_000).optional(),
    }),
  },
  responses: {
    200: json(
      z.object({
        text: z.string(),
        offset: z.number(),
        total: z.number(),
        nextOffset: z.number().optional(),
      }),
      "The page",
    ),
    ...failures,
  },
});

/** Creates the routes that list hosts and their tools, and return results that were too long for an outcome. */
export function toolRoutes(service: Service) {
  return createRoutes()
    .openapi(hosts, async (c) => {
      const { principal } = c.env;
      const { name, user, roles: ownRoles, hosts: own } = principal;
      const listed = [...service.hosts.values()].filter((live) => own === null || own.has(live.name));
      const facts = listed.map(async (live) => ({
        name: live.name,
        tools: live.host.tools().length,
        plan: live.plan !== undefined,
        turns: live.turns !== undefined,
        stories: live.stories !== undefined,
        layers: live.layers !== undefined,
        mcp: live.mcp !== undefined,
        modelText: live.modelText !== undefined,
        servers: await countServers(live, principal),
      }));
      const shown = await Promise.all(facts);
      return c.json({ name, user, roles: [...ownRoles], version: service.version, hosts: shown }, 200);
    })
    .openapi(list, async (c) => {
      const { principal } = c.env;
      const live = hostOf(service, c.req.valid("param").host, principal);
      const { session, mode } = c.req.valid("query");
      const sessionId = session && (await sessionNamed(live, { name: session, principal }));
      const offer = await live.host.offer({ sessionId, mode });
      return c.json(
        { mode: offer.mode, tools: offer.tools.map(toJson), available: offer.available.map(toJson) },
        200,
      );
    })
    .openapi(output, (c) => {
      const { host: name, ref } = c.req.valid("param");
      const { host } = hostOf(service, name, c.env.principal);
      const userId = visibleUser(c.env.principal) ?? undefined;
      return c.json(host.output(ref, { ...c.req.valid("query"), userId }), 200);
    });
}

function toJson(tool: ToolInfo): z.output<typeof toolSchema> {
  const { control, tags, ...rest } = tool;
  return { ...rest, tags: [...tags], ...(control !== undefined && { control: [...control] }) };
}
