import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  data,
  failure,
  ToolError,
  ToolInterrupt,
  type CallContext,
  type ToolOutcome,
} from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world, type Where } from "../world.ts";

/** Leaves the turn to others until a signal says stop. */
function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

const never = () => new Promise<never>(() => {});

/** What every call owes its caller, wherever its tool runs. */
describe.each<Where>(["inline", "cloned"])("a call whose tool runs %s", (where) => {
  const here = (tools: readonly { readonly name: string }[], options = {}) => world(tools, options, where);

  describe("ends in an outcome", () => {
    test("AMP-2, FORGE-20, FORGE-27: that echoes the call's id and holds the tool's name, the time it began and its data", async () => {
      const clock = createFakeClock();
      const { host } = here([tool(() => data({ sum: 3 }))], { clock });

      const outcome = await host.call({ id: "call_1", name: "probe", arguments: { a: 1 } });

      expect(outcome).toEqual({
        callId: "call_1",
        runId: expect.stringMatching(/^[0-9a-f]+-1$/),
        tool: "probe",
        status: "ok",
        result: { tool: "probe", fetchedAt: "2026-01-01T00:00:00.000Z", data: { sum: 3 } },
        durationMs: 0,
      });
    });

    test("C16: that carries the session, conversation, turn and user of its caller", async () => {
      const { host } = here([tool()]);
      const context = { sessionId: "s", conversationId: "c", turnId: "t", userId: "u" };

      expect(await host.call({ name: "probe" }, context)).toMatchObject(context);
    });

    test("FORGE-25, FORGE-26: whose failure has an error, a time, and no data", async () => {
      const { host } = here([
        tool(() => failure("no such city", { code: "CITY_UNKNOWN", details: { city: "X" } })),
      ]);

      const { status, result } = await host.call({ name: "probe" });

      expect(status).toBe("failed");
      expect(result).toEqual({
        tool: "probe",
        fetchedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        error: "no such city",
        code: "CITY_UNKNOWN",
        details: { city: "X" },
      });
      expect("data" in result).toBe(false);
    });

    test("FORGE-26: whose success without data has data null", async () => {
      const { host } = here([tool(() => data(undefined))]);

      expect((await host.call({ name: "probe" })).result).toMatchObject({ data: null });
    });

    test("with the content blocks and warnings that the tool gave", async () => {
      const content = [
        { type: "text" as const, text: "hello" },
        { type: "image" as const, data: "AAAA", mimeType: "image/png" },
        { type: "audio" as const, data: "AAAA", mimeType: "audio/wav" },
        { type: "file" as const, uri: "file:///a.txt" },
      ];
      const { host } = here([tool(() => data(1, { content, warnings: ["slow"] }))]);

      expect((await host.call({ name: "probe" })).result).toMatchObject({
        data: 1,
        content,
        warnings: ["slow"],
      });
    });
  });

  describe("finds its tool", () => {
    test("APTIX-18: by the name it was mounted under", async () => {
      const { host } = here([
        tool(() => data("one"), { name: "one" }),
        tool(() => data("two"), { name: "two" }),
      ]);

      expect((await host.call({ name: "two" })).result.data).toBe("two");
    });

    test("APTIX-N11: in any case", async () => {
      const { host } = here([tool(() => data("yes"), { name: "read_file" })]);

      expect(await host.call({ name: "Read_File" })).toMatchObject({ tool: "read_file", status: "ok" });
    });

    test("APTIX-N4, AMP-N52: or says which names are near", async () => {
      const { host, events } = here([tool(undefined, { name: "read_file" })]);

      const outcome = await host.call({ name: "raed_file" });

      expect(outcome).toMatchObject({ status: "not_found", result: { code: "TOOL_NOT_FOUND" } });
      expect(outcome.result.error).toContain('"read_file"');
      expect(events.map(({ event }) => event)).toEqual(["tool:error"]);
      expect(events[0]?.data).toMatchObject({
        phase: "find",
        tool_name: "raed_file",
        error: { code: "TOOL_NOT_FOUND" },
      });
    });

    test.each(["", undefined, null, 7, {}])(
      "APTIX-N4: and an impossible name, %j, is not found",
      async (name) => {
        const { host } = here([tool()]);

        expect(await host.call({ name: name as string })).toMatchObject({ status: "not_found" });
      },
    );

    test.each(["toString", "__proto__", "constructor", "hasOwnProperty"])(
      "and %s is no tool just because every object has it",
      async (name) => {
        expect(await here([tool()]).host.call({ name })).toMatchObject({ status: "not_found" });
      },
    );
  });

  describe("parses its arguments", () => {
    const city = z.strictObject({ city: z.string().min(2), days: z.int().default(3) });
    const forecast = () => tool((params) => data(params), { name: "forecast", schema: city });

    test("APTIX-23, APTIX-25, APTIX-28: from the model's raw text, with defaults", async () => {
      const { host } = here([forecast()]);

      expect((await host.call({ name: "forecast", arguments: '{"city":"Rome"}' })).result.data).toEqual({
        city: "Rome",
        days: 3,
      });
    });

    test.each(["", "  ", "\n", undefined])(
      "APTIX-24: and reads blank arguments, %j, as an empty object",
      async (text) => {
        expect((await here([tool()]).host.call({ name: "probe", arguments: text })).result.data).toEqual({});
      },
    );

    test.each(["{", "[1]", "null", "7", '"text"', "{'a':1}", "undefined"])(
      "APTIX-27, APTIX-30: and refuses %s without running the tool",
      async (text) => {
        let ran = false;
        const { host, events } = here([tool(() => data((ran = true)))]);

        const outcome = await host.call({ name: "probe", arguments: text });

        expect(outcome).toMatchObject({ status: "invalid", result: { code: "INVALID_ARGUMENTS" } });
        expect(ran).toBe(false);
        expect(events.map(({ event }) => event)).toEqual(["tool:error"]);
        expect(events[0]?.data).toMatchObject({ phase: "parse", tool_input: text });
      },
    );

    test("APTIX-29, APTIX-31, AMP-12: and names a missing parameter in one sentence", async () => {
      const { host } = here([forecast()]);

      const { result } = await host.call({ name: "forecast", arguments: {} });

      expect(result).toMatchObject({ code: "INVALID_ARGUMENTS", details: { issues: [{ path: "city" }] } });
      expect(result.error).toBe("city is required");
    });

    test("C14: and reports a single issue in exactly the schema's own words", async () => {
      const schema = z.strictObject({
        name: z.string({ error: "HelloWorldTool requires a non-empty 'name' string." }),
      });
      const { host } = here([tool(undefined, { schema: schema })]);

      expect((await host.call({ name: "probe", arguments: {} })).result.error).toBe(
        "HelloWorldTool requires a non-empty 'name' string.",
      );
    });

    test.each([
      { key: "query", sentence: "Query is required" },
      { key: "url", sentence: "URL is required" },
      { key: "file_path", sentence: "file_path is required" },
    ])(
      "C14: and a sentence that names the argument gets no second name: $sentence",
      async ({ key, sentence }) => {
        const { host } = here([
          tool(undefined, { schema: z.strictObject({ [key]: z.string({ error: sentence }) }) }),
        ]);

        expect((await host.call({ name: "probe", arguments: {} })).result.error).toBe(sentence);
      },
    );

    test("C12, C13: and neither coerces values nor accepts members that the schema does not have", async () => {
      const { host } = here([forecast()]);

      expect(await host.call({ name: "forecast", arguments: { city: "Rome", days: "3" } })).toMatchObject({
        status: "invalid",
      });
      expect(await host.call({ name: "forecast", arguments: { city: "Rome", wind: 1 } })).toMatchObject({
        status: "invalid",
      });
    });

    test("C5: before it checks for an aborted signal", async () => {
      const { host } = here([forecast()]);

      expect(
        await host.call({ name: "forecast", arguments: {} }, { abortSignal: AbortSignal.abort() }),
      ).toMatchObject({ status: "invalid" });
    });
  });

  describe("never throws", () => {
    const broken = new Error("connect to postgres://root:hunter2@db failed");

    test.each<[string, () => unknown]>([
      [
        "throws",
        () => {
          throw broken;
        },
      ],
      ["rejects", () => Promise.reject(broken)],
    ])(
      "FORGE-23, APTIX-38, APTIX-39, APTIX-46, AMP-11: when a tool %s, and does not reveal why",
      async (_, execute) => {
        const { host } = here([tool(execute)]);

        const { status, result } = await host.call({ name: "probe" });

        expect(status).toBe("failed");
        expect(result).toMatchObject({
          error: "probe failed",
          code: "TOOL_FAILED",
          details: { type: "Error" },
        });
        expect(JSON.stringify(result)).not.toContain("hunter2");
      },
    );

    test.each([null, undefined, 0, "", "text", {}, Symbol("s")])(
      "FORGE-23: when a tool throws %s",
      async (thrown) => {
        const { host } = here([
          tool(() => {
            throw thrown;
          }),
        ]);

        expect(await host.call({ name: "probe" })).toMatchObject({
          status: "failed",
          result: { code: "TOOL_FAILED" },
        });
      },
    );

    test("C14: when a tool throws a ToolError, whose sentence is for the model", async () => {
      const { host } = here([
        tool(() => {
          throw new ToolError("the city is closed", { code: "CLOSED", details: { until: "May" } });
        }),
      ]);

      expect((await host.call({ name: "probe" })).result).toMatchObject({
        error: "the city is closed",
        code: "CLOSED",
        details: { until: "May" },
      });
    });
  });

  describe("holds a tool to the contract", () => {
    test.each<[string, unknown, RegExp]>([
      ["nothing", undefined, /not a result/],
      ["a text", "done", /not a result/],
      ["a list", [1], /a list/],
      ["neither data nor error", {}, /exactly one/],
      ["both data and error", { data: 1, error: "x" }, /exactly one/],
      ["a success flag", { data: 1, success: true }, /"success"/],
      ["a timestamp", { data: 1, timestamp: "2026-01-01T00:00:00Z" }, /"timestamp"/],
      ["a stray key", { data: 1, colour: "red" }, /"colour"/],
      [
        "another tool's name",
        { tool: "other", fetchedAt: "2026-01-01T00:00:00Z", data: 1 },
        /names the tool "other"/,
      ],
      ["an invalid time", { tool: "probe", fetchedAt: "yesterday", data: 1 }, /fetchedAt/],
      ["an error that is no sentence", { error: 7 }, /sentence/],
      ["a code beside data", { data: 1, code: "FINE" }, /success has no code/],
      ["a code of the host's own", { error: "x", code: "TIMED_OUT" }, /host's own/],
      ["content of an unknown type", { data: 1, content: [{ type: "video" }] }, /content/],
      ["warnings that are no sentences", { data: 1, warnings: [1] }, /warnings/],
      ["data with a date", { data: { at: new Date(0) } }, /Date/],
      ["data with a number that JSON has not", { data: { n: Number.NaN } }, /NaN/],
      ["data with a bigint", { data: 1n }, /bigint/],
    ])("FORGE-21, FORGE-22, C2, C15: %s is a violation that names the rule", async (_, returned, rule) => {
      const { host, events } = here([tool(() => returned)]);

      const { status, result, runId } = await host.call({ name: "probe" });

      expect(status).toBe("unknown");
      expect(result.code).toBe("CONTRACT_VIOLATION");
      expect(result.error).toMatch(rule);
      expect(
        events.filter(({ data: payload }) => payload["run_id"] === runId).map(({ event }) => event),
      ).toEqual(["tool:pre", "tool:error"]);
    });

    test.each([
      ["an empty error", { error: "" }, /sentence/],
      ["a code in lower case", { error: "x", code: "not_found" }, /UPPER_SNAKE/],
      ["a code of the host's own for it", { error: "x", code: "TOOL_FAILED" }, /host's own/],
    ])("a failure with %s is a violation, and still a failure", async (_, returned, rule) => {
      const { host } = here([tool(() => returned)]);
      const { status, result } = await host.call({ name: "probe" });

      expect([status, result.code]).toEqual(["failed", "CONTRACT_VIOLATION"]);
      expect(result.error).toMatch(rule);
    });

    test("cycles in data are one too", async () => {
      const ring: Record<string, unknown> = {};
      ring["ring"] = ring;
      const { host } = here([tool(() => data(ring))]);

      expect((await host.call({ name: "probe" })).result.code).toBe("CONTRACT_VIOLATION");
    });

    test("FORGE-20, FORGE-27: and keeps a whole result unchanged", async () => {
      const { host } = here([tool(() => ({ tool: "probe", fetchedAt: "2026-01-01T00:00:00Z", data: 1 }))]);

      expect((await host.call({ name: "probe" })).result).toEqual({
        tool: "probe",
        fetchedAt: "2026-01-01T00:00:00Z",
        data: 1,
      });
    });
  });

  describe("can be stopped", () => {
    test("FORGE-30, FORGE-31, C5: before it runs: the tool is not called", async () => {
      let ran = false;
      const { host } = here([tool(() => data((ran = true)))]);

      const outcome = await host.call({ name: "probe" }, { abortSignal: AbortSignal.abort() });

      expect(outcome).toMatchObject({
        status: "cancelled",
        result: { error: "Request was cancelled", code: "CANCELLED" },
      });
      expect(ran).toBe(false);
    });

    test("C5, APTIX-48: while it runs: a success within the grace stays a success, marked as cancelled", async () => {
      const { host } = here([
        tool(async (_, { abortSignal }) => {
          await untilAborted(abortSignal);
          return data({ done: "half" });
        }),
      ]);
      const controller = new AbortController();
      const pending = host.call({ name: "probe" }, { abortSignal: controller.signal });
      await ready();
      controller.abort();

      expect(await pending).toMatchObject({
        status: "ok",
        result: { data: { done: "half" } },
        cancelled: { elapsedMs: expect.any(Number) },
      });
    });

    test("C5, APTIX-N5: while it runs: a failure within the grace is a cancellation", async () => {
      const { host } = here([
        tool(async (_, { abortSignal }) => {
          await untilAborted(abortSignal);
          abortSignal.throwIfAborted();
        }),
      ]);
      const controller = new AbortController();
      const pending = host.call({ name: "probe" }, { abortSignal: controller.signal });
      await ready();
      controller.abort();

      expect(await pending).toMatchObject({
        status: "cancelled",
        result: { error: "Request was cancelled", code: "CANCELLED" },
      });
    });

    test("C5: while it runs: a tool that ignores its signal is abandoned after its grace", async () => {
      const clock = createFakeClock();
      const { host } = here([tool(never)], { clock });
      const controller = new AbortController();
      const pending = host.call({ name: "probe" }, { abortSignal: controller.signal });
      await clock.advance(5);
      controller.abort();
      await clock.advance(25);

      expect(await pending).toMatchObject({ status: "cancelled", result: { code: "CANCELLED" } });
    });

    test("FORGE-9, C26: by its deadline, 15 seconds by default", async () => {
      const clock = createFakeClock();
      const { host } = here([tool(never)], { clock });
      const outcomes: ToolOutcome[] = [];
      void host.call({ name: "probe" }).then((outcome) => outcomes.push(outcome));

      await clock.advance(14_999);
      expect(outcomes).toEqual([]);
      await clock.advance(50);

      expect(outcomes).toMatchObject([
        {
          status: "timed_out",
          result: { code: "TIMED_OUT", error: '"probe" ran longer than 15000 ms and was stopped' },
        },
      ]);
    });

    test("C5: and an answer after the deadline, within the grace, is in the details", async () => {
      const clock = createFakeClock();
      const late = tool(
        async (_, { abortSignal }) => {
          await untilAborted(abortSignal);
          return data("too late");
        },
        { timeout: 100 },
      );
      const { host } = here([late], { clock });
      const pending = host.call({ name: "probe" });
      await clock.advance(101);

      expect(await pending).toMatchObject({
        status: "timed_out",
        result: { code: "TIMED_OUT", details: { late: { data: "too late" } } },
      });
    });

    test("C26: not at all by a timeout of 0", async () => {
      const clock = createFakeClock();
      let answer = (_: unknown) => {};
      const { host } = here([tool(() => new Promise((resolve) => (answer = resolve)), { timeout: 0 })], {
        clock,
      });
      const pending = host.call({ name: "probe" });
      await clock.advance(100_000_000);
      answer(data("patience"));

      expect(await pending).toMatchObject({ status: "ok", result: { data: "patience" } });
    });

    test("C5: at most 16 abandoned calls of a tool still run; then it is unavailable until one ends", async () => {
      const clock = createFakeClock();
      const answers: ((value: unknown) => void)[] = [];
      const { host } = here([tool(() => new Promise((resolve) => answers.push(resolve)), { timeout: 10 })], {
        clock,
      });
      const given = Array.from({ length: 16 }, () => host.call({ name: "probe" }));
      await clock.advance(50);
      expect((await Promise.all(given)).every(({ status }) => status === "timed_out")).toBe(true);

      expect(await host.call({ name: "probe" })).toMatchObject({
        status: "failed",
        result: { code: "UNAVAILABLE" },
      });
      answers[0]?.(data(1));
      await clock.advance(1);
      const again = host.call({ name: "probe" });
      await clock.advance(1);
      answers.at(-1)?.(data("back"));

      expect(await again).toMatchObject({ status: "ok" });
    });
  });

  describe("emits events", () => {
    test("AMP-17, AMP-18, C24: tool:pre, then tool:post with the result, of the same run", async () => {
      const { host, events } = here([tool(() => data(5))]);
      const context: CallContext = { sessionId: "s", conversationId: "c", turnId: "t", parallelGroupId: "g" };

      const { runId } = await host.call({ id: "x", name: "probe", arguments: { a: 1 } }, context);

      const common = {
        tool_name: "probe",
        tool_call_id: "x",
        run_id: runId,
        tool_input: { a: 1 },
        session_id: "s",
        conversation_id: "c",
        turn_id: "t",
        parallel_group_id: "g",
        timestamp: expect.stringMatching(/Z$/),
      };
      expect(events).toEqual([
        { event: "tool:pre", data: expect.objectContaining(common) },
        {
          event: "tool:post",
          data: expect.objectContaining({ ...common, tool_result: expect.objectContaining({ data: 5 }) }),
        },
      ]);
    });

    test("AMP-19, C23: tool:error, with code, message, type and phase, when a tool fails", async () => {
      const { host, events } = here([
        tool(() => {
          throw new TypeError("x is not a function");
        }),
      ]);

      await host.call({ name: "probe" });

      expect(events.map(({ event }) => event)).toEqual(["tool:pre", "tool:error"]);
      expect(events[1]?.data).toMatchObject({
        status: "failed",
        phase: "execute",
        error: { code: "TOOL_FAILED", message: "probe failed", type: "TypeError" },
      });
    });

    test("C23: a call that was stopped before it ran still reached its tool", async () => {
      const { host, eventsOf } = here([tool()]);

      const { runId } = await host.call({ name: "probe" }, { abortSignal: AbortSignal.abort() });

      expect(eventsOf(runId)).toEqual(["tool:pre", "tool:error"]);
    });

    test("observers can change neither arguments nor result", async () => {
      const inner = { list: [1] };
      const { host } = here([tool((params) => data({ got: params, inner }))]);
      host.coordinator.hooks.observe("*", (_, payload) => {
        (payload["tool_input"] as { a: { b: number } }).a.b = 2;
      });
      host.coordinator.hooks.observe("tool:post", (_, payload) => {
        (payload["tool_result"] as { data: { inner: { list: number[] } } }).data.inner.list.push(2);
      });

      const given = { a: { b: 1 } };
      const outcome = await host.call({ name: "probe", arguments: given });

      expect(outcome.result.data).toEqual({ got: { a: { b: 1 } }, inner: { list: [1] } });
      expect(given).toEqual({ a: { b: 1 } });
      expect(Object.isFrozen(given.a)).toBe(false);
      inner.list.push(3);
      expect(outcome.result.data).toMatchObject({ inner: { list: [1] } });
    });
  });

  describe("lets a tool call a tool", () => {
    test("in the same session, one level deeper, with its own run", async () => {
      const seen: unknown[] = [];
      const inner = tool(
        (_, { sessionId, userId, depth, parentRunId }) => {
          seen.push({ sessionId, userId, depth, parentRunId });
          return data("inner");
        },
        { name: "inner" },
      );
      const outer = tool(async (_, context) => data((await context.call({ name: "inner" })).result.data), {
        name: "outer",
      });
      const { host } = here([inner, outer]);

      const outcome = await host.call({ name: "outer" }, { sessionId: "s", userId: "u" });

      expect(outcome.result.data).toBe("inner");
      expect(seen).toEqual([{ sessionId: "s", userId: "u", depth: 1, parentRunId: outcome.runId }]);
    });

    test("but only to a limited depth", async () => {
      const loop = tool(async (_, context) => {
        const inner = await context.call({ name: "probe" });
        return inner.result.error === undefined
          ? data(inner.result.data)
          : data({ stopped: inner.result.code });
      });
      const { host } = here([loop]);

      expect((await host.call({ name: "probe" })).result.data).toEqual({ stopped: "UNAVAILABLE" });
    });

    test("and stops it when the outer call is stopped", async () => {
      const inner = tool(
        async (_, { abortSignal }) => {
          await untilAborted(abortSignal);
          return failure("stopped");
        },
        { name: "inner" },
      );
      const outer = tool(async (_, context) => data((await context.call({ name: "inner" })).status), {
        name: "outer",
      });
      const { host } = here([inner, outer]);
      const controller = new AbortController();
      const pending = host.call({ name: "outer" }, { abortSignal: controller.signal });
      await ready();
      controller.abort();

      expect(await pending).toMatchObject({ status: "ok", result: { data: "cancelled" } });
    });
  });

  describe("limits its output", () => {
    const limits = { outputBytes: 2_000 };

    test("text beyond the limit becomes head and tail, and the whole can be paged", async () => {
      const text = Array.from({ length: 1_000 }, (_, line) => `line ${line}`).join("\n");
      const { host } = here([tool(() => data(text))], { limits });

      const { status, result } = await host.call({ name: "probe" });

      expect(status).toBe("ok");
      const cut = result.data as string;
      expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(2_002);
      expect(cut.startsWith("line 0\n")).toBe(true);
      expect(cut.endsWith("line 999")).toBe(true);
      const { bytes, ref } = result.truncated!;
      expect(bytes).toBe(Buffer.byteLength(text));
      let read = "";
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const page = host.output(ref, { offset, limit: 1_000 });
        read += page.text;
        offset = page.nextOffset;
      }
      expect(read).toBe(text);
    });

    test("long texts inside data are cut in fair shares, short ones stay", async () => {
      const { host } = here(
        [tool(() => data({ name: "a", first: "x".repeat(5_000), second: "y".repeat(300) }))],
        { limits },
      );

      const { result } = await host.call({ name: "probe" });
      const cut = result.data as { name: string; first: string; second: string };

      expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(2_000);
      expect(cut.name).toBe("a");
      expect(cut.second).toBe("y".repeat(300));
      expect(cut.first).toMatch(/^x+\n… \[5000 bytes in all, the middle is left out\] …\nx+$/);
    });

    test.each([
      ["read", "failed"],
      ["write", "unknown"],
    ] as const)(
      "large data without text to cut is OUTPUT_TOO_LARGE, and is kept: %s is %s",
      async (category, ends) => {
        const many = () => data(Array.from({ length: 2_000 }, (_, n) => n));
        const { host } = here([tool(many, { category })], { limits });

        const { status, result } = await host.call({ name: "probe" });

        expect(status).toBe(ends);
        expect(result).toMatchObject({ code: "OUTPUT_TOO_LARGE", truncated: { ref: expect.any(String) } });
        expect(JSON.parse(host.output(result.truncated!.ref).text)).toHaveLength(2_000);
      },
    );

    test("full texts are kept up to the host's bytes, two for each character; then the oldest is dropped", async () => {
      const text = "x".repeat(5_000);
      const { host } = here([tool(() => data(text))], { limits: { ...limits, keptBytes: 20_000 } });
      const call = async () => (await host.call({ name: "probe" })).result.truncated!.ref;

      const [first, second] = [await call(), await call()];
      expect([first, second].map((ref) => host.output(ref).total)).toEqual([5_000, 5_000]);

      const third = await call();
      expect(() => host.output(first)).toThrowError(expect.objectContaining({ code: "OUTPUT_NOT_FOUND" }));
      expect([second, third].map((ref) => host.output(ref).total)).toEqual([5_000, 5_000]);
    });

    test("an unknown ref is OUTPUT_NOT_FOUND", () => {
      expect(() => here([]).host.output("out_1")).toThrowError(
        expect.objectContaining({ code: "OUTPUT_NOT_FOUND" }),
      );
    });
  });
});

describe("an interrupt", () => {
  test.each([
    ["our own", () => new ToolInterrupt({ ask: "sure?" }), {}],
    [
      "one that the host's options claim",
      () => ({ kind: "graph" }),
      { isInterrupt: (thrown: unknown) => (thrown as { kind?: string }).kind === "graph" },
    ],
  ])(
    "FORGE-24, FORGE-N6, C6: %s, rejects the call with the original, and emits INTERRUPTED",
    async (_, make, options) => {
      const thrown = make();
      const { host, events } = world(
        [
          tool(() => {
            throw thrown;
          }),
        ],
        options,
      );

      await expect(host.call({ name: "probe" })).rejects.toBe(thrown);

      expect(events.map(({ event }) => event)).toEqual(["tool:pre", "tool:error"]);
      expect(events[1]?.data).toMatchObject({ status: "failed", error: { code: "INTERRUPTED" } });
    },
  );

  test("FORGE-24: also reaches a caller without a host", async () => {
    const thrown = new ToolInterrupt("sure?");

    await expect(
      tool(() => {
        throw thrown;
      }).execute({}),
    ).rejects.toBe(thrown);
  });
});

/** Lets a call get as far as its tool. */
async function ready(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
