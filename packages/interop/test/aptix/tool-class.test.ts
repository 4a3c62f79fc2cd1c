import { expect, test } from "vitest";
import { aptixClassOf, inspectAptixClass, mentions, type AptixClass } from "../../src/aptix/tool-class.ts";

const schema = {
  type: "function",
  name: "agent_greet",
  description: "Greets.",
  parameters: { type: "object", properties: {}, required: [] },
};

/** A class of Aptix with these members instead of right ones; one that is `undefined` is left out. */
function classWith(members: Record<string, unknown> = {}): AptixClass {
  const made = class {
    ExecuteAsync() {}
  };
  const all = { ToolName: "agent_greet", ToolUsageMetadata: "Use it.", GetSchema: () => schema, ...members };
  for (const [name, value] of Object.entries(all))
    if (value !== undefined) Object.defineProperty(made, name, { value });
  return made;
}

const rulesOf = (members: Record<string, unknown>) =>
  inspectAptixClass(classWith(members)).map(({ rule }) => rule);
const withSchema = (more: object) => ({ GetSchema: () => ({ ...schema, ...more }) });
const withParameters = (more: object) => withSchema({ parameters: { ...schema.parameters, ...more } });

test("a class of Aptix that keeps its rules has no breach", () => {
  expect(rulesOf({})).toEqual([]);
});

let asked = 0;

test.each<[string, Record<string, unknown>, string[]]>([
  ["no name", { ToolName: undefined }, ["tool_name_constant"]],
  ["an empty name", { ToolName: " " }, ["tool_name_constant", "names_agree"]],
  ["a name that is no text", { ToolName: 7 }, ["tool_name_constant"]],
  ["no usage text", { ToolUsageMetadata: undefined }, ["usage_constant"]],
  ["another sign in its name", { ToolName: "agent.greet" }, ["name_grammar", "names_agree"]],
  ["a name of 65 signs", { ToolName: "a".repeat(65) }, ["name_grammar", "names_agree"]],
  ["a name in camel case", { ToolName: "agentGreet" }, ["name_snake_case", "names_agree"]],
  ["no schema", { GetSchema: undefined }, ["schema_method"]],
  ["a schema with parameters", { GetSchema: (_: unknown) => schema }, ["schema_method"]],
  [
    "a schema that throws",
    {
      GetSchema: () => {
        throw new Error("no");
      },
    },
    ["schema_method"],
  ],
  ["a schema that is no object", { GetSchema: () => [] }, ["schema_method"]],
  [
    "a schema that changes",
    { GetSchema: () => ({ ...schema, description: `${++asked}` }) },
    ["schema_method"],
  ],
  ["another type", withSchema({ type: "tool" }), ["schema_method"]],
  ["a schema without a name", withSchema({ name: 7 }), ["schema_method"]],
  ["a schema without parameters", withSchema({ parameters: "none" }), ["schema_method"]],
  ["no description", withSchema({ description: undefined }), ["schema_method"]],
  ["an empty description", withSchema({ description: " " }), ["schema_method"]],
  ["another name in its schema", withSchema({ name: "agent_meet" }), ["names_agree"]],
  ["parameters of another type", withParameters({ type: "array" }), ["schema_envelope"]],
  ["parameters without properties", withParameters({ properties: [] }), ["schema_envelope"]],
  ["no list of required names", withParameters({ required: undefined }), ["schema_required"]],
])("a class of Aptix with %s breaks a rule", (_, members, rules) => {
  expect(rulesOf(members)).toEqual(rules);
});

test("a name may have 64 signs, and may not be computed", () => {
  const name = "a".repeat(64);
  expect(rulesOf({ ToolName: name, ...withSchema({ name }) })).toEqual([]);

  const computed = classWith({ ToolName: undefined });
  Object.defineProperty(computed, "ToolName", { get: () => "agent_greet" });
  expect(inspectAptixClass(computed)).toEqual([
    { rule: "tool_name_constant", problem: "its ToolName is computed; it must be a constant field" },
  ]);
});

test("a class is one of Aptix by any of its members, an instance by what it runs", () => {
  const Marked = Object.assign(() => null, { ToolUsageMetadata: "Use it." });
  class Running {
    ExecuteAsync() {}
  }

  expect(aptixClassOf(Marked)).toBe(Marked);
  expect(aptixClassOf(Running)).toBe(Running);
  expect(aptixClassOf(new Running())).toBe(Running);
  expect(aptixClassOf({ ExecuteAsync() {} })).toBe(Object);
  expect(aptixClassOf(Object.assign(Object.create(null) as object, { ExecuteAsync() {} }))).toBe(Object);
  for (const other of [() => 1, {}, { ToolName: "x" }, { ExecuteAsync: 1 }, null, "text"])
    expect(aptixClassOf(other)).toBeNull();
});

test.each([
  ["give the path of a file", "path", true],
  ["give the Path.", "path", true],
  ["give the paths", "path", false],
  ["give the a_path", "path", false],
  ["give $ref first", "$ref", true],
  ["give aXb", "a.b", false],
])("the usage text %j mentions %s: %s", (usage, argument, expected) => {
  expect(mentions(usage, argument)).toBe(expected);
});
