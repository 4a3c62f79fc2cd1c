import { join } from "node:path";
import { data, silentLogger, type ApprovalQuestion, type Coordinator } from "@toolmount/core";
import { toAmplifierResult } from "@toolmount/interop";
import { openHost } from "@toolmount/loader";
import { describe, expect, onTestFinished, test } from "vitest";
import { amplifierSource, native, opened, refused } from "../support/decisions-world.ts";

const plan = "version: 1\ntools:\n  - module: ./tool.js\n";
const root = join(import.meta.dirname, "../..");

describe("AMP-1: a tool is a structure of name, description and execute", () => {
  const source = amplifierSource('return { success: true, output: "hi" };');

  test("AMP-1: an object without a class mounts, and execute gets the input object", async () => {
    const files = {
      "tool.js": amplifierSource("return { success: true, output: [typeof input, input.at] };"),
    };
    const { host } = await opened(plan, {}, { files });
    const { result } = await host.call({ name: "probe", arguments: '{"at":"here"}' });

    expect(host.tools()).toMatchObject([{ name: "probe", description: "Probes.", origin: "amplifier" }]);
    expect(result.data).toEqual(["object", "here"]);
  });

  test.each([
    ["name", /name: "probe",/],
    ["execute", /async execute\(input\) \{.*\},/],
  ])("AMP-1: one without its %s is refused", async (part, line) => {
    const { problems, lines } = await refused(plan, {}, { files: { "tool.js": source.replace(line, "") } });

    expect(problems).toMatchObject([{ code: "TOOL_INVALID" }]);
    expect(JSON.stringify([problems, lines])).toContain(part);
  });
});

test("AMP-1: a tool without a description is offered by its name, and that is logged", async () => {
  const source = amplifierSource("return { success: true };").replace('description: "Probes.",', "");
  const { host, lines } = await opened(plan, {}, { files: { "tool.js": source } });

  expect(host.tools()).toMatchObject([{ description: "probe" }]);
  expect(lines).toMatchObject([
    { level: "warn", message: expect.stringContaining("no description") as string },
  ]);
});

describe("AMP-12, AMP-13, AMP-24: what a caller reads of a failure", () => {
  test("AMP-12: a missing parameter is named in error.message, and nothing ran before", async () => {
    const ran: unknown[] = [];
    Object.assign(globalThis, { amp12: ran });
    const source = amplifierSource("globalThis.amp12.push(input); return { success: true };").replace(
      "properties: {}",
      'properties: { path: { type: "string" } }, required: ["path"]',
    );
    const { host } = await opened(plan, {}, { files: { "tool.js": source } });
    const result = toAmplifierResult(await host.call({ name: "probe", arguments: {} }));

    expect(result.success).toBe(false);
    expect(result.error?.message).toContain("path");
    expect(ran).toEqual([]);
  });

  test("AMP-13, AMP-24: an exception is an error with message and type; a success has the error null", async () => {
    const body = 'if (input.at === "gone") throw new RangeError("no such line"); return { success: true };';
    const { host } = await opened(plan, {}, { files: { "tool.js": amplifierSource(body) } });
    const call = async (at: string) =>
      toAmplifierResult(await host.call({ name: "probe", arguments: { at } }));
    const [failed, done] = [await call("gone"), await call("here")];

    expect([failed.success, failed.error]).toEqual([false, { message: "no such line", type: "RangeError" }]);
    expect([done.success, done.error]).toEqual([true, null]);
  });
});

test("AMP-14: a schema from get_schema() is listed with types, descriptions, defaults and required names, and its defaults apply", async () => {
  const schema = {
    type: "object",
    properties: {
      path: { type: "string", description: "Where" },
      limit: { type: "integer", description: "How many", default: 5 },
    },
    required: ["path"],
  };
  const source = amplifierSource(
    "return { success: true, output: input };",
    "",
    `get_schema() { return ${JSON.stringify(schema)}; },`,
  );
  const files = { "tool.js": source.replace(/input_schema: .*\n/, "\n") };
  const { host } = await opened(plan, {}, { files });

  expect(host.tools()[0]!.inputSchema).toMatchObject(schema);
  expect((await host.call({ name: "probe", arguments: { path: "a" } })).result.data).toEqual({
    path: "a",
    limit: 5,
  });
});

test("AMP-15: an entry is a module, an optional source and an optional config, which mount gets", async () => {
  const source = (name: string) =>
    amplifierSource("return { success: true, output: config };").replace('"probe"', `"${name}"`);
  const text = `version: 1
tools:
  - module: ./bare.js
  - module: named
    source: ./from/named.js
  - module: ./set.js
    config: { root: here, deep: { list: [1] } }
`;
  const files = {
    "bare.js": source("bare_probe"),
    "from/named.js": source("named_probe"),
    "set.js": source("set_probe"),
  };
  const { host } = await opened(text, {}, { files });
  const call = async (name: string) => (await host.call({ name })).result.data;

  expect(await call("bare_probe")).toEqual({});
  expect(await call("named_probe")).toEqual({});
  expect(await call("set_probe")).toEqual({ root: "here", deep: { list: [1] } });
});

test("AMP-17, AMP-18: tool:pre comes before the tool runs, tool:post after it succeeded, and never after it failed", async () => {
  const order: unknown[] = [];
  Object.assign(globalThis, { amp17: order });
  const before = `for (const event of ["tool:pre", "tool:post", "tool:error"])
    coordinator.hooks.register(event, async (name) => void globalThis.amp17.push(name));`;
  const body = `globalThis.amp17.push("ran"); return { success: input.ok, error: input.ok ? null : { message: "no" } };`;
  const { host } = await opened(plan, {}, { files: { "tool.js": amplifierSource(body, before) } });
  await host.call({ name: "probe", arguments: { ok: true } });
  await host.call({ name: "probe", arguments: { ok: false } });

  expect(order).toEqual(["tool:pre", "ran", "tool:post", "tool:pre", "ran", "tool:error"]);
});

test("AMP-20: what goes wrong is an error, what is left out a warning, and a tool's own lines keep their levels", async () => {
  const speaking = native((params, { logger }) => {
    for (const level of ["debug", "info", "warn", "error"] as const) logger[level]({ own: true }, level);
    if (params["fail"] === true) throw new Error("boom");
    return data(1);
  });
  const aliased = {
    mount: (coordinator: Coordinator) => {
      coordinator.mount("tools", speaking, { name: "also" });
      coordinator.hooks.observe("tool:post", () => {
        throw new Error("observer");
      });
    },
  };
  const text = "version: 1\ntools:\n  - module: m\n  - module: ./gone.js\n    required: false\n";
  const { host, lines } = await opened(text, { m: aliased });
  const atMount = lines.splice(0).map(({ level, fields }) => [level, fields["alias"] ?? fields["module"]]);
  await host.call({ name: "probe" });
  await host.call({ name: "probe", arguments: { fail: true } });
  await host.call({ name: "none" });
  const own = lines
    .filter(({ fields }) => fields["own"] === true)
    .map(({ level, message }) => level === message);
  const rest = lines.filter(({ fields }) => fields["own"] !== true);

  expect(atMount).toEqual(
    expect.arrayContaining([
      ["warn", "also"],
      ["warn", "./gone.js"],
    ]),
  );
  expect(own).toEqual(Array(8).fill(true));
  expect(rest.map(({ level, message }) => [level, message.slice(0, 30)])).toEqual([
    ["warn", expect.stringContaining("observer") as string],
    ["error", expect.stringMatching(/^"probe" threw: /) as string],
  ]);
});

test("AMP-27: the reference plan has files, commands, the web and delegation, and a plan's own file adds a tool of its own", async () => {
  const reference = await openHost("mount-plans/reference.yaml", {
    cwd: root,
    env: {},
    logger: silentLogger,
  });
  onTestFinished(async () => void (await reference.close()));
  const mounted = reference.status().entries.flatMap(({ tools }) => tools);
  const { host } = await opened(
    plan,
    {},
    { files: { "tool.js": amplifierSource('return { success: true, output: "own" };') } },
  );

  expect(mounted).toEqual(
    expect.arrayContaining(["read_file", "write_file", "bash", "web_fetch", "delegate"]),
  );
  expect((await host.call({ name: "probe" })).result.data).toBe("own");
});

test("AMP-29: the registration name of the seed's sample, my-tool, is an alias of the tool my_tool", async () => {
  const source = amplifierSource('return { success: true, output: "mine" };')
    .replace('"probe"', '"my_tool"')
    .replace(/\n {2}\}\);\n\}\n$/, '\n  }, "my-tool");\n}\n');
  const { host, lines } = await opened(plan, {}, { files: { "tool.js": source } });

  expect(host.tools()).toMatchObject([{ name: "my_tool", aliases: ["my-tool"] }]);
  for (const name of ["my_tool", "my-tool"]) expect((await host.call({ name })).result.data).toBe("mine");
  expect(lines).toMatchObject([{ level: "warn", fields: { tool: "my_tool", alias: "my-tool" } }]);
});

test.each([
  ["no schema", ""],
  ["an empty one", "input_schema: {},"],
])("AMP-N1: a tool with %s mounts, takes any object, and that is reported", async (_, schema) => {
  const source = amplifierSource("return { success: true, output: input };").replace(
    /input_schema: .*\n/,
    `${schema}\n`,
  );
  const { host, lines } = await opened(plan, {}, { files: { "tool.js": source } });

  expect((await host.call({ name: "probe", arguments: { any: [1] } })).result.data).toEqual({ any: [1] });
  expect(lines.map(({ level }) => level)).toEqual(["warn"]);
});

test("AMP-N1: a schema that cannot be read keeps its tool from mounting, and the reason names the schema", async () => {
  const source = amplifierSource("return { success: true };").replace(
    /input_schema: .*\n/,
    'get input_schema() { throw new Error("no"); },\n',
  );
  const { problems } = await refused(plan, {}, { files: { "tool.js": source } });

  expect(problems).toMatchObject([
    { code: "TOOL_INVALID", message: expect.stringContaining("schema") as string },
  ]);
});

test("AMP-N5: a tool whose metadata requires approval asks a person before it runs; its other hints change nothing", async () => {
  const metadata =
    'get_metadata() { return { requires_approval: true, approval_hints: { risk_level: "high", dangerous_patterns: ["rm -rf"] } }; },';
  const asked: ApprovalQuestion[] = [];
  const approver = (question: ApprovalQuestion) => (asked.push(question), { decision: "approve" as const });
  const source = amplifierSource("return { success: true };", "", metadata);
  const { host } = await opened(plan, {}, { files: { "tool.js": source }, approver });

  expect((await host.call({ name: "probe" })).status).toBe("ok");
  expect(asked).toHaveLength(1);
  expect(asked[0]!.tool).toMatchObject({ name: "probe", requiresConfirmation: true });
});
