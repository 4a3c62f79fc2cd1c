import {
  createMemoryStore,
  data,
  errorCodes,
  failure,
  ToolError,
  type Coordinator,
  type ToolOutcome,
} from "@toolmount/core";
import { toInvokeResult, toAmplifierResult } from "@toolmount/interop";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  amplifierSource,
  aptixSource,
  forgeSource,
  mounting,
  native,
  onePlan,
  opened,
  type World,
} from "../support/decisions-world.ts";

const filePlan = "version: 1\ntools:\n  - module: ./tool.js\n";
const fromFile = (source: string) => opened(filePlan, {}, { files: { "tool.js": source } });
const call = async (world: Promise<World>, name: string, context = {}) =>
  (await world).host.call({ name, arguments: {} }, context);

describe("C1: results of the other contracts", () => {
  test.each([
    {
      body: "return { success: true, output: { a: 1 } };",
      shown: { success: true, output: { a: 1 }, error: null },
    },
    { body: "return { success: true };", shown: { success: true, output: null, error: null } },
    { body: "return {};", shown: { success: true, output: null, error: null } },
    {
      body: 'return { success: false, output: { at: 3 }, error: { message: "no", type: "Lost", extra: [1] } };',
      shown: { success: false, output: { at: 3 }, error: { message: "no", type: "Lost", extra: [1] } },
    },
  ])(
    "AMP-3, C1: an Amplifier tool that does $body reads so again, absent parts as null",
    async ({ body, shown }) => {
      const outcome = await call(fromFile(amplifierSource(body)), "probe");

      expect(toAmplifierResult(outcome)).toEqual(shown);
      expect(JSON.parse(JSON.stringify(toAmplifierResult(outcome)))).toEqual(shown);
    },
  );

  test("AMP-11, C1: an Amplifier failure without a message names the tool, and its parts are kept", async () => {
    const { result } = await call(fromFile(amplifierSource("return { success: false };")), "probe");

    expect(result).toMatchObject({ error: "probe failed", details: { output: null, error: null } });
  });

  test("APTIX-34, C1: an Aptix envelope converts back, with its errors and warnings", async () => {
    const body = `return { Successful: false, Result: null, Errors: [{ Message: "no", ErrorCode: "GONE" }], Warnings: [{ Message: "slow" }], ErrorMessage: "no" };`;
    const outcome = await call(fromFile(aptixSource(body)), "agent_probe");

    expect(toInvokeResult(outcome)).toEqual({
      Successful: false,
      Result: null,
      Errors: [{ Message: "no", ErrorCode: "GONE" }],
      Warnings: [{ Message: "slow" }],
      ErrorMessage: "no",
    });
  });

  test("C1: the conversions do not change their input, and return the same result twice", async () => {
    const outcome = deepFrozen(await call(fromFile(aptixSource("return null;")), "agent_probe"));

    expect(toInvokeResult(outcome)).toEqual(toInvokeResult(outcome));
    expect(toAmplifierResult(outcome)).toEqual(toAmplifierResult(outcome));
  });
});

function deepFrozen(outcome: ToolOutcome): ToolOutcome {
  const freeze = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  };
  freeze(outcome);
  return outcome;
}

describe("C2: success or failure", () => {
  test("C2: depends on the tool's contract: the same answer is a success in one and a violation in another", async () => {
    const answer = 'return { success: false, output: "x", error: { message: "no" } };';

    expect((await call(fromFile(amplifierSource(answer)), "probe")).result).toMatchObject({ error: "no" });
    expect((await call(fromFile(forgeSource(answer)), "get_probe")).result).toMatchObject({
      code: "CONTRACT_VIOLATION",
    });
    expect((await call(fromFile(aptixSource(answer)), "agent_probe")).result).toMatchObject({
      code: "CONTRACT_VIOLATION",
    });
  });

  test("C2: data that looks like a failure is data", async () => {
    const looks = { error: "looks like one", success: false, code: "X" };
    const world = opened(onePlan, { m: mounting(native(() => data(looks))) });

    expect(await call(world, "probe")).toMatchObject({ status: "ok", result: { data: looks } });
  });

  test.each([
    [amplifierSource('return { success: true, error: { message: "no" } };'), "probe", "success true"],
    [amplifierSource('return { success: "yes" };'), "probe", "true or false"],
    [amplifierSource('return "done";'), "probe", "success, output, error"],
    [
      aptixSource('return { Successful: true, Result: "1", Errors: [{ Message: "no" }] };'),
      "agent_probe",
      "no Errors",
    ],
    [aptixSource("return { Successful: 1 };"), "agent_probe", "true or false"],
    [
      forgeSource('return { tool: "get_probe", fetchedAt: "2026-01-02T03:04:05Z", data: 1, error: "x" };'),
      "get_probe",
      "exactly one",
    ],
    [
      forgeSource('return { tool: "get_probe", fetchedAt: "2026-01-02T03:04:05Z" };'),
      "get_probe",
      "exactly one",
    ],
  ])(
    "FORGE-21, FORGE-22, C2: an answer that is both, neither or of a wrong type names the rule (%#)",
    async (source, name, rule) => {
      const { result } = await call(fromFile(source), name);

      expect(result).toMatchObject({
        code: "CONTRACT_VIOLATION",
        error: expect.stringContaining(rule) as string,
      });
    },
  );
});

describe("C5: cancellation", () => {
  test.each([
    ["probe", amplifierSource("globalThis.ranOfC5 = true; return {};")],
    ["agent_probe", aptixSource("globalThis.ranOfC5 = true; return {};")],
    ["get_probe", forgeSource("globalThis.ranOfC5 = true; return {};")],
  ])(
    "FORGE-31, C5: aborted before it began, %s is not called, whatever its contract",
    async (name, source) => {
      const outcome = await call(fromFile(source), name, { abortSignal: AbortSignal.abort() });

      expect(outcome).toMatchObject({ status: "cancelled", result: { error: "Request was cancelled" } });
      expect((globalThis as { ranOfC5?: boolean }).ranOfC5).toBeUndefined();
    },
  );

  test("APTIX-48, APTIX-51, C5: the envelope of a cancelled call of an Aptix tool is a success that says so; of another tool it is not", async () => {
    const aptix = await fromFile(aptixSource("return {};"));
    const other = await opened(onePlan, { m: mounting(native(() => data(1))) });
    const context = { sessionId: "s", conversationId: "c", abortSignal: AbortSignal.abort() };
    const ofAptix = await aptix.host.call({ name: "agent_probe" }, context);
    const ofOther = await other.host.call({ name: "probe" }, context);

    const envelope = toInvokeResult(ofAptix, aptix.host.tools()[0]);
    expect(envelope).toMatchObject({ Successful: true, Errors: [] });
    expect(JSON.parse(envelope.Result!)).toMatchObject({
      WasCancelled: true,
      SessionId: "s",
      ConversationId: "c",
    });
    expect(toInvokeResult(ofOther, other.host.tools()[0])).toMatchObject({
      Successful: false,
      ErrorMessage: "Request was cancelled",
    });
  });
});

describe("C6: interrupts", () => {
  test("FORGE-24, C6: every other thrown value becomes a result, in every contract", async () => {
    for (const [name, source] of [
      ["probe", amplifierSource("throw { odd: true };")],
      ["agent_probe", aptixSource("throw null;")],
      ["get_probe", forgeSource('throw "text";')],
    ] as const)
      expect(await call(fromFile(source), name)).toMatchObject({
        status: "failed",
        result: { code: "TOOL_FAILED" },
      });
  });

  test("FORGE-24, C6: an interrupt made by another copy of core is recognised by its brand, and the call rejects with the same object", async () => {
    const thrown = Object.assign(new Error("sure?"), { [Symbol.for("toolmount.interrupt")]: true });
    const world = await opened(onePlan, { m: mounting(native(() => Promise.reject(thrown))) });

    await expect(world.host.call({ name: "probe" })).rejects.toBe(thrown);
    expect(world.events.names).toEqual(["tool:pre", "tool:error"]);
    expect(world.events.of("tool:error")).toMatchObject([{ error: { code: "INTERRUPTED" } }]);
  });

  test.each([
    ["Tool-Forge", "get_probe", forgeSource],
    ["Amplifier", "probe", amplifierSource],
    ["Aptix", "agent_probe", aptixSource],
  ])(
    "FORGE-24, C6: an interrupt of LangGraph that a tool of %s throws reaches the caller",
    async (_, name, source) => {
      const graph = `throw Object.assign(new Error("sure?"), { is_bubble_up: true, interrupts: [{ value: "sure?" }] });`;

      await expect(call(fromFile(source(graph)), name)).rejects.toMatchObject({
        is_bubble_up: true,
        interrupts: [{ value: "sure?" }],
      });
    },
  );

  test("FORGE-N6, C6: after an interrupt the audit has an end, and neither its id nor its slot is held", async () => {
    const store = createMemoryStore({ audit: "durable" });
    const interrupt = Object.assign(new Error("ask"), { is_bubble_up: true });
    const { host } = await opened(
      "version: 1\npolicy:\n  limits: { concurrent: 1 }\ntools:\n  - module: m\n",
      { m: mounting(native(({ stop }) => (stop === true ? Promise.reject(interrupt) : data(1)))) },
      { store },
    );
    const request = { id: "c-1", name: "probe", arguments: { stop: true } };

    for (const round of [1, 2])
      await expect(host.call(request, { sessionId: `s` }), String(round)).rejects.toBe(interrupt);
    const entries = (await store.audit!.read()).map(({ entry }) => entry);
    expect(entries.filter(({ kind }) => kind === "end")).toMatchObject([
      { code: "INTERRUPTED" },
      { code: "INTERRUPTED" },
    ]);
    expect(await host.call({ ...request, arguments: {} }, { sessionId: "s" })).toMatchObject({
      status: "ok",
    });
  });
});

describe("C14: the text of an error", () => {
  const inner =
    "connect to postgres://root:hunter2secret@db:5432 failed in /srv/host/node_modules/pg/lib/client.js";
  const secret = "hunter2secret";

  test.each([
    { what: "a native tool", name: "probe", error: "probe failed", details: { type: "RangeError" } },
    {
      what: "an Aptix tool",
      name: "agent_probe",
      error: "ProbeTool failed to process arguments.",
      details: undefined,
    },
  ])(
    "APTIX-39, APTIX-40, C14: of $what that throws says nothing of what was thrown; the log keeps it",
    async ({ name, error, details }) => {
      const thrower = native(() => {
        throw new RangeError(inner);
      });
      const world =
        name === "probe"
          ? await opened(onePlan, { m: mounting(thrower) })
          : await fromFile(aptixSource(`throw new RangeError(${JSON.stringify(inner)});`));
      const outcome = await world.host.call({ name });

      expect(outcome.result).toMatchObject({ error, code: "TOOL_FAILED", ...(details && { details }) });
      expect(JSON.stringify(outcome)).not.toMatch(/hunter2|node_modules|at .*:\d+/);
      expect(JSON.stringify(world.lines)).toContain("RangeError");
    },
  );

  test("AMP-11, C14: for an Amplifier tool that throws, has message and type, without the host's paths and secrets", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const text = `cannot read ${token} in /srv/host/node_modules/pg/lib/client.js`;
    const { result } = await call(
      fromFile(amplifierSource(`throw new RangeError(${JSON.stringify(text)});`)),
      "probe",
    );

    expect(result).toMatchObject({ details: { error: { type: "RangeError" } } });
    expect(result.error).toMatch(/^cannot read \[redacted\] in \[path\]$/);
  });

  test("C14: the message of a ToolError from another copy of core is shown", async () => {
    class Elsewhere extends Error {
      override readonly name = "ToolError";
      readonly code = "GONE";
    }
    const throwing = (error: Error) =>
      opened(onePlan, {
        m: mounting(
          native(() => {
            throw error;
          }),
        ),
      });

    for (const error of [new ToolError("it is gone", { code: "GONE" }), new Elsewhere("it is gone")])
      expect((await call(throwing(error), "probe")).result).toMatchObject({
        error: "it is gone",
        code: "GONE",
      });
  });

  test("C14: the host's secrets are masked in the sentence that a model reads, also in a tool's own sentence", async () => {
    const plan = `version: 1
tools:
  - module: m
    config: { api_key: "\${KEY}" }
`;
    const m = {
      mount: (coordinator: Coordinator, { api_key: key }: { api_key: string }) => {
        const answers = [
          failure(`401 for ${key}`),
          failure(`401 at https://a.test/?k=${encodeURIComponent(key)}`),
        ];
        coordinator.mount(
          "tools",
          native(() => answers.shift()),
        );
        coordinator.mount(
          "tools",
          native(
            () => {
              throw new ToolError(`401 for ${key}`);
            },
            { name: "throws" },
          ),
        );
      },
    };
    const { host } = await opened(plan, { m }, { env: { KEY: secret }, secrets: [secret] });

    for (const name of ["probe", "probe", "throws"]) {
      const { result } = await host.call({ name });
      expect(JSON.stringify(result)).toMatch(/401/);
      expect(JSON.stringify(result)).not.toContain(secret);
    }
  });
});

describe("C15: codes", () => {
  test("C15: are UPPER_SNAKE", () => {
    for (const code of errorCodes) expect(code).toMatch(/^[A-Z][A-Z0-9_]*$/);
  });

  test.each(errorCodes)("C15: %s is the host's own, and refused from a tool", async (code) => {
    const world = opened(onePlan, { m: mounting(native(() => failure("x", { code }))) });

    expect((await call(world, "probe")).result).toMatchObject({ code: "CONTRACT_VIOLATION" });
  });

  test.each(["NOT_FOUND", "ACCESS_DENIED", "A1_B2"])("C15: %s may be a tool's own", async (code) => {
    const world = opened(onePlan, { m: mounting(native(() => failure("x", { code }))) });

    expect((await call(world, "probe")).result).toMatchObject({ code, error: "x" });
  });
});

describe("C16: identifiers", () => {
  const ids = { sessionId: "s-1", conversationId: "c-1", turnId: "t-1", userId: "u-1" };

  test("APTIX-36, C16: are in the outcome, every event, every log line and every audit record of a call", async () => {
    const store = createMemoryStore({ audit: "durable" });
    const tool = native(
      (params, { logger }) => {
        logger.info({}, "from the tool");
        if (params["fail"] === true) throw new Error("boom");
        return params["bad"] === true ? 7 : data(1);
      },
      { requiresConfirmation: ({ odd }: { odd?: boolean }) => Boolean(odd && JSON.parse("{")) } as never,
    );
    const world = await opened(
      onePlan,
      { m: mounting(tool) },
      {
        store,
        approver: () => {
          throw new Error("the approver is ill");
        },
      },
    );
    world.lines.splice(0);
    const outcomes: ToolOutcome[] = [];
    for (const given of [{}, { fail: true }, { bad: true }, { odd: true }])
      outcomes.push(
        await world.host.call({ id: `call-${outcomes.length}`, name: "probe", arguments: given }, ids),
      );
    const snake = { session_id: "s-1", conversation_id: "c-1", turn_id: "t-1" };

    expect(outcomes.map(({ status }) => status)).toEqual(["ok", "failed", "unknown", "denied"]);
    for (const outcome of outcomes) expect(outcome).toMatchObject(ids);
    for (const { event, data: payload } of world.events.events.filter((one) => one.event.startsWith("tool:")))
      expect([event, payload]).toMatchObject([event, { ...snake, run_id: expect.any(String) as string }]);
    const entries = (await store.audit!.read()).map(({ entry }) => entry);
    expect(entries.length).toBeGreaterThan(5);
    for (const entry of entries) expect(entry).toMatchObject({ ...ids, runId: expect.any(String) as string });
    expect(world.lines.length).toBeGreaterThan(5);
    for (const line of world.lines)
      expect([line.message, line.fields]).toMatchObject([
        line.message,
        { run_id: expect.any(String) as string, ...snake },
      ]);
  });

  test("APTIX-36, APTIX-37, C16: the Aptix envelope adds both to an object whose output schema is open, never to a closed one", async () => {
    const open = native(() => data({ a: 1 }), { name: "open" });
    const closed = native(() => data({ a: 1 }), {
      name: "closed",
      outputSchema: z.strictObject({ a: z.number() }),
    });
    const { host } = await opened(onePlan, { m: mounting(open, closed) });
    const payload = async (name: string) => {
      const info = host.tools().find((one) => one.name === name);
      return JSON.parse(toInvokeResult(await host.call({ name }, ids), info).Result!) as unknown;
    };

    expect(await payload("open")).toEqual({ a: 1, SessionId: "s-1", ConversationId: "c-1" });
    expect(await payload("closed")).toEqual({ a: 1 });
  });
});

describe("C31, C32: payloads", () => {
  test("APTIX-34, C31: keys of a payload keep their case in both directions", async () => {
    const payload = { camelCase: 1, PascalCase: { snake_case: [{ "kebab-case": null }] } };
    const aptix = `return { Successful: true, Result: ${JSON.stringify(JSON.stringify(payload))}, Errors: [] };`;
    const amplifier = `return { success: true, output: ${JSON.stringify(payload)} };`;

    expect((await call(fromFile(aptixSource(aptix)), "agent_probe")).result.data).toEqual(payload);
    const outcome = await call(fromFile(amplifierSource(amplifier)), "probe");
    expect(toAmplifierResult(outcome).output).toEqual(payload);
  });

  test("APTIX-35, APTIX-47, C32: a payload is parsed once, never twice; text that is not JSON is a violation", async () => {
    const twice = JSON.stringify(JSON.stringify({ a: 1 }));
    const answer = (text: string) =>
      fromFile(aptixSource(`return { Successful: true, Result: ${JSON.stringify(text)}, Errors: [] };`));

    expect((await call(answer(twice), "agent_probe")).result.data).toBe('{"a":1}');
    expect((await call(answer("{'a':1}"), "agent_probe")).result).toMatchObject({
      code: "CONTRACT_VIOLATION",
    });
  });
});
