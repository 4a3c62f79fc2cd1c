import { data, defineTool } from "@toolmount/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { forgeAdapter } from "../../src/forge/adapter.ts";
import { forged } from "../support/forged.ts";
import { hostWithAdapters } from "../support/world.ts";

const execute = async ({ city }: { city: string }, { userId }: { userId?: string }) => ({
  tool: "get_weather",
  fetchedAt: "2026-01-02T03:04:05.000Z",
  data: { city, userId: userId ?? null },
});

test.each([
  { title: "Zod", schema: z.object({ city: z.string() }) },
  {
    title: "JSON Schema",
    schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
])(
  "FORGE-1, FORGE-5, FORGE-20, FORGE-27: a definition with a schema by $title is mounted, and its whole result kept",
  async ({ schema }) => {
    const { host } = await hostWithAdapters();
    host.coordinator.mount("tools", { ...forged, schema, execute });

    expect(host.tools()).toMatchObject([
      { origin: "forge", category: "read", version: "1.0.0", timeoutMs: 15_000 },
    ]);
    expect(
      (await host.call({ name: "get_weather", arguments: { city: "Rome" } }, { userId: "u" })).result,
    ).toEqual({
      tool: "get_weather",
      fetchedAt: "2026-01-02T03:04:05.000Z",
      data: { city: "Rome", userId: "u" },
    });
    expect(await host.call({ name: "get_weather" })).toMatchObject({ status: "invalid" });
  },
);

test.each([
  { title: "with a JSON Schema", tool: { schema: { type: "object", properties: {} } } },
  { title: "with an incomplete classification", tool: { schema: z.object({}), category: undefined } },
])(
  "FORGE-2: a name that is not lower snake case is refused, of a definition $title",
  async ({ tool: own }) => {
    const { host } = await hostWithAdapters();
    const tool = { ...forged, name: "getWeather", ...own, execute };

    expect(() => host.coordinator.mount("tools", tool as never)).toThrow(
      expect.objectContaining({ code: "TOOL_INVALID" }),
    );
  },
);

test("a definition that does not say whether it needs confirmation is never run without asking", async () => {
  const { host, lines } = await hostWithAdapters();
  let count = 0;
  const { requiresConfirmation: _, ...incomplete } = forged;
  host.coordinator.mount("tools", {
    ...incomplete,
    category: "delete",
    consequenceLevel: "high",
    schema: z.object({}),
    execute: async () => ++count,
  } as never);

  expect((await host.call({ name: "get_weather" })).status).toBe("denied");
  expect(count).toBe(0);
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: "warn",
      fields: expect.objectContaining({ tool: "get_weather", missing: ["requiresConfirmation"] }) as object,
    }),
  );
});

test("a definition with one member of the classification counts as the strictest for the others", async () => {
  const { host } = await hostWithAdapters();
  const { name, description } = forged;
  const tool = { name, description, category: "read", schema: z.object({}), execute };
  host.coordinator.mount("tools", tool);

  expect(host.tools()).toMatchObject([
    { origin: "forge", category: "read", consequenceLevel: "high", requiresConfirmation: true },
  ]);
});

test.each(["banana", "1", "1.0", "v1.0.0", ""])("the version %j is refused", async (version) => {
  const { host } = await hostWithAdapters();
  const mount = () => host.coordinator.mount("tools", { ...forged, version, schema: z.object({}), execute });

  expect(mount).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ rule: "version_semver" }) as object }),
  );
});

test("a complete plain object with a Zod schema and a camel-case name is a tool of toolmount", async () => {
  const { host } = await hostWithAdapters();
  host.coordinator.mount("tools", { ...forged, name: "startEngine", schema: z.object({}), execute });

  expect(host.tools()).toMatchObject([{ name: "startEngine", origin: "toolmount" }]);
});

test("an incomplete definition with a camel-case name is refused with the way to write it for toolmount", async () => {
  const { host } = await hostWithAdapters();
  const { requiresConfirmation: _, ...incomplete } = forged;
  const tool = { ...incomplete, name: "startEngine", schema: z.object({}), execute };

  expect(() => host.coordinator.mount("tools", tool as never)).toThrow("defineTool");
});

test("a tool of ours stays ours, whatever it leaves out", async () => {
  const { host } = await hostWithAdapters();
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "GetWeather",
      description: "Returns the weather.",
      schema: z.strictObject({}),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: () => data(null),
    }),
  );

  expect(host.tools()).toMatchObject([{ origin: "toolmount" }]);
});

test.each([
  {
    answer: { tool: "get_weather", fetchedAt: "2026-01-02T03:04:05Z", data: 1, error: "no" },
    rule: "exactly one",
  },
  { answer: { tool: "get_weather", fetchedAt: "2026-01-02T03:04:05Z" }, rule: "exactly one" },
  {
    answer: { tool: "get_weather", fetchedAt: "2026-01-02T03:04:05Z", data: 1, success: true },
    rule: '"success"',
  },
  { answer: { tool: "get_weather", timestamp: "2026-01-02T03:04:05Z", data: 1 }, rule: '"timestamp"' },
  { answer: { tool: "other", fetchedAt: "2026-01-02T03:04:05Z", data: 1 }, rule: "names the tool" },
  { answer: { tool: "get_weather", fetchedAt: "yesterday", data: 1 }, rule: "ISO 8601" },
])("FORGE-21, FORGE-22, FORGE-26: a result that breaks a rule names it: $rule", async ({ answer, rule }) => {
  const { host } = await hostWithAdapters();
  host.coordinator.mount("tools", { ...forged, schema: z.object({}), execute: async () => answer } as never);
  const { result } = await host.call({ name: "get_weather" });

  expect(result.code).toBe("CONTRACT_VIOLATION");
  expect(result.error).toContain(rule);
});

test.each([
  { title: "a user's token", auth: { type: "user", jwt: "t" } },
  { title: "an API key", auth: { type: "service", apiKey: "k" } },
  { title: "an OAuth token", auth: { type: "oauth", accessToken: "t" } },
  { title: "none", auth: undefined },
])(
  "FORGE-28, FORGE-29, FORGE-N5, FORGE-N10: auth by $title reaches the tool, services are optional members of the context",
  async ({ auth }) => {
    const { host } = await hostWithAdapters();
    const seen: unknown[] = [];
    if (auth !== undefined) host.coordinator.provide("auth", () => auth);
    host.coordinator.provide("search", ({ userId }) => ({ of: userId }));
    host.coordinator.mount("tools", {
      ...forged,
      schema: z.object({}),
      execute: async (
        _: object,
        context: { auth?: unknown; client?: unknown; search?: unknown; abortSignal: AbortSignal },
      ) => {
        seen.push(context.auth, context.client, context.search, context.abortSignal.aborted);
        return { tool: "get_weather", fetchedAt: "2026-01-02T03:04:05Z", data: null };
      },
    });
    await host.call({ name: "get_weather" }, { userId: "u" });

    expect(seen).toEqual([auth, undefined, { of: "u" }, false]);
  },
);

test.each([null, undefined, "execute", 7, true, {}])("%j is no definition of Tool-Forge", (thing) => {
  expect(forgeAdapter.recognises(thing)).toBe(false);
});
