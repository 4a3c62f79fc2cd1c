import { createMemoryStore, data, defineTool, ToolInterrupt, type Progress } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { outcomeMetaKey } from "../src/index.ts";
import { add, connectHttp, connectStreams, eras, hostOf, refuse, remove } from "./support.ts";

const wires = { streams: connectStreams, http: connectHttp } as const;

describe.each(eras)("over the %s era", (era) => {
  describe.each(["streams", "http"] as const)("and %s", (wire) => {
    const connect = wires[wire];

    test("a tool is listed with its own schema and with hints of its category", async () => {
      const client = await connect(hostOf([add, remove]), era);

      const { tools } = await client.listTools();

      expect(tools.map(({ name }) => name)).toEqual(["add", "remove"]);
      expect(tools[0]).toMatchObject({
        inputSchema: { type: "object", required: ["a", "b"], additionalProperties: false },
        outputSchema: { type: "object", required: ["sum"] },
        annotations: { readOnlyHint: true, destructiveHint: false },
      });
      expect(tools[1]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    });

    test("a list may be kept for a minute where the plan has a lock file", async () => {
      const host = hostOf([add]);
      const client = await connect(host, era);
      const open = await client.listTools();
      host.coordinator.registerCapability("lock.definitions", () => undefined);
      const locked = await (await connect(host, era)).listTools();

      expect([open["ttlMs"], locked["ttlMs"]]).toEqual(
        era === "modern" ? [0, 60_000] : [undefined, undefined],
      );
      expect(locked.tools).toEqual(open.tools);
    });

    test("the server states tasks in the form of its era", async () => {
      const client = await connect(hostOf([add]), era);
      const stated = { extensions: { "io.modelcontextprotocol/tasks": {} } };

      const { tasks, extensions } = client.getServerCapabilities() ?? {};
      expect({ tasks: tasks !== undefined, extensions }).toMatchObject(
        era === "modern" ? { tasks: false, ...stated } : { tasks: true },
      );
    });

    test("a call answers with text and with structured content", async () => {
      const client = await connect(hostOf([add]), era);

      const result = await client.callTool({ name: "add", arguments: { a: 2, b: 3 } });

      expect(result).toMatchObject({
        content: [{ type: "text", text: '{"sum":5}' }],
        structuredContent: { sum: 5 },
      });
    });

    test("wrong arguments read as they do in the library", async () => {
      const host = hostOf([add]);
      const client = await connect(host, era);

      const result = await client.callTool({ name: "add", arguments: { a: "2" } });
      const direct = await host.call({ name: "add", arguments: { a: "2" } });

      expect(result).toMatchObject({ isError: true, content: [{ text: direct.result.error }] });
    });

    test("an interrupt of a tool is a result with its code: no client can continue it", async () => {
      const stop = defineTool({
        name: "stop",
        description: "Stops the run.",
        schema: z.strictObject({}),
        category: "read",
        consequenceLevel: "low",
        requiresConfirmation: false,
        execute: () => {
          throw new ToolInterrupt({ ask: "sure?" }, "secret words");
        },
      });
      const client = await connect(hostOf([stop]), era);

      const result = await client.callTool({ name: "stop", arguments: {} });

      expect(result).toMatchObject({ isError: true, _meta: { [outcomeMetaKey]: { code: "INTERRUPTED" } } });
      expect(JSON.stringify(result)).not.toContain("secret words");
    });

    test("a failure of a tool is a result, an unknown tool an error of the protocol", async () => {
      const client = await connect(hostOf([refuse]), era);

      await expect(client.callTool({ name: "refuse", arguments: {} })).resolves.toMatchObject({
        isError: true,
        content: [{ text: "the printer is out of paper" }],
      });
      await expect(client.callTool({ name: "refues", arguments: {} })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('did you mean "refuse"'),
      });
    });

    test("a call that waits is an ordinary result, and the same call runs once it is approved", async () => {
      const host = hostOf([remove], { store: createMemoryStore() });
      const client = await connect(host, era);
      const call = { name: "remove", arguments: { path: "a.txt" } };

      const pending = await client.callTool(call);
      const again = await client.callTool(call);
      const questions = await host.approvals.list();
      await host.approvals.decide(questions[0]!.id, "approve", "ada");
      const done = await client.callTool(call);

      expect(pending.isError).toBeUndefined();
      const { _meta: meta, content, structuredContent } = pending;
      const facts = meta?.[outcomeMetaKey] as { readonly ticket: string } | undefined;
      expect(facts).toMatchObject({ status: "pending", code: "PENDING", ticket: expect.any(String) });
      expect(structuredContent).toBeUndefined();
      expect(JSON.stringify(content)).toContain(facts?.ticket);
      expect(again.content).toEqual(pending.content);
      expect(questions).toHaveLength(1);
      expect(done.structuredContent).toEqual({ gone: "a.txt" });
    });

    test("progress reaches the client that asked for it", async () => {
      const steps = defineTool({
        name: "steps",
        description: "Reports three steps. Use in tests.",
        schema: z.strictObject({}),
        category: "read",
        consequenceLevel: "low",
        requiresConfirmation: false,
        execute: async (_, context) => {
          for (const progress of [0, 50, 100]) context.progress({ progress, total: 100 });
          await new Promise(setImmediate);
          return data("done");
        },
      });
      const client = await connect(hostOf([steps]), era);
      const seen: Progress[] = [];

      const result = await client.callTool(
        { name: "steps", arguments: {} },
        { onprogress: (step) => seen.push(step) },
      );

      expect(result.content).toEqual([{ type: "text", text: "done" }]);
      expect(seen.map(({ progress }) => progress)).toEqual([0, 50, 100]);
    });

    test("a client that cancels aborts the call", async () => {
      const { promise: aborted, resolve } = Promise.withResolvers<void>();
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const slow = defineTool({
        name: "slow",
        description: "Waits until it is cancelled. Use in tests.",
        schema: z.strictObject({}),
        category: "read",
        consequenceLevel: "low",
        requiresConfirmation: false,
        execute: async (_, { abortSignal }) => {
          begin();
          await new Promise((end) => abortSignal.addEventListener("abort", end));
          resolve();
          return data("late");
        },
      });
      const client = await connect(hostOf([slow]), era);
      const controller = new AbortController();

      const call = client.callTool({ name: "slow", arguments: {} }, { signal: controller.signal });
      await begun;
      controller.abort("enough");

      await expect(call).rejects.toThrow("enough");
      await aborted;
    });

    test("a long list comes in pages", async () => {
      const many = Array.from({ length: 25 }, (_, index) => named(`add_${String(index).padStart(2, "0")}`));
      const client = await connect(hostOf(many), era, { pageSize: 10 });

      const first = await client.listTools({});
      const { tools } = await client.listTools();

      expect(first.tools.length === 10 || first.tools.length === 25).toBe(true);
      expect(tools.map(({ name }) => name)).toEqual(many.map(({ name }) => name));
      await expect(client.listTools({ cursor: "made-up" })).rejects.toMatchObject({ code: -32602 });
    });
  });
});

function named(name: string) {
  return defineTool({
    name,
    description: "One of many. Use in tests.",
    schema: z.strictObject({}),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: () => data(name),
  });
}
