import { describe, expect, test } from "vitest";
import { opened, refused } from "../support/decisions-world.ts";

/** The text of a class of Aptix with these members, whose answer is JSON. */
const tool = (name: string, members: string, answer: string) => `export class ${name}Tool {
  static readonly ToolName = "agent_${name.toLowerCase()}";
  static readonly ToolUsageMetadata = "Use it when asked.";
  readonly IsToolFullyExecutedOnServer = true;
  ${members}
  get Name() { return ${name}Tool.ToolName; }
  static GetSchema() {
    return { type: "function", name: ${name}Tool.ToolName, description: "Asks.", parameters: { type: "object", properties: {}, required: [] } };
  }
  async ExecuteAsync() {
    try { return { Successful: true, Result: JSON.stringify(${answer}), Errors: [] }; }
    catch (error) { return { Successful: false, Errors: [{ Message: String(error) }] }; }
  }
}
`;

/** A module that registers services, each with its own name as its answer. */
const registers = (...names: string[]) =>
  `export const mount = (c) => { ${names.map((name) => `c.registerCapability("${name}", { ask: () => "${name}" });`).join(" ")} };`;

const plan = (...modules: string[]) =>
  `version: 1\ntools:\n${modules.map((module) => `  - module: ./${module}\n`).join("")}`;

const answers: readonly (readonly [string, string, readonly string[], string])[] = [
  [
    "a parameter's property",
    "constructor(private readonly catalog: unknown) {}",
    ["IAgentModeCatalogService"],
    "catalog",
  ],
  [
    "a name with an underscore",
    "constructor(private readonly _modeCatalog: unknown) {}",
    ["IAgentModeCatalogService"],
    "_modeCatalog",
  ],
  [
    "the name of the service",
    "constructor(public agentModeCatalogService: unknown) {}",
    ["IAgentModeCatalogService"],
    "agentModeCatalogService",
  ],
  [
    "its own name before longer ones",
    "constructor(public clock: unknown) {}",
    ["IClock", "IWorldClock"],
    "clock",
  ],
  ["a capability of another name", "constructor(public acmeNotes: unknown) {}", ["acme.notes"], "acmeNotes"],
  [
    "the second parameter",
    "clock; constructor(logger, clock) { logger.Trace('made'); this.clock = clock; }",
    ["IClock"],
    "clock",
  ],
  [
    "a constructor with brackets in its text",
    "clock; constructor(/* (a, b) */ log, { a = [1, ')'] } = {}, clock) { this.clock = clock; }",
    ["IClock"],
    "clock",
  ],
  [
    "inject, whatever the parameters are called",
    "static inject = ['IClock']; it; constructor(x) { this.it = x; }",
    ["IClock", "IX"],
    "it",
  ],
];

describe("APTIX-N70: a class gets its services by the names of its constructor's parameters", () => {
  test.each(answers)("%s", async (_, members, services, member) => {
    const { host } = await opened(
      plan("ask.ts", "services.js"),
      {},
      {
        files: {
          "ask.ts": tool("Ask", members, `(this as any).${member}.ask()`),
          "services.js": registers(...services),
        },
      },
    );

    expect((await host.call({ name: "agent_ask" })).result.data).toBe(services[0]);
  });

  test("a logger by any of its names, and a class that extends another", async () => {
    const names = ["logger", "_logger", "log", "adminLogger", "l"];
    const classes = names.map((name, at) =>
      tool(`Log${at}`, `constructor(private readonly ${name}: any) {}`, `typeof this.${name}.AddException`),
    );
    const derived =
      'export class LateTool extends Log0Tool {\n  static ToolName = "agent_late"; get Name() { return "agent_late"; }\n  static GetSchema() { return { ...super.GetSchema(), name: "agent_late" }; }\n  static ToolUsageMetadata = "Use it when asked.";\n}\n';
    const { host } = await opened(plan("log.ts"), {}, { files: { "log.ts": classes.join("") + derived } });

    for (const name of [...names.map((_, at) => `agent_log${at}`), "agent_late"])
      expect((await host.call({ name })).result).toMatchObject({ data: "function" });
  });

  test("a parameter with a value of its own does without a service", async () => {
    const source = tool("Ask", "constructor(public clock: unknown = 'own') {}", "this.clock");
    const { host } = await opened(plan("ask.ts"), {}, { files: { "ask.ts": source } });

    expect((await host.call({ name: "agent_ask" })).result.data).toBe("own");
  });
});

describe("APTIX-N71: a service that is missing is reported before a call", () => {
  const needsClock = tool(
    "Ask",
    "constructor(private readonly logger: unknown, private readonly clock: unknown) {}",
    "1",
  );

  test.each([
    ["missing", needsClock, [], 'the parameter "clock" of its constructor'],
    [
      "named by inject and missing",
      tool("Ask", "static inject = ['IClock']; constructor(clock: unknown) {}", "1"),
      [],
      '"IClock" that its static inject names',
    ],
    ["one of two", needsClock, ["IWallClock", "IWorldClock"], '"IWallClock" or "IWorldClock"'],
  ] as const)("a service that is %s", async (_, source, services, said) => {
    const files = { "ask.ts": source, "services.js": registers(...services) };
    for (const order of [
      ["ask.ts", "services.js"],
      ["services.js", "ask.ts"],
    ]) {
      const { problems } = await refused(plan(...order), {}, { files });
      expect(problems).toMatchObject([{ code: "TOOL_INVALID", line: 3 + order.indexOf("ask.ts") }]);
      expect(problems[0]!.message).toContain(said);
      expect(problems[0]!.message).toContain(
        _ === "named by inject and missing" ? "to the plan" : "static inject = [",
      );
    }
  });

  test("every class of a module that is refused is named", async () => {
    const classes = ["One", "Two", "Three"]
      .map((name) => tool(name, "constructor(public clock: unknown) {}", "1"))
      .join("");
    const { problems } = await refused(
      plan("ask.ts"),
      {},
      { files: { "ask.ts": classes.replace('"agent_two"', '"agent-two"') } },
    );
    const later = await refused(plan("ask.ts"), {}, { files: { "ask.ts": classes } });

    expect(problems.map(({ message }) => message).join()).toContain("agent-two");
    expect(later.problems.map(({ message }) => /agent_\w+/.exec(String(message))?.[0])).toEqual([
      "agent_one",
      "agent_three",
      "agent_two",
    ]);
  });

  test("an optional module is left out, and its tools with it", async () => {
    const text = "version: 1\ntools:\n  - { module: ./ask.ts, required: false }\n  - module: ./other.ts\n";
    const { host } = await opened(
      text,
      {},
      { files: { "ask.ts": needsClock, "other.ts": tool("Other", "", "1") } },
    );

    expect(host.tools().map(({ name }) => name)).toEqual(["agent_other"]);
  });

  test("where a class runs is known before it is made, or it is refused", async () => {
    const services = registers("IClock");
    const late = tool(
      "Ask",
      "constructor(clock: unknown) { Object.assign(this, { IsToolFullyExecutedOnServer: false }); }",
      "1",
    );
    const client = tool("Ask", "constructor(clock: unknown) {}", "1").replace(
      "OnServer = true",
      "OnServer = false",
    );
    const files = (source: string) => ({ files: { "ask.ts": source, "services.js": services } });
    const order = plan("ask.ts", "services.js");

    expect((await opened(order, {}, files(client))).host.tools()).toMatchObject([{ execution: "client" }]);
    expect((await refused(order, {}, files(late))).problems[0]!.message).toContain(
      "write it as a field or as a getter",
    );
  });
});
