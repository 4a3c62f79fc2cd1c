import { Type } from "@sinclair/typebox";
import { createHost, defineTool, type Host } from "@toolmount/core";
import { jsonSchema } from "ai";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import { mount } from "../../src/module.ts";

// oxlint-disable-next-line no-underscore-dangle -- the name in zod/mini
const withDefault = mini._default;

/** The same arguments by each library: a text, a whole number with a default, and a choice that may be absent. */
const schemas: Readonly<Record<string, object>> = {
  "Zod 4": z.strictObject({
    who: z.string().min(1),
    times: z.int().default(2),
    how: z.enum(["loud", "low"]).optional(),
  }),
  "zod/mini": mini.strictObject({
    who: mini.string().check(mini.minLength(1)),
    times: withDefault(mini.int(), 2),
    how: mini.optional(mini.enum(["loud", "low"])),
  }),
  "Zod 3": z3
    .object({
      who: z3.string().min(1),
      times: z3.number().int().default(2),
      how: z3.enum(["loud", "low"]).optional(),
    })
    .strict(),
  "Zod 3 with a refinement": z3
    .object({
      who: z3
        .string()
        .min(1)
        .refine((text) => text !== "Eve"),
      times: z3.number().int().default(2),
      how: z3.enum(["loud", "low"]).optional(),
    })
    .strict(),
  Valibot: v.strictObject({
    who: v.pipe(v.string(), v.minLength(1)),
    times: v.optional(v.pipe(v.number(), v.integer()), 2),
    how: v.optional(v.picklist(["loud", "low"])),
  }),
  ArkType: type({ "+": "reject", who: "string >= 1", times: "number.integer = 2", "how?": "'loud' | 'low'" }),
  TypeBox: Type.Object(
    {
      who: Type.String({ minLength: 1 }),
      times: Type.Optional(Type.Integer({ default: 2 })),
      how: Type.Optional(Type.Union([Type.Literal("loud"), Type.Literal("low")])),
    },
    { additionalProperties: false },
  ),
  "JSON Schema": {
    type: "object",
    properties: {
      who: { type: "string", minLength: 1 },
      times: { type: "integer", default: 2 },
      how: { enum: ["loud", "low"] },
    },
    required: ["who"],
    additionalProperties: false,
  },
};

/** The same tool in each contract that takes a schema. */
const contracts: Readonly<Record<string, (schema: object) => object>> = {
  defineTool: (schema) =>
    defineTool({ ...common, schema: schema as never, execute: (params) => ({ data: params }) }),
  "Tool-Forge": (schema) => ({
    ...common,
    schema,
    timeout: 1000,
    execute: async (params: unknown) => ({
      tool: "get_greeting",
      fetchedAt: new Date(0).toISOString(),
      data: params,
    }),
  }),
  "the AI SDK": (schema) => ({
    name: "get_greeting",
    description: common.description,
    inputSchema: "~standard" in schema ? schema : jsonSchema(schema),
    execute: async (params: unknown) => params,
  }),
};

const common = {
  name: "get_greeting",
  description: "Gets a greeting. Use in tests.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
} as const;

describe("FORGE-N70: a schema means the same, whichever library it is of", () => {
  const cases = Object.keys(schemas).flatMap((library) =>
    Object.keys(contracts).map((contract) => [library, contract] as const),
  );

  test.each(cases)("%s, in a tool of %s", async (library, contract) => {
    const host = await mounted(contracts[contract]!(schemas[library]!));
    const [tool] = host.tools();
    const call = async (given: object) => {
      const { status, result } = await host.call({ name: tool!.name, arguments: given as never });
      return status === "ok" ? result.data : status;
    };

    expect(tool!.inputSchema).toMatchObject({
      type: "object",
      properties: { who: { type: "string", minLength: 1 } },
      required: expect.arrayContaining(["who"]) as unknown,
    });
    expect(await call({ who: "Ada" })).toEqual({ who: "Ada", times: 2 });
    expect(await call({ who: "Ada", times: 3, how: "low" })).toEqual({ who: "Ada", times: 3, how: "low" });
    for (const wrong of [
      {},
      { who: "" },
      { who: 7 },
      { who: "Ada", times: 1.5 },
      { who: "Ada", how: "soft" },
      { who: "Ada", more: 1 },
    ])
      expect([wrong, await call(wrong)]).toEqual([wrong, "invalid"]);
    await host.close();
  });

  test.each([
    ["a transform of Zod 3", z3.object({ at: z3.string().transform((text) => text.length) })],
    ["a date of Zod 3", z3.object({ at: z3.array(z3.date()) })],
    ["a transform of Valibot", v.object({ at: v.pipe(v.string(), v.transform(Number)) })],
    ["a date of Valibot", v.object({ at: v.date() })],
    ["a date of Zod 4", z.object({ at: z.date() })],
  ])("%s in a definition is refused", async (_, schema) => {
    await expect(mounted(contracts["defineTool"]!(schema))).rejects.toMatchObject({
      code: "SCHEMA_NOT_JSON",
    });
  });

  test.each(["Zod 3", "Valibot", "ArkType"])(
    "a defined tool of %s checks its arguments without a host",
    async (library) => {
      const tool = contracts["defineTool"]!(schemas[library]!) as {
        execute(params: unknown): Promise<{ readonly data?: unknown; readonly code?: string }>;
      };

      expect((await tool.execute({ who: "Ada" })).data).toEqual({ who: "Ada", times: 2 });
      expect((await tool.execute({ who: 7 })).code).toBe("INVALID_ARGUMENTS");
    },
  );

  test("without the adapters, the error says what prints such a schema", () => {
    const { coordinator } = createHost();
    const tool = contracts["defineTool"]!(schemas["Valibot"]!) as never;

    expect(() => coordinator.mount("tools", tool)).toThrow(
      expect.objectContaining({ code: "EXTENSION_MISSING" }),
    );
  });
});

async function mounted(tool: object): Promise<Host> {
  const host = createHost();
  await mount(host.coordinator, {});
  host.coordinator.mount("tools", tool as never);
  return host;
}
