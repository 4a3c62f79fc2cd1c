import type { ToolSubject } from "@toolmount/core/validation";
import { describe, expect, test } from "vitest";
import { createAptixLogger } from "../../src/aptix/logger.ts";
import { aptixProfile } from "../../src/aptix/profile.ts";
import { recordingLogger } from "../support/world.ts";

const base = {
  name: "t",
  description: "Does it.",
  inputSchema: { type: "object", properties: {} },
};

/** Each place and problem that a rule finds in a tool. */
async function found(id: string, info: object | null, more: object = {}): Promise<readonly string[]> {
  const rule = aptixProfile.toolRules!.find((each) => each.id === id)!;
  const subject = {
    thing: null,
    name: "t",
    info: info === null ? null : { ...base, ...info },
    refused: null,
    refusedBy: null,
    calls: [],
    saysOmissions: true,
    sample: null,
    isHarmless: true,
    ...more,
  } as unknown as ToolSubject;
  return [...(await rule.check(subject))].map(({ where, problem }) => `${where}: ${problem}`);
}
const withParameters = (properties: object) => ({ inputSchema: { type: "object", properties } });

describe("the rule", () => {
  test.each<[string, object | null, readonly string[]]>([
    ["parameter_types", withParameters({ a: { type: "string" }, b: { type: "array" } }), []],
    [
      "parameter_types",
      withParameters({ a: { type: ["string"] }, b: {}, c: { type: "null" } }),
      ["a", "b", "c"].map((name) => `tools.t.parameters.${name}: it has no simple JSON type`),
    ],
    ["parameter_types", null, []],
    ["parameter_types", { inputSchema: { type: "object" } }, []],
    ["parameter_descriptions", withParameters({ a: { description: "The a." } }), []],
    [
      "parameter_descriptions",
      withParameters({ a: { description: " " }, b: { description: 7 }, c: {} }),
      ["a", "b", "c"].map((name) => `tools.t.parameters.${name}: it has no description`),
    ],
    ["usage_in_step", { usage: "Give city.", ...withParameters({ city: {} }) }, []],
    [
      "usage_in_step",
      { usage: "Give city.", ...withParameters({ city: {}, unit: {} }) },
      ["tools.t.usage: it leaves out an argument of the schema"],
    ],
    ["usage_in_step", withParameters({ city: {} }), []],
    ["usage_environment", { usage: "Reads notes." }, []],
    ...[
      "in /home/ada/x",
      "/srv/x is read",
      "in C:\\x",
      "at localhost:8080",
      "at 127.0.0.1:80",
      "at db.internal",
    ].map((usage): [string, object, string[]] => [
      "usage_environment",
      { usage },
      ["tools.t.usage: it names something of one machine"],
    ]),
    ["usage_internals", { usage: "Reads notes." }, []],
    ...["see read.ts", "see read.py:12", "TODO: more", "class Reader reads"].map(
      (usage): [string, object, string[]] => [
        "usage_internals",
        { usage },
        ["tools.t.usage: it names source files or code"],
      ],
    ),
    ["usage_length", { usage: "x".repeat(80) }, []],
    ["usage_length", { usage: "x".repeat(8_000) }, []],
    ["usage_length", { usage: ` ${"x".repeat(79)}` }, ["tools.t.usage: it is too short or too long"]],
    ["usage_length", { usage: "x".repeat(8_001) }, ["tools.t.usage: it is too short or too long"]],
    ["usage_purpose", { usage: "Primary purpose: reads." }, []],
    ["usage_purpose", { usage: "read_note: reads a note" }, []],
    ["usage_purpose", { usage: "Reads a note" }, ["tools.t.usage: it does not say its primary purpose"]],
    ["usage_when", { usage: "Use it when asked." }, []],
    ["usage_when", { usage: "Call this tool to read." }, []],
    ["usage_when", { usage: "When the user asks." }, []],
    [
      "usage_when",
      { usage: "Do not use it when asked." },
      ["tools.t.usage: it does not say when to use the tool"],
    ],
    ["usage_when_not", { usage: "Never for mail." }, []],
    ["usage_when_not", { usage: "For notes." }, ["tools.t.usage: it does not say when not to use the tool"]],
    ["usage_arguments", { usage: "Its arguments are few." }, []],
    ["usage_arguments", { usage: "Few." }, ["tools.t.usage: it does not say how to construct the arguments"]],
    ["usage_errors", { usage: "It fails without a city." }, []],
    ["usage_errors", { usage: "It works." }, ["tools.t.usage: it does not say which errors are known"]],
    ["usage_examples", { usage: "Good usage: a city." }, []],
    ["usage_examples", { usage: "A city." }, ["tools.t.usage: it does not say good and bad usage"]],
    ["usage_examples", {}, []],
  ])("%s about %j finds %j", async (id, info, problems) => {
    expect(await found(id, info)).toEqual(problems);
  });

  test("that the adapter enforces finds what a tool was refused by, under that id alone", async () => {
    const refusal = { refusedBy: "schema_method", refused: new Error("it has no GetSchema") };

    expect(await found("schema_method", {}, refusal)).toEqual(["tools.t: it has no GetSchema"]);
    expect(await found("schema_required", {}, refusal)).toEqual([]);
    expect(await found("schema_method", {}, { ...refusal, name: "" })).toEqual([
      "tools.(without a name): it has no GetSchema",
    ]);
  });

  test.each<[string, unknown, object, readonly string[]]>([
    ["answers with an envelope", { Successful: true }, {}, []],
    [
      "answers otherwise",
      { Successful: "yes" },
      {},
      ["tools.t.ExecuteAsync: it does not answer with an InvokeResult"],
    ],
    ["throws", new Error("e".repeat(400)), {}, [`tools.t.ExecuteAsync: it throws: ${"e".repeat(289)}`]],
    ["may do harm", "text", { isHarmless: false }, []],
    ["was refused", "text", { info: null }, []],
    ["is not there", "text", { thing: null }, []],
  ])("about a cancelled call of a tool that %s", async (_, answer, more, problems) => {
    const given: unknown[][] = [];
    const thing = {
      ExecuteAsync: async (...all: unknown[]) => {
        given.push(all);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    };
    const { info = {}, ...rest } = more as { info?: object | null };
    expect(await found("cancellation", info, { thing, sample: { a: 1 }, ...rest })).toEqual(problems);
    if (given.length > 0)
      expect(given).toEqual([
        [
          '{"a":1}',
          { SessionId: "trial", UserId: "trial", Request: { ConversationId: "trial" } },
          expect.objectContaining({ aborted: true }),
        ],
      ]);
  });

  test("about blank arguments gives a tool an empty text, and no signal", async () => {
    const given: unknown[][] = [];
    const thing = { ExecuteAsync: async (...all: unknown[]) => (given.push(all), { Successful: false }) };

    expect(await found("blank_arguments", {}, { thing })).toEqual([]);
    expect([given[0]![0], given[0]![2]]).toEqual(["", undefined]);
    await found("cancellation", {}, { thing });
    expect(given[1]![0]).toBe("{}");
  });
});

describe("the log of a tool of Aptix", () => {
  const recorded = () => {
    const { logger, lines } = recordingLogger();
    const said = () => lines.map(({ level, fields, message }) => [level, fields, message]);
    return { said, log: createAptixLogger(logger) };
  };

  test("has an exception by its tag, an error by its message, and a trace", () => {
    const { said, log } = recorded();
    const err = new Error("no");
    log.AddException("[t]", err);
    log.AddError("[t]", "bad");
    log.Trace("step");

    expect(said()).toEqual([
      ["error", { err, tag: "[t]" }, "[t]"],
      ["error", { tag: "[t]" }, "bad"],
      ["trace", {}, "step"],
    ]);
  });

  test.each([
    ["Verbose", "trace"],
    ["trace", "trace"],
    ["DEBUG", "debug"],
    ["info", "info"],
    ["Information", "info"],
    ["Message", "info"],
    ["warn", "warn"],
    ["Warning", "warn"],
    ["Error", "error"],
    ["Critical", "error"],
    ["Other", "info"],
  ])("has an event of the level %s at %s", (level, own) => {
    const { said, log } = recorded();
    log.AddCustomEvent(level, "Ran", "it ran");

    expect(said()).toEqual([[own, { event: "Ran", attributes: [] }, "it ran"]]);
  });

  test.each<[readonly unknown[], readonly (readonly string[])[], number]>([
    [
      [
        ["a", "1"],
        ["b", "2"],
      ],
      [
        ["a", "1"],
        ["b", "2"],
      ],
      0,
    ],
    [
      [[["a", "1"], { Key: "b", Value: "2" }]],
      [
        ["a", "1"],
        ["b", "2"],
      ],
      0,
    ],
    [[{ key: "a", value: "1" }], [["a", "1"]], 0],
    [[["a", "1"]], [["a", "1"]], 0],
    [[[]], [], 0],
    [[["a", 1], ["a", "1", "2"], ["a"], "a", null, { Key: "a" }, { Value: "1" }], [], 7],
  ])("has the pairs of %j, and says how many are left out", (given, attributes, dropped) => {
    const { said, log } = recorded();
    log.AddCustomEvent("info", "Ran", "it ran", ...given);

    expect(said()).toEqual([
      ["info", { event: "Ran", attributes, ...(dropped > 0 && { attributes_dropped: dropped }) }, "it ran"],
    ]);
  });
});
