import { expect, test } from "vitest";
import { hostWithAdapters } from "../support/world.ts";

const schema = {
  type: "function",
  name: "agent_look",
  description: "Looks.",
  parameters: { type: "object", properties: { path: { type: "string" }, any: {} }, required: [] },
};

/** A class of Aptix whose instances have these members. */
function classOf(members: object, facts: object = {}): unknown {
  class Look {
    static readonly ToolName: string = "agent_look";
    static readonly ToolUsageMetadata: string = "Use path, and any.";
    static GetSchema = () => schema;
    readonly Name: unknown = "agent_look";
    ExecuteAsync(): unknown {
      return { Successful: true, Result: "{}" };
    }
    constructor() {
      Object.defineProperties(this, Object.getOwnPropertyDescriptors(members));
    }
  }
  return Object.defineProperties(Look, Object.getOwnPropertyDescriptors(facts));
}

async function mounted(members: object, facts: object = {}) {
  const { host, lines } = await hostWithAdapters();
  host.coordinator.mount("tools", classOf(members, facts) as never);
  const warned = lines
    .filter(({ level }) => level === "warn")
    .map(({ fields, message }) => ({ ...fields, message }));
  return { tool: host.tools()[0]!, warned, host };
}

let read = 0;

test.each<[string, object, string, string]>([
  ["no ExecuteAsync", { ExecuteAsync: 1 }, "tool_execute", "it has no ExecuteAsync"],
  ["another Name", { Name: "look" }, "names_agree", 'its Name is "look", its ToolName is "agent_look"'],
  ["no Name", { Name: undefined }, "names_agree", 'its Name is missing, its ToolName is "agent_look"'],
  [
    "a Name that changes",
    {
      get Name() {
        return `look_${++read}`;
      },
    },
    "names_agree",
    "its Name is another when it is read again",
  ],
  [
    "a Name that throws",
    {
      get Name() {
        throw new Error("no");
      },
    },
    "names_agree",
    "its Name or IsToolFullyExecutedOnServer throws",
  ],
  [
    "a flag that is a text",
    { IsToolFullyExecutedOnServer: "yes" },
    "server_flag",
    "its IsToolFullyExecutedOnServer is neither true nor false",
  ],
])("an instance of Aptix with %s is refused", async (_, members, rule, problem) => {
  await expect(mounted(members)).rejects.toMatchObject({
    code: "TOOL_INVALID",
    details: { tool: "agent_look", rule, rules: [rule], problem },
  });
});

test("a constructor that throws, or that waits for services that no name fills, is refused", async () => {
  const Throwing = Object.assign(
    class {
      static GetSchema(): object {
        return schema;
      }
      constructor() {
        throw new Error("no database");
      }
      ExecuteAsync() {}
    },
    { ToolName: "agent_look", ToolUsageMetadata: "Use it." },
  );
  const Waiting = Object.assign(
    class {
      static GetSchema(): object {
        return schema;
      }
      readonly made: unknown;
      constructor(one: unknown, other: unknown) {
        this.made = [one, other];
      }
      ExecuteAsync() {}
    },
    { ToolName: "agent_look", ToolUsageMetadata: "Use it.", inject: ["IAdminLogger"] },
  );
  const { host } = await hostWithAdapters();
  const mount = (type: unknown) => () => host.coordinator.mount("tools", type as never);

  expect(mount(Throwing)).toThrow("its constructor throws: no database");
  expect(mount(Waiting)).toThrow("its constructor takes 2 services and its static inject names 1");
  expect(host.tools()).toEqual([]);
});

test.each([
  ["", "Look"],
  ["Agent.Look", "Agent.Look"],
])("a refused class with the ToolName %j is named %s", async (ToolName, tool) => {
  await expect(mounted({}, { ToolName })).rejects.toMatchObject({ details: { tool } });
});

test("a class says where it runs, its summary, and what its usage text leaves out", async () => {
  const silent = await mounted({});
  const said = await mounted({ IsToolFullyExecutedOnServer: false }, { ToolSummary: "In short." });
  const other = await mounted(
    { IsToolFullyExecutedOnServer: true },
    { ToolSummary: 7, ToolUsageMetadata: "Use it with care." },
  );

  expect(silent.tool).toMatchObject({ execution: "server" });
  expect(silent.warned.map(({ message }) => message)).toEqual([
    expect.stringContaining("does not say where it runs"),
    "parameters of a schema have no type",
  ]);
  expect(silent.warned[1]).toMatchObject({ tool: "agent_look", untyped: ["any"] });
  expect(said.tool).toMatchObject({ execution: "client", summary: "In short." });
  expect(said.warned).toHaveLength(1);
  expect(other.tool.summary).not.toBe(7);
  expect(other.tool.execution).toBe("server");
  expect(other.warned[0]).toMatchObject({ arguments: ["path", "any"] });
});

test("a parameter has a type by any keyword that says what its value may be, and others are warned of", async () => {
  const typed = [
    { type: "string" },
    { $ref: "#" },
    { enum: [1] },
    { const: 1 },
    { anyOf: [{}] },
    { oneOf: [{}] },
    { allOf: [{}] },
  ];
  const properties = Object.fromEntries([...typed, { description: "d" }].map((one, at) => [`p${at}`, one]));
  const usage = { ToolUsageMetadata: `Use ${Object.keys(properties).join(", ")}.` };
  const own = { ...schema, parameters: { type: "object", properties, required: [] } };
  const { warned } = await mounted({ IsToolFullyExecutedOnServer: true }, { ...usage, GetSchema: () => own });

  expect(warned).toEqual([
    { tool: "agent_look", untyped: ["p7"], message: "parameters of a schema have no type" },
  ]);
});
