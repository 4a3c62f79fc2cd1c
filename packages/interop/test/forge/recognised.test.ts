import { data, defineTool } from "@toolmount/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { forgeAdapter } from "../../src/forge/adapter.ts";
import { forged } from "../support/forged.ts";

const execute = () => null;
const snake =
  "its name is not lower snake case, as Tool-Forge's definitions need it; make the tool with defineTool if it is written for toolmount";

test.each<[object, string, string]>([
  [{ name: "getWeather" }, "name_snake_case", snake],
  [{ name: "get__weather" }, "name_snake_case", snake],
  [{ name: "1st" }, "name_snake_case", snake],
  [{ name: "get_" }, "name_snake_case", snake],
  [{ name: "a".repeat(65) }, "name_snake_case", "its name has more than 64 characters; no provider takes it"],
  [{ schema: undefined }, "schema_required", "it has no schema"],
  [
    { version: "01.0.0" },
    "version_semver",
    'its version "01.0.0" is not a semantic version; write it like "1.0.0"',
  ],
  [{ version: 1 }, "version_semver", 'its version 1 is not a semantic version; write it like "1.0.0"'],
])("a definition with %j breaks the rule %s", (more, rule, problem) => {
  const tool = { ...forged, schema: { type: "object", properties: {} }, execute, ...more };
  const { name } = tool as { name: string };

  expect(() => forgeAdapter.adapt(tool, {} as never)).toThrow(
    expect.objectContaining({ code: "TOOL_INVALID", details: { tool: name, rule, problem } }),
  );
});

test.each<object>([
  { name: "a".repeat(64) },
  { name: "a1_b2" },
  { version: "0.0.0" },
  { version: "10.20.30-rc.1+build.5" },
  { version: undefined },
])("a definition with %j keeps the rules, and has its own members and no others", (more) => {
  const schema = { type: "object", properties: {} };
  const tool = { ...forged, schema, execute, extra: 1, ...more };
  const made = forgeAdapter.adapt(tool, { logger: { warn: () => {} } } as never) as object;
  const { version, ...known } = { ...forged, ...more } as { version?: string };

  expect({ ...made, execute: null }).toStrictEqual({
    ...known,
    ...(version !== undefined && { version }),
    schema,
    origin: "forge",
    execute: null,
  });
});

test.each<[string, unknown, boolean]>([
  ["a definition", { ...forged, schema: {}, execute }, true],
  ["a name that is no text, and no parser", { ...forged, name: 7, schema: {}, execute }, true],
  [
    "one with a parser and another name",
    { ...forged, name: "getWeather", schema: z.object({}), execute },
    false,
  ],
  [
    "one with a parser and a name of 64 letters",
    { ...forged, name: "a".repeat(64), schema: z.object({}), execute },
    true,
  ],
  [
    "one with a parser and a name of 65 letters",
    { ...forged, name: "a".repeat(65), schema: z.object({}), execute },
    false,
  ],
  ["one without work", { ...forged, schema: {} }, false],
  ["one without any classification", { name: "a", description: "A.", schema: {}, execute }, false],
  ...["input_schema", "inputSchema", "get_schema", "getSchema", "ExecuteAsync"].map(
    (member): [string, unknown, boolean] => [
      `one with ${member}`,
      { ...forged, schema: {}, execute, [member]: 1 },
      false,
    ],
  ),
  ...[
    "usage",
    "summary",
    "outputSchema",
    "execution",
    "modes",
    "dynamic",
    "idempotent",
    "undo",
    "irreversible",
    "preview",
    "origin",
  ].map((member): [string, unknown, boolean] => [
    `one with ${member}`,
    { ...forged, schema: {}, execute, [member]: 1 },
    false,
  ]),
  [
    "one that defineTool made",
    defineTool({ ...forged, schema: z.object({}), execute: () => data(1) } as never),
    false,
  ],
  ["null", null, false],
  ["a text", "get_weather", false],
])("%s: case %#", (_, thing, isOne) => {
  expect(forgeAdapter.recognises(thing)).toBe(isOne);
});
