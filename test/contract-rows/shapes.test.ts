import { expect, test } from "vitest";
import { opened, refused } from "../support/decisions-world.ts";

/** Tool-Forge's definition, without its name. */
const forge = `description: "Gets holdings. Use it when asked. Not for trades.",
  schema: { type: "object", properties: { of: { type: "string" } }, required: ["of"], additionalProperties: false },
  category: "read", consequenceLevel: "low", requiresConfirmation: false, version: "1.0.0",
  async execute({ of }) { return { tool: this.name, fetchedAt: new Date().toISOString(), data: of }; }`;
const definition = (name: string) => `{ name: "${name}", ${forge} }`;

/** Amplifier's tool and its mount. */
const amplifier = (name: string) => `{ name: "${name}",
  description: "Counts words. Use it when asked. Not for files.",
  input_schema: { type: "object", properties: { of: { type: "string" } }, required: ["of"] },
  async execute({ of }) { return { success: true, output: of }; } }`;
const mounting = (tool: string) =>
  `async function mount(coordinator, config) { await coordinator.mount("tools", ${tool}); }`;

/** Aptix's class, with other lines where a shape differs. */
const aptix = (name: string, { type = "class", schema = "enveloped", flag = true, head = "" } = {}) => {
  const parameters = `{ type: "object", properties: { of: { type: "string", description: "What" } }, required: ["of"] }`;
  const facts = `name: "${name}", description: "Repeats. Use it when asked. Not for others."`;
  const schemas: Readonly<Record<string, string>> = {
    enveloped: `{ type: "function", ${facts}, parameters: ${parameters} }`,
    nested: `{ type: "function", function: { ${facts}, parameters: ${parameters} } }`,
    bare: `{ ${facts}, parameters: ${parameters} }`,
  };
  return `${type} {
  static ToolName = "${name}"; static ToolUsageMetadata = "${name}: repeats its argument of. Use it when asked."; ${head}
  static GetSchema() { return ${schemas[schema]}; }
  get Name() { return "${name}"; } ${flag ? "get IsToolFullyExecutedOnServer() { return true; }" : ""}
  async ExecuteAsync(text) { return { Successful: true, Result: JSON.stringify(JSON.parse(text).of) }; }
}`;
};

/** What a file exports, and the names of the tools that it then has; each answers with its argument. */
const shapes: readonly (readonly [title: string, file: string, text: string, names: readonly string[]])[] = [
  ["Tool-Forge: a named export", "a.mjs", `export const t = ${definition("get_a")};`, ["get_a"]],
  ["Tool-Forge: a default export", "a.mjs", `export default ${definition("get_a")};`, ["get_a"]],
  [
    "Tool-Forge: a list",
    "a.mjs",
    `export const tools = [${definition("get_a")}, ${definition("get_b")}];`,
    ["get_a", "get_b"],
  ],
  ["Tool-Forge: a default list", "a.mjs", `export default [${definition("get_a")}];`, ["get_a"]],
  [
    "Tool-Forge: a map",
    "a.mjs",
    `export const tools = { a: ${definition("get_a")}, b: ${definition("get_b")} };`,
    ["get_a", "get_b"],
  ],
  ["Tool-Forge: a factory", "a.mjs", `export const create = () => (${definition("get_a")});`, ["get_a"]],
  [
    "Tool-Forge: an instance of a class",
    "a.mjs",
    `class T { name = "get_a"; description = "Gets. Use it when asked. Not else."; schema = { type: "object", properties: { of: { type: "string" } } };
    category = "read"; consequenceLevel = "low"; requiresConfirmation = false; prefix = "";
    async execute({ of }) { return { tool: this.name, fetchedAt: new Date().toISOString(), data: this.prefix + of }; } }
    export const t = new T();`,
    ["get_a"],
  ],
  ["Tool-Forge: CommonJS", "a.cjs", `module.exports = { t: ${definition("get_a")} };`, ["get_a"]],
  [
    "Tool-Forge: CommonJS, the definition itself",
    "a.cjs",
    `module.exports = ${definition("get_a")};`,
    ["get_a"],
  ],
  ["Amplifier: a mount", "a.mjs", `export ${mounting(amplifier("count_a"))}`, ["count_a"]],
  [
    "Amplifier: a default export of its module",
    "a.mjs",
    `${mounting(amplifier("count_a"))}\nexport default { mount };`,
    ["count_a"],
  ],
  [
    "Amplifier: CommonJS",
    "a.cjs",
    `module.exports = { mount: ${mounting(amplifier("count_a"))} };`,
    ["count_a"],
  ],
  ["Amplifier: a tool alone", "a.mjs", `export const t = ${amplifier("count_a")};`, ["count_a"]],
  ["Amplifier: a default export of a tool", "a.mjs", `export default ${amplifier("count_a")};`, ["count_a"]],
  ["Aptix: a class", "a.mjs", `export ${aptix("agent_a", { type: "class A" })}`, ["agent_a"]],
  ["Aptix: a default class", "a.mjs", `export default ${aptix("agent_a")}`, ["agent_a"]],
  [
    "Aptix: two classes",
    "a.mjs",
    `export ${aptix("agent_a", { type: "class A" })}\nexport ${aptix("agent_b", { type: "class B" })}`,
    ["agent_a", "agent_b"],
  ],
  [
    "Aptix: a list of classes",
    "a.mjs",
    `export const tools = [${aptix("agent_a")}, ${aptix("agent_b")}];`,
    ["agent_a", "agent_b"],
  ],
  ["Aptix: a map of classes", "a.mjs", `export const tools = { A: ${aptix("agent_a")} };`, ["agent_a"]],
  ["Aptix: CommonJS", "a.cjs", `module.exports = { A: ${aptix("agent_a")} };`, ["agent_a"]],
  ["Aptix: CommonJS, the class itself", "a.cjs", `module.exports = ${aptix("agent_a")};`, ["agent_a"]],
  ["Aptix: an instance", "a.mjs", `export const a = new (${aptix("agent_a")})();`, ["agent_a"]],
  [
    "Aptix: a class without the server flag",
    "a.mjs",
    `export ${aptix("agent_a", { type: "class A", flag: false })}`,
    ["agent_a"],
  ],
  [
    "Aptix: a class that gets its logger",
    "a.mjs",
    `export ${aptix("agent_a", { type: "class A", head: 'static inject = ["IAdminLogger"]; constructor(logger) { if (typeof logger.AddException !== "function") throw new Error("no logger"); }' })}`,
    ["agent_a"],
  ],
  [
    "Aptix: a class whose constructor takes a logger",
    "a.mjs",
    `export ${aptix("agent_a", { type: "class A", head: 'constructor(_logger) { if (typeof _logger.AddException !== "function") throw new Error("no logger"); }' })}`,
    ["agent_a"],
  ],
  [
    "Aptix: a class of a base class",
    "a.mjs",
    `class Base { get Name() { return "agent_a"; } get IsToolFullyExecutedOnServer() { return true; } }\nexport ${aptix("agent_a", { type: "class A extends Base" })}`,
    ["agent_a"],
  ],
];

test.each(shapes)("%s mounts, and answers", async (_, file, text, names) => {
  const { host } = await opened(
    `version: 1\ntools: [{ module: ./${file} }]\n`,
    {},
    { files: { [file]: text } },
  );

  expect(host.tools().map(({ name }) => name)).toEqual(names);
  for (const name of names)
    expect(await host.call({ name, arguments: { of: name } })).toMatchObject({
      status: "ok",
      result: { data: name },
    });
});

test.each([
  [
    "an Aptix class that waits for a service which its inject does not name",
    "a.mjs",
    `export ${aptix("agent_a", { type: "class A", head: "static inject = []; constructor(logger) { this.logger = logger; }" })}`,
    'static inject = ["IAdminLogger"]',
  ],
  [
    "an Aptix class whose constructor throws",
    "a.mjs",
    `export ${aptix("agent_a", { type: "class A", head: 'constructor() { throw new Error("no key is set"); }' })}`,
    "its constructor throws: no key is set",
  ],
  [
    "an Aptix class whose schema has no envelope",
    "a.mjs",
    `export ${aptix("agent_a", { type: "class A", schema: "bare" })}`,
    '{ type: "function", name, description, parameters }',
  ],
  [
    "an Aptix class whose schema nests the function",
    "a.mjs",
    `export ${aptix("agent_a", { type: "class A", schema: "nested" })}`,
    '{ type: "function", name, description, parameters }',
  ],
  [
    "a Tool-Forge definition with a camel-case name",
    "a.mjs",
    `export const t = ${definition("getHoldings")};`,
    "defineTool",
  ],
  ["an empty CommonJS module", "a.cjs", "module.exports = {};", "it exports no tool"],
  ["a default export of a mount alone", "a.mjs", `export default ${mounting(amplifier("count_a"))}`, "mount"],
  [
    "a definition without an execute",
    "a.mjs",
    `export const t = { name: "get_a", description: "Gets.", category: "read" };`,
    "it exports no tool",
  ],
])("%s is refused, and the error says what to write", async (_, file, text, said) => {
  const { problems } = await refused(
    `version: 1\ntools: [{ module: ./${file} }]\n`,
    {},
    { files: { [file]: text } },
  );

  expect(problems).toMatchObject([{ message: expect.stringContaining(said) as string }]);
});
