import { createHost, data, defineTool, type ToolInfo } from "@toolmount/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { isListed, loadExtras, ownName, pageOf, toMcpTool } from "../src/serve/tool-list.ts";
import { hostOf } from "./support.ts";

const info = (more: Partial<ToolInfo> = {}) =>
  ({
    name: "look",
    declaredName: "look",
    description: "Looks.",
    inputSchema: { type: "object" },
    requiresConfirmation: false,
    ...more,
  }) as ToolInfo;
const plain = { name: "look", description: "Looks.", inputSchema: { type: "object" } } as const;
const tool = (name: string) => ({ name, inputSchema: { type: "object" as const } });
const reads = { category: "read", consequenceLevel: "low", idempotent: true } as const;
const older = { $schema: "http://json-schema.org/draft-07/schema#", type: "object" };
const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };

describe("a tool in a list", () => {
  test.each<[string, Partial<ToolInfo>, "legacy" | "modern", object | undefined, object]>([
    ["alone", {}, "modern", undefined, {}],
    ["with its hints", reads, "modern", undefined, { annotations: hints }],
    [
      "with hints of its server, which count less",
      reads,
      "modern",
      { title: "T", annotations: { title: "A", readOnlyHint: false } },
      { title: "T", annotations: { title: "A", ...hints } },
    ],
    [
      "with hints of its server only",
      {},
      "modern",
      { annotations: { title: "A" } },
      { annotations: { title: "A" } },
    ],
    [
      "that may ask, before 2026",
      { requiresConfirmation: true },
      "legacy",
      undefined,
      { execution: { taskSupport: "optional" } },
    ],
    [
      "that may ask, whose server says more",
      { requiresConfirmation: true },
      "legacy",
      { execution: { taskSupport: "required" } },
      { execution: { taskSupport: "required" } },
    ],
    ["that may ask, in 2026", { requiresConfirmation: true }, "modern", undefined, {}],
    ["that does not ask, before 2026", {}, "legacy", undefined, {}],
    [
      "of an older edition of JSON Schema",
      { inputSchema: { ...older, items: [{}] }, outputSchema: older },
      "modern",
      undefined,
      { inputSchema: { type: "object", prefixItems: [{}] }, outputSchema: { type: "object" } },
    ],
    [
      "with a union at the root of its arguments, before 2026",
      { inputSchema: { ...older, allOf: [{ required: ["a"] }] }, outputSchema: { ...older, anyOf: [{}] } },
      "legacy",
      undefined,
      { inputSchema: { type: "object", required: ["a"] }, outputSchema: { type: "object", anyOf: [{}] } },
    ],
    [
      "with a union at the root of its arguments, in 2026",
      { inputSchema: { type: "object", anyOf: [{}] } },
      "modern",
      undefined,
      { inputSchema: { type: "object", anyOf: [{}] } },
    ],
    [
      "with an output schema",
      { outputSchema: { type: "object" } },
      "legacy",
      undefined,
      { outputSchema: { type: "object" } },
    ],
    ["with a list as output, before 2026", { outputSchema: { type: "array" } }, "legacy", undefined, {}],
    [
      "with a list as output",
      { outputSchema: { type: "array" } },
      "modern",
      undefined,
      { outputSchema: { type: "array", items: {} } },
    ],
  ])("%s", (_, more, era, extras, expected) => {
    expect(toMcpTool(info(more), era, () => extras)).toEqual({ ...plain, ...expected });
  });

  test("has a name of at most 64 characters, by which the host finds it", () => {
    const [fits, long] = ["a".repeat(64), "a".repeat(65)];
    const host = createHost();
    onTestFinished(async () => void (await host.close()));
    for (const name of [fits, long])
      host.coordinator.mount(
        "tools",
        defineTool({
          name,
          description: "Looks. Use in tests.",
          schema: z.strictObject({}),
          ...reads,
          requiresConfirmation: false,
          execute: () => data(1),
        }),
      );
    const seen = toMcpTool(info({ name: long }), "modern").name;
    expect(seen).toMatch(/^a{57}_[0-9a-f]{6}$/);
    expect(toMcpTool(info({ name: fits }), "modern").name).toBe(fits);
    const unknown = `${"b".repeat(57)}_123456`;
    expect([seen, fits, "short", unknown].map((name) => ownName(name, host))).toEqual([
      long,
      fits,
      "short",
      unknown,
    ]);
  });

  test("has the members of its definition where its server still has the name", async () => {
    const host = hostOf([]);
    const definition = {
      ...tool("look"),
      title: "T",
      icons: [],
      annotations: {},
      execution: {},
      _meta: { a: 1 },
      later: 1,
    };
    const kept = (one: object, declaredName = "look") => ({ declaredName, definition: one });
    const map = new Map([
      ["look", kept(definition)],
      ["bare", kept(tool("bare"), "bare")],
      ["moved", kept(definition, "other")],
      ["skill", kept({ ...definition, _meta: { "io.modelcontextprotocol/skill": {} } }, "skill")],
    ]);
    host.coordinator.registerContributor("mcp.definitions", "a", () => map);
    host.coordinator.registerContributor("mcp.definitions", "b", () => "no map");
    const extras = await loadExtras(host);
    const of = (name: string) => extras(info({ name, declaredName: name }));
    expect(of("look")).toEqual({ title: "T", icons: [], annotations: {}, execution: {}, _meta: { a: 1 } });
    expect([of("bare"), of("moved"), of("gone")]).toEqual([{}, undefined, undefined]);
  });

  test.each([
    [undefined, "modern", false],
    [true, "modern", false],
    [{}, "modern", true],
    [{}, "legacy", false],
    [{ type: "object" }, "legacy", true],
  ] as const)("shows the output schema %j to clients of %s: %s", (schema, era, isShown) => {
    expect(isListed(schema as never, era)).toBe(isShown);
  });
});

test("pages go from name to name, and a cursor of another server is refused", () => {
  const tools = ["a", "b", "c", "d"].map(tool);
  const first = pageOf(tools, undefined, 2);
  expect(first).toEqual({
    tools: tools.slice(0, 2),
    nextCursor: Buffer.from("after:b").toString("base64url"),
  });
  expect(pageOf(tools, first.nextCursor, 2)).toEqual({ tools: tools.slice(2) });
  expect(pageOf(tools.slice(2), first.nextCursor, 1)).toMatchObject({
    tools: [tools[2]],
    nextCursor: expect.any(String),
  });
  expect(pageOf([], undefined, 2)).toEqual({ tools: [] });
  for (const cursor of ["b", Buffer.from("b").toString("base64url"), `${first.nextCursor}!`])
    expect(() => pageOf(tools, cursor, 2)).toThrow("the cursor is not one of this server");
});
