import { expect, test } from "vitest";
import { aptixSource, opened, refused } from "../support/decisions-world.ts";

const plan = "version: 1\ntools:\n  - module: ./tool.js\n";
const success = (result: string) => `return { Successful: true, Result: ${result}, Errors: [] };`;
const call = { name: "agent_probe", arguments: {} };

test("C41, APTIX-1: a class that obeys AGN-005 alone has no flag for the server, and runs on it", async () => {
  const source = aptixSource(success('"1"')).replace(/get IsToolFullyExecutedOnServer.*\n/, "\n");
  const { host, lines } = await opened(plan, {}, { files: { "tool.js": source } });

  expect(host.tools()).toMatchObject([{ name: "agent_probe", execution: "server" }]);
  expect((await host.call(call)).result.data).toBe(1);
  expect(JSON.stringify(lines)).toContain("IsToolFullyExecutedOnServer");
});

test("C44: pairs of a custom event are { Key, Value }, { key, value } or lists of two", async () => {
  const members = `static inject = ["IAdminLogger"]; constructor(logger) { this.logger = logger; }`;
  const body = `this.logger.AddCustomEvent("Message", "tag", "said", { Key: "a", Value: "1" }, { key: "b", value: "2" }, ["c", "3"], { Key: 4 }); ${success('"1"')}`;
  const { host, lines } = await opened(plan, {}, { files: { "tool.js": aptixSource(body, members) } });
  await host.call(call);

  expect(JSON.stringify(lines)).toContain(
    '"attributes":[["a","1"],["b","2"],["c","3"]],"attributes_dropped":1',
  );
});

test("APTIX-N61: names of arguments bind without case, and those of the schema reach the tool", async () => {
  const { host } = await opened(
    plan,
    {},
    { files: { "tool.js": aptixSource(success("JSON.stringify({ text })")) } },
  );
  const textOf = async (given: string) =>
    ((await host.call({ name: "agent_probe", arguments: given })).result.data as { text?: string }).text;

  expect(await textOf('{"NAME":"Ada"}')).toBe('{"name":"Ada"}');
  expect(await textOf('{ "name": "Ada" }')).toBe('{ "name": "Ada" }');
  expect(await textOf('{"name":"Ada","Name":"Bob"}')).toBe('{"name":"Ada","Name":"Bob"}');
});

test("APTIX-2: a class that waits for a service that no module registers is refused with what to write", async () => {
  const members = "constructor(logger, clock) { this.logger = logger; }";
  const { problems } = await refused(
    plan,
    {},
    { files: { "tool.js": aptixSource(success('"1"'), members) } },
  );

  expect(problems).toMatchObject([{ code: "TOOL_INVALID" }]);
  expect(JSON.stringify(problems)).toContain('static inject = [\\"IAdminLogger\\", \\"IClock\\"]');
});

test("APTIX-3: a constructor that throws is refused with its reason", async () => {
  const members = 'constructor() { throw new Error("no connection to the list"); }';
  const { problems } = await refused(
    plan,
    {},
    { files: { "tool.js": aptixSource(success('"1"'), members) } },
  );

  expect(JSON.stringify(problems)).toContain("its constructor throws: no connection to the list");
});

test("APTIX-87: a class of TUL-010 reads the plan's modes by GetAllModesAsync, and its cancellation is honoured", async () => {
  const members = `static inject = ["IAgentModeCatalogService"]; constructor(catalog) { this.catalog = catalog; }`;
  const body = `const modes = await this.catalog.GetAllModesAsync(signal);
    const shown = modes.map((mode) => [mode.Key, mode.key, mode.DisplayName, mode.IsDefault, mode.HumanRoleHints]);
    const stopped = await this.catalog.GetAllModesAsync(AbortSignal.abort()).catch((error) => error.name);
    ${success("JSON.stringify({ shown, stopped, keys: Object.keys(modes[0]) })")}`;
  const modes =
    "modes:\n  catalog: [{ key: general, displayName: General }, { key: tax, displayName: Tax }]\n";
  const { host } = await opened(plan + modes, {}, { files: { "tool.js": aptixSource(body, members) } });

  const { shown, stopped, keys } = (await host.call(call)).result.data as Record<string, unknown[]>;
  expect(shown).toEqual([
    ["general", "general", "General", true, null],
    ["tax", "tax", "Tax", false, null],
  ]);
  expect(stopped).toBe("AbortError");
  expect(keys).not.toContain("Key");
});

test("APTIX-53: a parameter without a type, and one that the usage only has inside a word, are logged when they mount", async () => {
  const source = aptixSource(success('"1"'))
    .replace('type: "string", ', "")
    .replace("- name (string, optional)", "- rename (string, optional)");
  const { lines } = await opened(plan, {}, { files: { "tool.js": source } });

  expect(JSON.stringify(lines)).toContain('"untyped":["name"]');
  expect(JSON.stringify(lines)).toContain('"arguments":["name"]');
});
