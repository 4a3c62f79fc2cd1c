import { data, type Coordinator, type Json } from "@toolmount/core";
import { toAgentToolCallResult, toInvokeResult, toOpenAI } from "@toolmount/interop";
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
  refused,
} from "../support/decisions-world.ts";

const plan = "version: 1\ntools:\n  - module: ./tool.js\n";
const success = (result: string) => `return { Successful: true, Result: ${result}, Errors: [] };`;

describe("APTIX-1: a tool has a name, a flag for the server, and an async execute of three parameters", () => {
  test("APTIX-1: execute gets the raw JSON text, the execution context and a token that is cancelled with the call", async () => {
    const body = `globalThis.aptix1.push([text, context.SessionId, context.UserId, context.Request.ConversationId, signal.aborted]);
      await new Promise((resolve) => { signal.addEventListener("abort", resolve); globalThis.aptix1Abort(); });
      globalThis.aptix1.push(signal.aborted);
      ${success('"1"')}`;
    const seen: unknown[] = [];
    const caller = new AbortController();
    Object.assign(globalThis, { aptix1: seen, aptix1Abort: () => caller.abort() });
    const { host } = await opened(plan, {}, { files: { "tool.js": aptixSource(body) } });
    const context = { sessionId: "s", userId: "u", conversationId: "c", abortSignal: caller.signal };
    await host.call({ name: "agent_probe", arguments: '{ "name": "Ada" }' }, context);

    expect(host.tools()).toMatchObject([{ name: "agent_probe", execution: "server" }]);
    expect(seen).toEqual([['{ "name": "Ada" }', "s", "u", "c", false], true]);
  });

  test.each([
    ["its execute", /async ExecuteAsync\(.*\n/, "ExecuteAsync"],
    ["its instance name", /get Name\(\).*\n/, "Name"],
  ])("APTIX-1: a class without %s is refused", async (_, part, word) => {
    const source = aptixSource(success('"1"')).replace(part, "\n");
    const { problems } = await refused(plan, {}, { files: { "tool.js": source } });

    expect(problems).toMatchObject([{ code: "TOOL_INVALID" }]);
    expect(JSON.stringify(problems)).toContain(word);
  });
});

test("APTIX-2, APTIX-3: the host makes the instance, with its logger and a service that another module of the plan gives", async () => {
  const members = `static inject = ["IAdminLogger", "IClock"];
  constructor(logger, clock) { this.logger = logger; this.clock = clock; }`;
  const body = `this.logger.Trace("asked"); ${success("JSON.stringify(this.clock.now())")}`;
  const clock = {
    mount: (coordinator: Coordinator) =>
      void coordinator.registerCapability("IClock", { now: () => "half past two" }),
  };
  const text = "version: 1\ntools:\n  - module: clock\n  - module: ./tool.js\n";
  const files = { "tool.js": aptixSource(body, members) };
  const { host, lines } = await opened(text, { clock }, { files });

  expect((await host.call({ name: "agent_probe" })).result.data).toBe("half past two");
  expect(lines.map(({ message }) => message)).toContain("asked");
});

describe("APTIX-21: arguments and results are JSON and nothing else", () => {
  test.each<[string, unknown]>([
    ["a date", { at: new Date(0) }],
    ["a function", { at: () => 1 }],
    ["a bigint", { at: 1n }],
    ["a number that JSON lacks", { at: Number.NaN }],
    ["an object with itself inside", Object.assign<object, object>({}, {})],
  ])("APTIX-21: %s never reaches a tool, or its caller", async (_, value) => {
    const loop: Record<string, unknown> = {};
    if (Object.keys(value as object).length === 0) loop["at"] = loop;
    const given = Object.keys(loop).length > 0 ? loop : (value as Readonly<Record<string, unknown>>);
    const seen: unknown[] = [];
    const tool = native((params) => (seen.push(params), data(1)));
    const answer = native(() => ({ data: given }), { name: "answer" });
    const { host } = await opened(onePlan, { m: mounting(tool, answer) });

    expect((await host.call({ name: "probe", arguments: given })).result).toMatchObject({
      code: "INVALID_ARGUMENTS",
    });
    expect(seen).toEqual([]);
    expect((await host.call({ name: "answer" })).result).toMatchObject({ code: "CONTRACT_VIOLATION" });
  });
});

test.each([null, "", " \t\n", undefined])(
  "APTIX-24: the argument text %j is an empty object for every contract's tools",
  async (given) => {
    for (const [name, source, expected] of [
      ["agent_probe", aptixSource(success("text")), {}],
      ["probe", amplifierSource("return { success: true, output: input };"), {}],
      [
        "get_probe",
        forgeSource('return { tool: "get_probe", fetchedAt: new Date().toISOString(), data: params };'),
        {},
      ],
    ] as const) {
      const { host } = await opened(plan, {}, { files: { "tool.js": source } });
      expect((await host.call({ name, arguments: given as never })).result.data).toEqual(expected);
    }
  },
);

test("APTIX-25: a tool's arguments are an object of its own, of the types that its schema has", async () => {
  const seen: unknown[] = [];
  const schema = z.strictObject({ at: z.array(z.string()), count: z.int().default(3) });
  const tool = native((params) => (seen.push(params), data(1)), { schema, requiresConfirmation: true });
  const given = { at: ["here"] };
  const approver = () => {
    given.at.push("elsewhere");
    return { decision: "approve" as const };
  };
  const { host } = await opened(onePlan, { m: mounting(tool) }, { approver });
  await host.call({ name: "probe", arguments: given });

  expect(seen).toEqual([{ at: ["here"], count: 3 }]);
  expect((await host.call({ name: "probe", arguments: { at: "here" } })).status).toBe("invalid");
});

/** JSON texts that two codecs would read or write in two ways. */
const texts = [
  "null",
  "true",
  "-0.0",
  "1e21",
  "1.7976931348623157e308",
  '""',
  '"\\u0000\\u2028\\u2029\\ud83d\\ude00"',
  '"\\ud800"',
  '"<\\/script>"',
  "[]",
  "[[[[1]]]]",
  "{}",
  '{"b":1,"a":2}',
  '{"2":1,"1":2}',
  '{"a":1,"a":2}',
  '{"":{"toString":"x","constructor":null}}',
  '{"at":"2026-01-02T03:04:05.000Z"}',
];

test("APTIX-33: arguments and results go through one codec, whatever the contract: each value comes back as JSON has it", async () => {
  const echoing = [
    native((params) => data(params["value"] as Json), { name: "own_probe" }),
    native((params) => ({ data: params["value"] }), { name: "plain_probe" }),
  ];
  const text =
    "version: 1\ntools:\n  - module: m\n  - module: ./a.js\n  - module: ./b.js\n  - module: ./c.js\n";
  const files = {
    "a.js": aptixSource(success("JSON.stringify(JSON.parse(text).value)")),
    "b.js": amplifierSource("return { success: true, output: input.value };"),
    "c.js": forgeSource(
      'return { tool: "get_probe", fetchedAt: new Date().toISOString(), data: params.value };',
    ),
  };
  const { host } = await opened(text, { m: mounting(...echoing) }, { files });
  const names = ["own_probe", "plain_probe", "agent_probe", "probe", "get_probe"];

  for (const json of texts) {
    const expected = JSON.stringify(JSON.parse(json));
    for (const name of names)
      for (const given of [`{"value":${json}}`, { value: JSON.parse(json) as Json }]) {
        const { result } = await host.call({ name, arguments: given });
        expect([name, json, JSON.stringify(result.data)]).toEqual([name, json, expected]);
      }
  }
});

test("APTIX-40: what a class gives to AddException is logged as an error, under the tag that it chose", async () => {
  const members = `static inject = ["IAdminLogger"];
  constructor(logger) { this.logger = logger; }`;
  const body = `this.logger.AddException("[ProbeTool_ExecuteAsync__Exception]", new RangeError("no such line"));
    throw new RangeError("no such line");`;
  const files = { "tool.js": aptixSource(body, members) };
  const { host, lines } = await opened(plan, {}, { files });
  for (const _ of [1, 2]) await host.call({ name: "agent_probe" });
  const errors = lines.filter(({ level }) => level === "error");

  expect(errors).toHaveLength(4);
  for (const { message, fields } of errors) {
    expect(message).toMatch(/^\[ProbeTool_ExecuteAsync__Exception\]/);
    expect(fields["err"]).toMatchObject({ type: "RangeError", message: "no such line" });
  }
});

test("APTIX-N8, APTIX-N30: a failure's record has its time, its message and no payload; the envelope keeps errors and warnings", async () => {
  const body = `return { Successful: false, Result: '{"a":1}', Errors: [{ Message: "no", ErrorCode: "GONE" }], Warnings: [{ Message: "slow" }], ErrorMessage: "no" };`;
  const { host } = await opened(plan, {}, { files: { "tool.js": aptixSource(body) } });
  const outcome = await host.call({ id: "c-1", name: "agent_probe" });
  const record = toAgentToolCallResult(outcome, host.tools()[0]);

  expect(record).toEqual({
    ToolCallId: "c-1",
    Name: "agent_probe",
    RequiresClientExecution: false,
    ExecutionMs: outcome.durationMs,
    ResultJson: null,
    ErrorMessage: "no",
  });
  expect(outcome.durationMs).toBeGreaterThanOrEqual(0);
  expect(toInvokeResult(outcome)).toMatchObject({
    Successful: false,
    Result: null,
    Errors: [{ Message: "no", ErrorCode: "GONE" }],
    Warnings: [{ Message: "slow" }],
  });
});

describe("APTIX-N10: the one-line summary of a class", () => {
  test("APTIX-N10: its constant ToolSummary is the tool's line in the list of available tools", async () => {
    const files = { "tool.js": aptixSource(success('"1"'), 'static ToolSummary = "Probes one thing.";') };
    const { host } = await opened(plan, {}, { files });
    host.coordinator.registerCapability("tools.disclosure", "progressive");

    expect(host.tools()).toMatchObject([{ summary: "Probes one thing." }]);
    expect((await host.session("s").offer()).guidance).toContain("- agent_probe: Probes one thing.\n");
  });

  test("APTIX-N10: without it, the first sentence of the description is the line", async () => {
    const { host } = await opened(plan, {}, { files: { "tool.js": aptixSource(success('"1"')) } });
    host.coordinator.registerCapability("tools.disclosure", "progressive");

    expect((await host.session("s").offer()).guidance).toContain("- agent_probe: Probes.\n");
  });
});

test("APTIX-N13: only the requested names get schemas; an unknown one is ignored, a class whose schema throws is logged and not mounted", async () => {
  const throwing = aptixSource(success('"1"'), "", "agent_broken").replace(
    "static GetSchema() {",
    'static GetSchema() { throw new Error("no schema today");',
  );
  const text = "version: 1\ntools:\n  - module: m\n  - module: ./broken.js\n    required: false\n";
  const tools = ["one_probe", "two_probe"].map((name) => native(() => data(1), { name }));
  const { host, lines } = await opened(text, { m: mounting(...tools) }, { files: { "broken.js": throwing } });
  host.coordinator.registerCapability("tools.disclosure", "progressive");
  const session = host.session("s");
  session.activate(["two_probe", "no_such_probe", "agent_broken"]);

  expect((await session.offer()).tools.map(({ name }) => name)).toEqual(["two_probe"]);
  expect(JSON.stringify(lines.filter(({ level }) => level !== "info"))).toContain("no schema today");
});

test("APTIX-N31: schemas go to a provider with additionalProperties false, and are not sent as strict; one that speaks of others keeps its words", async () => {
  const at = { at: { type: "string" } } as const;
  const schemas = {
    strict: z.strictObject({ at: z.string().optional() }),
    plain: z.object({ at: z.string().optional() }),
    silent: { type: "object", properties: at },
    loose: z.looseObject({ at: z.string().optional() }),
    open: { type: "object", properties: at, additionalProperties: { type: "number" } },
    joined: { type: "object", properties: at, allOf: [{ properties: { on: { type: "string" } } }] },
    anything: { type: "object" },
  } as const;
  const tools = Object.entries(schemas).map(([name, schema]) => native(() => data(1), { name, schema }));
  const { host } = await opened(onePlan, { m: mounting(...tools) });
  const sent = toOpenAI(host.tools()).tools;

  expect(new Set(sent.map(({ strict }) => strict))).toEqual(new Set([false]));
  const additional = Object.fromEntries(
    sent.map(({ name, parameters }) => [name, parameters["additionalProperties"]]),
  );
  expect(additional).toEqual({
    anything: undefined,
    joined: undefined,
    loose: {},
    open: { type: "number" },
    plain: false,
    silent: false,
    strict: false,
  });
  const extra = { at: "x", more: "y" };
  const { result } = await host.call({ name: "silent", arguments: extra });
  expect(result).toMatchObject({ data: 1 });
});

test("APTIX-N9: a client tool that is executed here answers with a coded failure, whichever way the call comes, and its server half never runs", async () => {
  const ran: unknown[] = [];
  Object.assign(globalThis, { aptixN9: ran });
  const source = aptixSource(`globalThis.aptixN9.push(text); ${success('"1"')}`).replace(
    "get IsToolFullyExecutedOnServer() { return true; }",
    "get IsToolFullyExecutedOnServer() { return false; }",
  );
  const outer = native(
    async (_, context) => data((await context.call({ name: "agent_probe", arguments: {} })).result.code!),
    { name: "outer" },
  );
  const text = `${plan}  - module: m\n`;
  const { host } = await opened(text, { m: mounting(outer) }, { files: { "tool.js": source } });
  const direct = await host.call({ name: "agent_probe", arguments: '{"name":"Ada"}' });
  const nested = await host.call({ name: "outer" });

  expect(direct).toMatchObject({ status: "failed", result: { code: "UNAVAILABLE", tool: "agent_probe" } });
  expect(toInvokeResult(direct)).toMatchObject({
    Successful: false,
    Result: null,
    Errors: [{ ErrorCode: "UNAVAILABLE" }],
  });
  expect(nested).toMatchObject({ status: "ok", result: { data: "UNAVAILABLE" } });
  expect(ran).toEqual([]);
});
