import { join } from "node:path";
import { data, type Coordinator } from "@toolmount/core";
import { MockTool } from "@toolmount/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { exec } from "../support/exec.ts";
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

const filePlan = "version: 1\ntools:\n  - module: ./tool.js\n";
const schemaOf = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("C3: names", () => {
  test.each(["a b", "", "ä", "a".repeat(129), "a/b"])("C3: %j is no name of a tool", async (name) => {
    const { problems } = await refused(onePlan, { m: mounting(native(() => data(1), { name })) });

    expect(problems).toMatchObject([{ code: "TOOL_INVALID" }]);
  });

  test.each([
    ["files.read", "providers"],
    ["a".repeat(65), "providers"],
    ["readFile", "snake"],
    ["read-file", "snake"],
  ])("C3: %s is mounted, and warned of", async (name, word) => {
    const { host, lines } = await opened(onePlan, { m: mounting(native(() => data(1), { name })) });

    expect(host.tools()).toMatchObject([{ name }]);
    expect(lines.filter(({ level }) => level === "warn")).toMatchObject([
      { fields: { tool: name }, message: expect.stringContaining(word) as string },
    ]);
  });

  test.each([
    ["aptix", aptixSource("return {};", "", "a".repeat(65))],
    ["aptix", aptixSource("return {};", "", "agentProbe")],
    ["forge", forgeSource("return {};").replace('"get_probe"', `"${"a".repeat(65)}"`)],
    ["forge", forgeSource("return {};").replace('"get_probe"', '"getProbe"')],
  ])(
    "APTIX-7, APTIX-16, FORGE-2, C3: of a tool of %s such a name is an error at mount, logged and thrown (%#)",
    async (_, source) => {
      const { problems, lines } = await refused(filePlan, {}, { files: { "tool.js": source } });

      expect(problems).toMatchObject([{ code: "TOOL_INVALID" }]);
      expect(lines.some(({ level, message }) => level === "error" && message.includes("refused"))).toBe(true);
    },
  );
});

test("C4: an alias may resemble its own tool's name, but not another tool's", async () => {
  const named = (name: string) => ({
    mount: (coordinator: Coordinator) =>
      void coordinator.mount(
        "tools",
        native(() => data(1), { name: "my_tool" }),
        { name },
      ),
  });
  const { host } = await opened(onePlan, { m: named("my-tool") });
  const plan = "version: 1\ntools:\n  - module: m\n  - module: n\n";
  const { problems } = await refused(plan, {
    m: mounting(native(() => data(1), { name: "My_Tool" })),
    n: named("other"),
  });

  expect(await host.call({ name: "my-tool" })).toMatchObject({ status: "ok", tool: "my_tool" });
  expect(problems).toMatchObject([{ code: "TOOL_DUPLICATE" }]);
});

describe("C7: a tool without a schema", () => {
  test("C7: of Amplifier gets an open object schema and a warning", async () => {
    const source = amplifierSource("return { success: true, output: input };").replace(
      /input_schema: .*\n/,
      "",
    );
    const { host, lines } = await opened(filePlan, {}, { files: { "tool.js": source } });

    expect(host.tools()).toMatchObject([{ inputSchema: { type: "object" } }]);
    expect((await host.call({ name: "probe", arguments: { a: 1 } })).result.data).toEqual({ a: 1 });
    expect(lines.some(({ level, message }) => level === "warn" && message.includes("schema"))).toBe(true);
  });

  test.each([
    ["Aptix", aptixSource("return {};").replace("static GetSchema()", "static GetNothing()")],
    ["Tool-Forge", forgeSource("return {};").replace(/schema: .*\n/, "")],
  ])("APTIX-9, FORGE-5, C7: of %s is an error", async (_, source) => {
    const { problems } = await refused(filePlan, {}, { files: { "tool.js": source } });

    expect(problems).toMatchObject([{ code: "TOOL_INVALID" }]);
  });
});

describe("C8: how a schema is given", () => {
  const city = schemaOf({ city: { type: "string" } }, { required: ["city"] });

  test.each<[string, object]>([
    ["Zod", { schema: z.object({ city: z.string() }) }],
    ["plain JSON Schema", { schema: city }],
    ["draft-07", { schema: { $schema: "http://json-schema.org/draft-07/schema#", ...city } }],
    ["2020-12", { schema: { $schema: "https://json-schema.org/draft/2020-12/schema", ...city } }],
    ["input_schema", { input_schema: city }],
    ["inputSchema", { inputSchema: city }],
    ["get_schema()", { get_schema: () => city }],
    [
      "getSchema() in an envelope",
      { getSchema: () => ({ type: "function", name: "probe", parameters: city }) },
    ],
    [
      "GetSchema() in an envelope",
      { GetSchema: () => ({ type: "function", function: { name: "probe", parameters: city } }) },
    ],
  ])("AMP-14, C8: by %s is listed as JSON Schema, and validates itself", async (_, given) => {
    const execute = async (input: object) =>
      "schema" in given ? data(input) : { success: true, output: input };
    const kind = { category: "read", consequenceLevel: "low", requiresConfirmation: false };
    const tool = { name: "probe", description: "Probes.", ...given, execute };
    const { host } = await opened(onePlan, { m: mounting("schema" in given ? { ...tool, ...kind } : tool) });

    expect(host.tools()[0]?.inputSchema).toMatchObject({ type: "object", required: ["city"] });
    expect((await host.call({ name: "probe", arguments: { city: "Rome" } })).result.data).toEqual({
      city: "Rome",
    });
    expect((await host.call({ name: "probe", arguments: { city: 1 } })).status).toBe("invalid");
  });

  test.each(["https://a.test/x.json", "file:///etc/passwd", "#/$defs/gone"])(
    "C8: a reference to %s is refused",
    async ($ref) => {
      const tool = native(() => data(1), { schema: schemaOf({ a: { $ref } }) as never });

      expect((await refused(onePlan, { m: mounting(tool) })).problems).toMatchObject([
        { code: "TOOL_INVALID" },
      ]);
    },
  );

  test("C8: a property that every object inherits is not an argument", async () => {
    const tool = native((params) => data(Object.keys(params)), {
      schema: schemaOf({ a: {} }, { required: ["toString"] }) as never,
    });
    const { host } = await opened(onePlan, { m: mounting(tool) });

    expect((await host.call({ name: "probe", arguments: "{}" })).status).toBe("invalid");
  });
});

describe("C10, C11: the form of arguments", () => {
  const echo = { m: mounting(native((params) => data(params))) };

  test.each([
    ['{"a":1}', { a: 1 }],
    [{ a: 1 }, { a: 1 }],
    ["", {}],
    [" \n", {}],
    [undefined, {}],
  ])("APTIX-23, APTIX-24, C10, C11: %j is %j", async (given, parsed) => {
    const { host } = await opened(onePlan, echo);

    expect((await host.call({ name: "probe", arguments: given })).result.data).toEqual(parsed);
  });

  test.each(["{", "[1]", "null", "7", [1], 7])(
    "APTIX-27, C10: %j is refused, and the tool does not run",
    async (given) => {
      const { host, events } = await opened(onePlan, echo);

      expect((await host.call({ name: "probe", arguments: given as never })).result).toMatchObject({
        code: "INVALID_ARGUMENTS",
      });
      expect(events.names).toEqual(["tool:error"]);
    },
  );
});

test("C12: null for an optional field is absent for Aptix tools only; a value of another type is never coerced", async () => {
  const tool = native((params) => data(params), { schema: z.object({ n: z.number().optional() }) as never });
  const source = aptixSource("return { Successful: true, Result: text, Errors: [] };");
  const plan = "version: 1\ntools:\n  - module: m\n  - module: ./tool.js\n";
  const { host } = await opened(plan, { m: mounting(tool) }, { files: { "tool.js": source } });

  expect((await host.call({ name: "probe", arguments: '{"n":null}' })).status).toBe("invalid");
  expect((await host.call({ name: "probe", arguments: '{"n":"1"}' })).status).toBe("invalid");
  expect((await host.call({ name: "agent_probe", arguments: '{"name":null}' })).result.data).toEqual({});
});

describe("C13: arguments that a schema does not declare", () => {
  const tool = native((params) => data(params), { schema: schemaOf({ a: {} }) as never });

  test("C13: pass a schema that does not forbid them, with a warning", async () => {
    const { host } = await opened(onePlan, { m: mounting(tool) });
    const { result } = await host.call({ name: "probe", arguments: { a: 1, b: 2 } });

    expect(result.data).toEqual({ a: 1, b: 2 });
    expect(result.warnings).toMatchObject([expect.stringContaining('"b"')]);
  });

  test("C13: cause one warning, also when a gate changed the arguments", async () => {
    const { host } = await opened(onePlan, { m: mounting(tool) });
    host.coordinator.hooks.gate("tool:pre", () => ({
      action: "modify",
      data: { tool_input: { a: 2, b: 2 } },
    }));

    expect((await host.call({ name: "probe", arguments: { a: 1, b: 2 } })).result.warnings).toHaveLength(1);
  });

  test("C13: follow a schema that permits or forbids them", async () => {
    const closed = native(() => data(1), { schema: schemaOf({}, { additionalProperties: false }) as never });
    const { host } = await opened(onePlan, { m: mounting(closed) });

    expect((await host.call({ name: "probe", arguments: { b: 2 } })).status).toBe("invalid");
  });
});

describe("C17: the identity of a tool", () => {
  test.each([
    [
      "a Name that is not the ToolName",
      aptixSource("return {};").replace(
        'get Name() { return "agent_probe"',
        'get Name() { return "agent_other"',
      ),
    ],
    [
      "a Name that drifts",
      aptixSource("return {};", "reads = 0;").replace(
        'get Name() { return "agent_probe"',
        'get Name() { return this.reads++ === 0 ? "agent_probe" : "agent_later"',
      ),
    ],
    [
      "a schema that drifts",
      aptixSource("return {};", "static reads = 0;").replace(
        'description: "Whom"',
        'description: "Whom " + ProbeTool.reads++',
      ),
    ],
  ])("APTIX-8, APTIX-17, C17: %s is refused", async (_, source) => {
    const { problems } = await refused(filePlan, {}, { files: { "tool.js": source } });

    expect(problems).toMatchObject([{ code: "TOOL_INVALID" }]);
  });
});

test("APTIX-61, APTIX-75, C18: guidance has the usage, else the description; an Aptix tool without usage is refused", async () => {
  const { host } = await opened(onePlan, {
    m: mounting(
      native(() => data(1), { name: "has_usage", usage: "the long text" }),
      native(() => data(1), { name: "has_none", description: "The short text." }),
    ),
  });
  const guidance = await host.guidance();

  expect(guidance).toContain("the long text");
  expect(guidance).toContain("The short text.");
  const source = aptixSource("return {};").replace(/static ToolUsageMetadata = .*\n/, "");
  expect((await refused(filePlan, {}, { files: { "tool.js": source } })).problems).toMatchObject([
    { code: "TOOL_INVALID" },
  ]);
});

test("AMP-25, C34: the command validates by its long name and by its short one", async () => {
  const root = join(import.meta.dirname, "../..");
  for (const words of [
    ["module", "validate", "tools/hello-world", "--type", "tool"],
    ["validate", "tools/hello-world"],
  ]) {
    const main = ["-C", "@toolmount/source", "packages/cli/src/main.ts"];
    expect(await exec(process.execPath, [...main, ...words], { cwd: root })).toContain("core:");
  }
});

test("AMP-22, AMP-23, C35: a mock tool mounts by a plan, and reports how often it was called, and with which arguments", async () => {
  const tool = new MockTool({ name: "mock", description: "A mock.", returnValue: { a: 1 } });
  const { host } = await opened(onePlan, { m: mounting(tool) });

  expect((await host.call({ name: "mock", arguments: { first: true } })).result.data).toEqual({ a: 1 });
  expect([tool.callCount, tool.lastInput]).toEqual([1, { first: true }]);
});

test("AMP-29, C39: a name given to mount is an alias of the tool's own, with a warning", async () => {
  const m = {
    mount: (coordinator: Coordinator) =>
      void coordinator.mount(
        "tools",
        native(() => data(1)),
        { name: "also" },
      ),
  };
  const { host, lines } = await opened(onePlan, { m });

  expect(host.tools()).toMatchObject([{ name: "probe", aliases: ["also"] }]);
  expect(lines).toMatchObject([{ level: "warn", fields: { tool: "probe", alias: "also" } }]);
});

test("C24: events have the fields of the contract, and a call within a call names its parent", async () => {
  const outer = native(async (_, context) => data((await context.call({ name: "inner" })).status), {
    name: "outer",
  });
  const { host, events } = await opened(onePlan, {
    m: mounting(
      outer,
      native(() => data(1), { name: "inner" }),
    ),
  });
  const { runId } = await host.call(
    { id: "x", name: "outer" },
    { sessionId: "s", conversationId: "c", turnId: "t", parallelGroupId: "g" },
  );

  expect(events.of("tool:post").find((event) => event["tool_name"] === "inner")).toMatchObject({
    parent_id: runId,
    session_id: "s",
    conversation_id: "c",
    turn_id: "t",
    tool_input: {},
    timestamp: expect.any(String) as string,
    tool_result: { data: 1 },
  });
});

test("APTIX-N74, APTIX-38, C30: the log has Aptix's tag for an exception of a tool of that contract, and the name of any other tool", async () => {
  const plan = "version: 1\ntools:\n  - module: m\n  - module: ./tool.js\n";
  const thrower = native(() => {
    throw new Error("boom");
  });
  const world = await opened(
    plan,
    { m: mounting(thrower) },
    { files: { "tool.js": aptixSource('throw new Error("boom");') } },
  );
  for (const name of ["probe", "agent_probe"]) await world.host.call({ name });

  expect(world.lines.filter(({ level }) => level === "error").map(({ message }) => message)).toEqual([
    '"probe" threw: boom',
    "[ProbeTool_ExecuteAsync__Exception] boom",
  ]);
});
