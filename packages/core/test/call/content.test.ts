import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { data, failure, type ContentBlock, type HostOptions, type ToolResult } from "../../src/index.ts";
import { acceptedJson } from "../accepted-json.ts";
import { tool, world } from "../world.ts";

const blocks: readonly ContentBlock[] = [
  { type: "text", text: "a chart of the week" },
  { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
  { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
  { type: "file", uri: "file:///out/week.csv", name: "week.csv", mimeType: "text/csv" },
  { type: "file", uri: "https://example.org/week" },
];

const callWith = (answer: unknown, options?: HostOptions) =>
  world([tool(() => answer)], options).host.call({ name: "probe" });

describe("content beside the data", () => {
  test.each(blocks.map((block) => [block.type, block] as const))("may be %s", async (_, block) => {
    expect(await callWith(data({ rows: 7 }, { content: [block] }))).toMatchObject({
      status: "ok",
      result: { data: { rows: 7 }, content: [block] },
    });
  });

  test("keeps its order, and is frozen for observers and the caller", async () => {
    const { host, events } = world([tool(() => data(null, { content: blocks }))]);
    const { result } = await host.call({ name: "probe" });

    expect(result.content).toEqual(blocks);
    expect([Object.isFrozen(result.content), Object.isFrozen(result.content![1])]).toEqual([true, true]);
    expect(events.at(-1)!.data["tool_result"]).toBe(result);
    expect(Object.isFrozen(blocks[1])).toBe(false);
  });

  test("is frozen when an observer sees it, so that none can change what the caller gets", async () => {
    const { host } = world([tool(() => data({ rows: 7 }, { content: blocks }))]);
    const frozen: boolean[] = [];
    host.coordinator.hooks.observe("tool:post", (_, event) => {
      const result = event["tool_result"] as ToolResult;
      frozen.push(Object.isFrozen(result), Object.isFrozen(result.data), Object.isFrozen(result.content));
    });
    await host.call({ name: "probe" });
    host.coordinator.hooks.register(
      "tool:post",
      () => ({ action: "modify", data: { tool_result: 1 } }) as never,
    );
    host.coordinator.hooks.observe("tool:error", (_, event) => {
      frozen.push(Object.isFrozen(event["tool_result"]));
    });
    expect(await host.call({ name: "probe" })).toMatchObject({ status: "denied" });

    expect(frozen).toEqual([true, true, true, true]);
  });

  test("is allowed in a plain result, too", async () => {
    expect(await callWith({ data: 1, content: [blocks[1]], warnings: ["old figures"] })).toMatchObject({
      status: "ok",
      result: { data: 1, content: [blocks[1]], warnings: ["old figures"] },
    });
  });

  test.each<[string, unknown]>([
    ["is not a list", { type: "text", text: "a" }],
    ["holds a string", ["a"]],
    ["holds null", [null]],
    ["has an unknown type", [{ type: "video", uri: "x" }]],
    ["has text that is not a string", [{ type: "text", text: 7 }]],
    ["has an image without its type", [{ type: "image", data: "aa" }]],
    [
      "has bytes that are not base64 text",
      [{ type: "audio", data: Buffer.from("aa"), mimeType: "audio/wav" }],
    ],
    ["has a file without a uri", [{ type: "file", name: "a.txt" }]],
  ])("that %s breaks the contract", async (_, content) => {
    expect(await callWith(data(1, { content: content as ContentBlock[] }))).toMatchObject({
      status: "unknown",
      result: { code: "CONTRACT_VIOLATION", error: expect.stringContaining("content is not a list of text") },
    });
  });

  test("may show what a failure is about: the page at the step that failed", async () => {
    const content = [blocks[0]!, blocks[1]!];
    for (const answer of [failure("no such button", { content }), { error: "no such button", content }])
      expect(await callWith(answer)).toMatchObject({
        status: "failed",
        result: { error: "no such button", content },
      });
  });

  test("of a failure that is too large leaves its pictures, and the whole can be read", async () => {
    const content: ContentBlock[] = [{ type: "text", text: "x".repeat(3_000) }, blocks[1]!];
    const { host } = world([tool(() => failure("no", { content }))], { limits: { outputBytes: 2_000 } });
    const { status, result } = await host.call({ name: "probe" });

    expect([status, result.content]).toEqual(["failed", [blocks[1]]]);
    expect(JSON.parse(host.output(result.truncated!.ref).text)).toEqual(content);
  });

  test("counts towards the size: text with the data, images and audio with a limit of their own", async () => {
    const limits = { outputBytes: 2_000 };
    const picture: ContentBlock = { type: "image", data: "A".repeat(100_000), mimeType: "image/png" };
    expect(await callWith(data("small", { content: [picture] }), { limits })).toMatchObject({
      status: "ok",
      result: { data: "small", content: [picture] },
    });

    const huge: ContentBlock = { ...picture, data: "A".repeat(16_777_217) };
    const tooBig = await callWith(data("x".repeat(500), { content: [huge] }), { limits });
    expect(tooBig.result.content ?? []).toEqual([]);
    expect(tooBig.result.truncated).toBeDefined();

    const wordy: ContentBlock = { type: "text", text: "B".repeat(5_000) };
    const { result } = await callWith(data("y".repeat(1_500), { content: [wordy, blocks[4]!] }), { limits });
    expect(JSON.stringify({ data: result.data, content: result.content }).length).toBeLessThanOrEqual(2_000);
    expect(result.truncated).toBeDefined();
  });
});

describe("warnings", () => {
  test("APTIX-N30: never turn a success into a failure, and a failure keeps them", async () => {
    expect(await callWith(data(1, { warnings: ["old figures"] }))).toMatchObject({
      status: "ok",
      result: { warnings: ["old figures"] },
    });
    expect(await callWith(failure("no", { warnings: ["old figures"] }))).toMatchObject({
      status: "failed",
      result: { error: "no", warnings: ["old figures"] },
    });
  });

  test.each([
    ["not a list", "old"],
    ["not sentences", [7]],
  ])("that are %s break the contract", async (_, warnings) => {
    expect(await callWith({ data: 1, warnings })).toMatchObject({ result: { code: "CONTRACT_VIOLATION" } });
  });
});

describe("data and the schema declared for it", () => {
  const outputSchema = z.strictObject({ sum: z.number() });
  const sums = (answer: unknown, outputCheck?: "off" | "warn" | "strict") => {
    const { host, eventsOf } = world([tool(() => answer, { outputSchema })], { outputCheck });
    return host.call({ name: "probe" }).then((outcome) => ({ outcome, emitted: eventsOf(outcome.runId) }));
  };
  const wrong = data({ sum: "three" });

  test.each([undefined, "off", "warn", "strict"] as const)(
    "C14: valid data passes unchanged when the check is %s",
    async (mode) => {
      const { outcome } = await sums(data({ sum: 3 }), mode);
      expect(outcome.result).toMatchObject({ data: { sum: 3 } });
      expect(outcome.result.warnings).toBeUndefined();
    },
  );

  test.each([undefined, "strict"] as const)(
    "C14: invalid data fails the call when the check is %s",
    async (mode) => {
      const { outcome, emitted } = await sums(wrong, mode);
      expect(outcome).toMatchObject({
        status: "unknown",
        result: {
          code: "OUTPUT_INVALID",
          error: expect.stringContaining("does not match its output schema: sum"),
        },
      });
      expect(outcome.result).not.toHaveProperty("data");
      expect(emitted).toEqual(["tool:pre", "tool:error"]);
    },
  );

  test("invalid data passes with a warning when the check is warn", async () => {
    const { outcome, emitted } = await sums(data({ sum: "three" }, { warnings: ["old figures"] }), "warn");
    expect(outcome).toMatchObject({
      status: "ok",
      result: {
        data: { sum: "three" },
        warnings: ["old figures", expect.stringContaining("does not match its output schema: sum")],
      },
    });
    expect(emitted).toEqual(["tool:pre", "tool:post"]);
  });

  test("invalid data passes without a warning when the check is off", async () => {
    const { outcome } = await sums(wrong, "off");
    expect(outcome).toMatchObject({ status: "ok", result: { data: { sum: "three" } } });
    expect(outcome.result.warnings).toBeUndefined();
  });

  test.each(["off", "warn", "strict"] as const)(
    "a failure is not checked when the check is %s",
    async (mode) => {
      const { outcome } = await sums(failure("no", { code: "NO_SUM" }), mode);
      expect(outcome.result).toMatchObject({ error: "no", code: "NO_SUM" });
    },
  );

  test("an asynchronous schema is awaited", async () => {
    const slow = z.strictObject({
      sum: z.number().refine(async (sum) => (await Promise.resolve(), sum > 0), "too small"),
    });
    const { host } = world([tool(({ sum }) => data({ sum }), { outputSchema: slow })]);

    expect(await host.call({ name: "probe", arguments: { sum: 1 } })).toMatchObject({ status: "ok" });
    expect(await host.call({ name: "probe", arguments: { sum: -1 } })).toMatchObject({
      status: "unknown",
      result: { code: "OUTPUT_INVALID", error: expect.stringContaining("too small") },
    });
  });

  test("strict accepts exactly what the schema accepts; warn accepts the rest with a warning", async () => {
    const strict = world([tool(({ it }) => data(it), { outputSchema })], { outputCheck: "strict" }).host;
    const warn = world([tool(({ it }) => data(it), { outputSchema })], { outputCheck: "warn" }).host;
    const records = fc.record({ sum: fc.oneof(fc.integer(), fc.string()) });
    const value = fc.oneof(records, acceptedJson({ maxDepth: 2 }));
    await fc.assert(
      fc.asyncProperty(value, async (it) => {
        const fits = outputSchema.safeParse(it).success;
        const [checked, emitted] = await Promise.all(
          [strict, warn].map((host) => host.call({ name: "probe", arguments: { it } })),
        );
        expect(checked!.status).toBe(fits ? "ok" : "unknown");
        expect([emitted!.status, emitted!.result.warnings?.length ?? 0]).toEqual(["ok", fits ? 0 : 1]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("meta beside a result", () => {
  const meta = { "example.org/page": { id: 7 } };

  test("reaches the caller and observers, frozen, with data and with an error", async () => {
    for (const answer of [data(1, { meta }), failure("no", { meta }), { data: 1, meta }]) {
      const { host, events } = world([tool(() => answer)]);
      const { result } = await host.call({ name: "probe" });
      expect(result.meta).toEqual(meta);
      expect(Object.isFrozen(result.meta)).toBe(true);
      expect(events.at(-1)!.data["tool_result"]).toBe(result);
    }
  });

  test.each([[1], ["text"], [null], [[1]]])("that is %j breaks the contract", async (wrong) => {
    expect(await callWith({ data: 1, meta: wrong })).toMatchObject({
      result: { code: "CONTRACT_VIOLATION", error: expect.stringContaining("meta is not an object") },
    });
  });

  test("that is too large is left out and listed as omitted, and the result stays", async () => {
    const large = data("small", { meta: { blob: "x".repeat(3_000) } });
    const { status, result } = await callWith(large, { limits: { outputBytes: 2_000 } });
    expect([status, result.data, result.meta]).toEqual(["ok", "small", undefined]);
    expect(result.omitted).toMatchObject([
      { what: "members of another protocol", amount: "more than 2000 bytes" },
    ]);
  });
});
