import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  createHost,
  data,
  defineTool,
  type Category,
  type ConsequenceLevel,
  type ToolContext,
  type ToolResult,
} from "../../src/index.ts";
import { tool, world } from "../world.ts";

const categories: readonly Category[] = ["read", "write", "delete", "side_effect"];
const levels: readonly ConsequenceLevel[] = ["low", "medium", "high"];

function infoOf(fields: Parameters<typeof tool>[1]) {
  const host = createHost();
  host.coordinator.mount("tools", tool(undefined, fields));
  return host.tools()[0]!;
}

describe("the classification of a tool", () => {
  const every = categories.flatMap((category) =>
    levels.flatMap((consequenceLevel) =>
      [true, false].map((requiresConfirmation) => ({ category, consequenceLevel, requiresConfirmation })),
    ),
  );

  test.each(every)(
    "FORGE-14, FORGE-15, FORGE-16, FORGE-17: $category, $consequenceLevel, confirmation $requiresConfirmation: each is listed as declared, and none is inferred from another",
    async (classification) => {
      expect(infoOf(classification)).toMatchObject(classification);

      const { host, events } = world([tool(() => data("ran"), classification)]);
      const { status } = await host.call({ name: "probe" });

      // Without a policy, only `requiresConfirmation` asks: neither category nor consequence replaces it.
      expect(status).toBe(classification.requiresConfirmation ? "denied" : "ok");
      expect(events.at(-1)?.event).toBe(classification.requiresConfirmation ? "tool:error" : "tool:post");
    },
  );

  test("C20: a classification that an adapted tool does not declare stays absent", () => {
    const info = infoOf({
      origin: "amplifier",
      category: undefined as never,
      consequenceLevel: undefined as never,
    });

    expect("category" in info).toBe(false);
    expect("consequenceLevel" in info).toBe(false);
  });

  test("FORGE-6, FORGE-7, FORGE-8: the classification is required to define a tool", () => {
    // @ts-expect-error the classification is missing
    defineTool({ name: "a_b", description: "Does.", schema: z.strictObject({}), execute: () => data(1) });

    expectTypeOf<Category>().toEqualTypeOf<"read" | "write" | "delete" | "side_effect">();
    expectTypeOf<ConsequenceLevel>().toEqualTypeOf<"low" | "medium" | "high">();
  });
});

describe("the rest of a definition", () => {
  test("FORGE-11, FORGE-12, FORGE-13: tags, version and dependencies are listed with a tool", () => {
    expect(infoOf({ tags: ["files"], version: "1.2.3", dependsOn: ["read_file"] })).toMatchObject({
      tags: ["files"],
      version: "1.2.3",
      dependsOn: ["read_file"],
    });
    expect(infoOf({})).toMatchObject({ tags: [], dependsOn: [] });
    expect("version" in infoOf({})).toBe(false);
  });

  test("FORGE-10, FORGE-28: execute gets the parsed parameters and a context, and its result is a promise of a ToolResult", async () => {
    const seen: unknown[] = [];
    const typed = defineTool({
      name: "count_words",
      description: "Counts. Use it for words.",
      schema: z.strictObject({ text: z.string(), min: z.int().default(1) }),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: ({ text, min }, context) => {
        expectTypeOf(text).toEqualTypeOf<string>();
        expectTypeOf(min).toEqualTypeOf<number>();
        expectTypeOf(context).toEqualTypeOf<ToolContext>();
        seen.push(
          context.userId,
          context.abortSignal instanceof AbortSignal,
          "auth" in context,
          "client" in context,
        );
        return data({ words: text.split(" ").filter((word) => word.length >= min).length });
      },
    });
    const answer = typed.execute({ text: "a bc" }, { userId: "ada" });

    expectTypeOf(answer).toEqualTypeOf<Promise<ToolResult<{ words: number }>>>();
    expect(answer).toBeInstanceOf(Promise);
    expect(await answer).toMatchObject({ tool: "count_words", data: { words: 2 } });
    expect(seen.slice(0, 2)).toEqual(["ada", true]);
  });

  test("FORGE-5, FORGE-N4: one schema validates, is printed for the model, and defines the types", () => {
    const { inputSchema } = infoOf({
      schema: z.strictObject({ path: z.string().describe("Where"), limit: z.int().default(5) }) as never,
    });

    expect(inputSchema).toEqual({
      type: "object",
      properties: { path: { type: "string", description: "Where" }, limit: { type: "integer", default: 5 } },
      required: ["path"],
      additionalProperties: false,
    });
    const schema = z.strictObject({ path: z.string(), limit: z.int().default(5) });
    defineTool({
      name: "probe",
      description: "Reads.",
      schema,
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: (params) => {
        expectTypeOf(params).toEqualTypeOf<{ path: string; limit: number }>();
        return data(params);
      },
    });
  });

  test("APTIX-21: arguments and results are JSON and survive a round trip unchanged", async () => {
    const { host } = world([tool((params) => data({ got: params, list: [1, null, "x", { a: true }] }))]);

    const outcome = await host.call({ name: "probe", arguments: '{"a":[1,{"b":null}]}' });

    expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
  });

  test("APTIX-83: nested schemas, base64 payloads, progress and identity need no other interface", async () => {
    const steps: unknown[] = [];
    const rich = tool(
      async (params, { progress, userId }) => {
        progress({ progress: 1, total: 2, message: "half" });
        return data(
          { for: userId ?? null, got: params },
          { content: [{ type: "image", data: "iVBORw0=", mimeType: "image/png" }] },
        );
      },
      {
        schema: z.strictObject({
          at: z.strictObject({ points: z.array(z.strictObject({ x: z.number() })) }),
        }) as never,
      },
    );
    const { host } = world([rich]);

    const outcome = await host.call(
      { name: "probe", arguments: { at: { points: [{ x: 1 }] } } },
      { userId: "ada", onProgress: (step) => steps.push(step) },
    );

    expect(outcome).toMatchObject({
      status: "ok",
      result: { data: { for: "ada" }, content: [{ type: "image" }] },
    });
    expect(steps).toEqual([{ progress: 1, total: 2, message: "half" }]);
  });

  test("AMP-20, C30: each step of a call is logged at its level, with the call's ids", async () => {
    const lines: { level: string; fields: object; message: string | undefined }[] = [];
    const say = (level: string) => (fields: object, message?: string) =>
      void lines.push({ level, fields, message });
    const logger = {
      trace: say("trace"),
      debug: say("debug"),
      info: say("info"),
      warn: say("warn"),
      error: say("error"),
      child: () => logger,
    };
    const boom = new Error("boom");
    const { host } = world(
      [
        tool(() => {
          throw boom;
        }),
        tool((_, context) => (context.logger.info({ rows: 1 }, "read"), data(1)), { name: "quiet" }),
      ],
      { logger },
    );

    const { runId } = await host.call({ name: "probe" });
    await host.call({ name: "quiet" });

    expect(lines).toEqual([
      {
        level: "error",
        fields: {
          err: expect.objectContaining({ type: "Error", message: "boom" }),
          tool: "probe",
          run_id: runId,
          call_id: runId,
        },
        message: '"probe" threw: boom',
      },
      { level: "info", fields: { rows: 1 }, message: "read" },
    ]);
  });
});
