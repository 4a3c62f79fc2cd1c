import {
  createHost,
  createMemoryStore,
  data,
  defineTool,
  failure,
  type Coordinator,
  type Runner,
  type RunnerJob,
  type ToolDefinition,
  ownSession,
} from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readToolPackages } from "../support/shipped-tools.ts";
import { mounting, native, onePlan, opened, refused } from "../support/decisions-world.ts";

describe("the definition of a tool", () => {
  test("FORGE-1, FORGE-9, FORGE-11, FORGE-12, FORGE-13: every field of Tool-Forge's, and every one that toolmount adds, is accepted and listed", async () => {
    const definition: ToolDefinition = {
      name: "read_note",
      description: "Reads one note. Use when a note is named; not for folders.",
      schema: z.strictObject({ path: z.string() }),
      category: "read",
      consequenceLevel: "medium",
      requiresConfirmation: ({ path }: { path: string }) => path === "secret",
      timeout: 5000,
      tags: ["notes"],
      version: "1.2.3",
      dependsOn: [],
      usage: "read_note: reads",
      summary: "Reads a note.",
      outputSchema: z.strictObject({ text: z.string() }),
      execution: "server",
      modes: ["*"],
      status: "active",
      dynamic: false,
      idempotent: true,
      execute: () => data({ text: "x" }),
    } as ToolDefinition;
    const { host } = await opened(onePlan, { m: mounting(definition) });

    expect(host.tools()).toMatchObject([
      {
        name: "read_note",
        category: "read",
        consequenceLevel: "medium",
        requiresConfirmation: "dynamic",
        timeoutMs: 5000,
        tags: ["notes"],
        version: "1.2.3",
        usage: "read_note: reads",
        summary: "Reads a note.",
        execution: "server",
        modes: ["*"],
        status: "active",
        dynamic: false,
        idempotent: true,
        outputSchema: { required: ["text"] },
      },
    ]);
  });

  test("FORGE-10, AMP-28: a tool of defineTool executes without a host and without a context", async () => {
    const add = defineTool({
      name: "add_one",
      description: "Adds one.",
      schema: z.strictObject({ n: z.number().default(1) }),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: ({ n }, context) => data({ sum: n + 1, session: context.sessionId ?? null }),
    });

    expect(await add.execute({})).toMatchObject({ tool: "add_one", data: { sum: 2, session: null } });
    expect(await add.execute({ n: "1" })).toMatchObject({ code: "INVALID_ARGUMENTS" });
  });

  test("AMP-28: every package of tools exports a function that makes each of its tools", async () => {
    for (const { id, exports, manifest } of await readToolPackages()) {
      const makers = Object.keys(exports).filter((name) => /^create[A-Z]/.test(name));
      expect([id, makers.length > 0], JSON.stringify(manifest.toolmount?.tools)).toEqual([id, true]);
    }
  });

  test("a tool that confirms by its arguments is listed as dynamic", async () => {
    const tool = native(() => data(1), { requiresConfirmation: () => true });
    const { host } = await opened(onePlan, { m: mounting(tool) });

    expect(host.tools()[0]?.requiresConfirmation).toBe("dynamic");
  });
});

describe("arguments", () => {
  test("APTIX-28: gate, policy, approver, audit and tool all get the result of the parse, frozen before the first of them", async () => {
    const seen: Record<string, unknown> = {};
    const store = createMemoryStore();
    const gate = {
      mount: (coordinator: Coordinator) =>
        void coordinator.hooks.gate("tool:pre", (_, { tool_input: input }) => void (seen["gate"] = input)),
    };
    const judge = {
      mount: (coordinator: Coordinator) =>
        void coordinator.mount("policies", {
          name: "p",
          prepare: () => (call) => ((seen["policy"] = call.arguments), null),
        }),
    };
    const tool = native((params) => ((seen["tool"] = params), data(null)), {
      schema: z.strictObject({ name: z.string().trim(), n: z.int().default(7), list: z.array(z.string()) }),
      requiresConfirmation: true,
    });
    const { host } = await opened(
      "version: 1\nhooks:\n  - module: gate\n  - module: judge\ntools:\n  - module: m\n",
      { m: mounting(tool), gate, judge },
      { store, approver: (question) => ((seen["approver"] = question.arguments), { decision: "approve" }) },
    );
    const { status } = await host.call({ name: "probe", arguments: '{"name":" Ada ","list":["a"]}' });

    expect(status).toBe("ok");
    expect(seen["tool"]).toEqual({ name: "Ada", n: 7, list: ["a"] });
    for (const [who, given] of Object.entries(seen)) {
      expect([who, given === seen["tool"]]).toEqual([who, true]);
      expect([who, Object.isFrozen(given), Object.isFrozen((given as { list: object }).list)]).toEqual([
        who,
        true,
        true,
      ]);
    }
  });

  test.each([
    ["a transform", z.strictObject({ n: z.string().transform(Number) })],
    ["a date", z.strictObject({ at: z.date() })],
    ["coercion, which no printer shows", z.strictObject({ n: z.coerce.number() })],
  ])("a schema with %s is refused when the plan opens", async (_, schema) => {
    const { problems } = await refused(onePlan, {
      m: mounting(native(() => data(1), { schema: schema as never })),
    });

    expect(problems).toMatchObject([{ code: "SCHEMA_NOT_JSON", line: 3 }]);
  });

  test("APTIX-23: an Aptix tool gets the model's own text if the arguments are unchanged, else their JSON text", async () => {
    class Probe {
      static readonly ToolName = "agent_probe";
      static readonly ToolUsageMetadata = "agent_probe: probes";
      static readonly heard: string[] = [];
      static GetSchema() {
        const parameters = {
          type: "object",
          properties: { n: { type: "integer", default: 7 } },
          required: [],
        };
        return { type: "function", name: "agent_probe", description: "Probes.", parameters };
      }
      get Name() {
        return "agent_probe";
      }
      get IsToolFullyExecutedOnServer() {
        return true;
      }
      async ExecuteAsync(text: string) {
        Probe.heard.push(text);
        return { Successful: true, Result: "1", Errors: [] };
      }
    }
    const { host } = await opened(onePlan, { m: mounting(Probe) });
    for (const text of ['{ "n" : 1 }', "{}", ""]) await host.call({ name: "agent_probe", arguments: text });
    host.coordinator.hooks.gate("tool:pre", () => ({ action: "modify", data: { tool_input: { n: 2 } } }));
    await host.call({ name: "agent_probe", arguments: '{ "n" : 1 }' });

    expect(Probe.heard).toEqual(['{ "n" : 1 }', '{"n":7}', '{"n":7}', '{"n":2}']);
  });
});

describe("a result", () => {
  const at = "2026-01-02T03:04:05.006Z";

  test("FORGE-20, FORGE-26: execute may return a whole result, or data or failure, which the host completes", async () => {
    const answers = [
      { tool: "probe", fetchedAt: at, data: 1 },
      { tool: "probe", fetchedAt: at, error: "no" },
      data({ a: 1 }, { warnings: ["slow"], content: [{ type: "text", text: "x" }] }),
      failure("no", { code: "GONE", details: { a: [1] } }),
      data(undefined),
    ];
    const { host } = await opened(onePlan, { m: mounting(native(() => answers.shift())) });
    const call = async () => (await host.call({ name: "probe" })).result;

    expect(await call()).toEqual({ tool: "probe", fetchedAt: at, data: 1 });
    expect(await call()).toEqual({ tool: "probe", fetchedAt: at, error: "no" });
    const stamped = {
      tool: "probe",
      fetchedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    };
    expect(await call()).toEqual({
      ...stamped,
      data: { a: 1 },
      warnings: ["slow"],
      content: [{ type: "text", text: "x" }],
    });
    expect(await call()).toEqual({ ...stamped, error: "no", code: "GONE", details: { a: [1] } });
    expect(await call()).toEqual({ ...stamped, data: null });
  });

  test("FORGE-27: fetchedAt is when the attempt began, not when it ended", async () => {
    let now = Date.parse(at);
    const clock = { now: () => now, setTimer: () => ({ cancel: () => {}, keepAlive: () => {} }) };
    const tool = native(() => ((now += 5_000), data(1)));
    const host = createHost({ clock });
    host.coordinator.mount("tools", tool);
    const { result, durationMs } = await host.call({ name: "probe" });

    expect([result.fetchedAt, durationMs]).toEqual([at, 5_000]);
  });
});

describe("an outcome", () => {
  test("FORGE-18: of a pending call has the error, the code and a ticket, and every outcome has a result", async () => {
    const { host } = await opened(
      onePlan,
      { m: mounting(native(() => data(1), { requiresConfirmation: true })) },
      { store: createMemoryStore() },
    );
    const outcome = await host.call({ id: "c-1", name: "probe" }, { sessionId: "s" });

    expect(outcome).toMatchObject({
      callId: "c-1",
      status: "pending",
      ticket: expect.any(String) as string,
      result: { error: expect.stringMatching(/^waiting for /) as string, code: "PENDING" },
    });
    expect(outcome.runId).not.toBe(outcome.callId);
    for (const request of [{ name: "gone" }, { name: "probe", arguments: "{" }])
      expect((await host.call(request)).result.error).toBeTypeOf("string");
  });

  test("a caller may use a call id again once the first call has ended; a run id is unique", async () => {
    let go = () => {};
    const { host } = await opened(onePlan, {
      m: mounting(native(() => new Promise((resolve) => (go = () => resolve(data(1)))))),
    });
    const first = host.call({ id: "same", name: "probe" }, { sessionId: "s" });
    const twin = await host.call({ id: "same", name: "probe" }, { sessionId: "s" });
    const elsewhere = host.call(
      { id: "same", name: "probe" },
      { sessionId: "other", abortSignal: AbortSignal.abort() },
    );
    go();

    expect(twin.result).toMatchObject({ code: "DUPLICATE_CALL" });
    expect((await elsewhere).status).toBe("cancelled");
    expect((await first).status).toBe("ok");
    const again = host.call({ id: "same", name: "probe" }, { sessionId: "s" });
    go();
    const runs = [await first, twin, await elsewhere, await again].map(({ runId }) => runId);
    expect(new Set(runs).size).toBe(4);
  });
});

describe("a context", () => {
  test("FORGE-28, FORGE-29: a runner gets only JSON and no credentials; live members work through its channel", async () => {
    const jobs: RunnerJob[] = [];
    const progress: unknown[] = [];
    const runner: Runner = {
      run: async (job, control) => {
        jobs.push(job);
        control.progress({ progress: 1 });
        control.session.set("seen", true);
        const inner = await control.call({ name: "leaf" });
        return data({ inner: inner.result.data as string, aborted: control.signal.aborted });
      },
    };
    let made = 0;
    const services = {
      mount: (coordinator: Coordinator) => {
        coordinator.mount("runners", runner, { name: "process" });
        coordinator.provide("auth", () => ((made += 1), { token: "credential-of-ada" }));
      },
    };
    const plan =
      "version: 1\nhooks:\n  - module: services\ntools:\n  - module: near\n  - module: far\n    run: { in: process }\n";
    const { host } = await opened(plan, {
      "@toolmount/workers": { mount: () => {} },
      services,
      near: mounting(native((_, { depth, sessionId }) => data(`${depth} ${sessionId}`), { name: "leaf" })),
      far: mounting(native(() => data("not here"), { name: "far" })),
    });
    const { result } = await host.call(
      { name: "far", arguments: { a: 1 } },
      { sessionId: "s", userId: "ada", onProgress: (one) => progress.push(one) },
    );

    expect(result.data).toEqual({ inner: "1 s", aborted: false });
    expect(structuredClone(jobs)).toEqual(jobs);
    expect(JSON.parse(JSON.stringify(jobs))).toEqual(jobs);
    expect(JSON.stringify(jobs)).not.toContain("credential");
    expect(jobs[0]).toMatchObject({
      tool: "far",
      arguments: { a: 1 },
      info: { sessionId: "s", userId: "ada" },
    });
    expect(progress).toEqual([{ progress: 1 }]);
    expect(host.session(ownSession("ada", "s")).state.get("seen")).toBe(true);
    expect(made).toBe(0);
  });

  test("FORGE-N10: auth and client come from their providers, for each call, and only when a tool reads them", async () => {
    const asked: unknown[] = [];
    const services = {
      mount: (coordinator: Coordinator) => {
        coordinator.provide("client", ({ userId, tool }) => (asked.push([userId, tool]), { of: userId }));
      },
    };
    const reads = native((_, { client, auth }) => data({ client, auth: auth ?? null }), { name: "reads" });
    const { host } = await opened("version: 1\nhooks:\n  - module: services\ntools:\n  - module: m\n", {
      services,
      m: mounting(
        reads,
        native(() => data(1), { name: "ignores" }),
      ),
    });
    await host.call({ name: "ignores" }, { userId: "ada" });
    const { result } = await host.call({ name: "reads" }, { userId: "eve" });

    expect(result.data).toEqual({ client: { of: "eve" }, auth: null });
    expect(asked).toEqual([["eve", "reads"]]);
  });
});
