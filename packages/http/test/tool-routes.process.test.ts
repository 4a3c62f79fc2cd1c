import { data, defineTool } from "@toolmount/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { createWorld, serve } from "./support/world.ts";

test("a token sees who it is, and what each host serves", async () => {
  const { host } = createWorld();
  const servers = async () => [{ name: "files", state: "asleep", refused: [] }];
  const served = {
    main: {
      host,
      servers,
      modelText: () => "",
      mcp: { fetch: async () => new Response(), close: async () => {} },
    },
    other: { host: createWorld().host },
  };
  const { ask } = await serve(served as never);
  const none = { plan: false, turns: false, layers: false, stories: false, mcp: false, modelText: false };
  const { body } = await ask("GET", "/api/v1/hosts");
  expect(body).toEqual({
    name: "operator",
    user: null,
    roles: ["call", "approve", "admin"],
    version: expect.any(String),
    hosts: [
      { ...none, name: "main", tools: 4, mcp: true, modelText: true, servers: 1 },
      { ...none, name: "other", tools: 4, servers: 0 },
    ],
  });
  const ana = (await ask("GET", "/api/v1/hosts", { as: "ana" })).body as { user?: string; hosts?: object[] };
  expect([ana.user, ana.hosts?.[0]]).toEqual(["ana", expect.objectContaining({ servers: 0 })]);
});

test("the tools of a host are listed as they are offered, sorted by name", async () => {
  const { host } = createWorld();
  const { ask } = await serve(host);
  const { status, body } = await ask("GET", "/api/v1/hosts/default/tools");
  const tools = body["tools"] as unknown as { name: string; tags: string[]; category: string }[];
  expect([status, tools.map(({ name }) => name), body["available"]]).toEqual([
    200,
    ["count", "echo", "wait", "wipe"],
    [],
  ]);
  expect(tools[1]).toMatchObject({
    name: "echo",
    category: "side_effect",
    tags: [],
    consequenceLevel: "low",
  });
  expect((await ask("GET", "/api/v1/hosts/none/tools")).status).toBe(404);
});

test("what was cut from a result is read page by page", async () => {
  const { host } = createWorld({ limits: { outputBytes: 1_000 } });
  const text = Array.from({ length: 3_000 }, (_, at) => String(at % 10)).join("");
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "long",
      description: "Returns much. Use in tests.",
      schema: z.strictObject({}),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: () => data(text),
    }),
  );
  const { ask } = await serve(host);
  const { body } = await ask("POST", "/api/v1/hosts/default/calls", { body: { tool: "long" } });
  const { ref } = (body["result"] as unknown as { truncated: { ref: string } }).truncated;
  const path = `/api/v1/hosts/default/outputs/${ref}`;
  const page = async (query: string) => (await ask("GET", `${path}${query}`)).body;
  const all = await page("");
  const total = all["total"] as unknown as number;
  expect(all).toMatchObject({ offset: 0, text: expect.stringContaining("0123456789") });
  expect(await page("?offset=10&limit=5")).toEqual({
    text: String(all["text"]).slice(10, 15),
    offset: 10,
    total,
    nextOffset: 15,
  });
  for (const query of ["?offset=-1", "?limit=0", "?limit=1000001", "?limit=x"])
    expect((await ask("GET", `${path}${query}`)).status).toBe(400);
  expect((await ask("GET", `${path}?limit=1000000`)).status).toBe(200);
});
