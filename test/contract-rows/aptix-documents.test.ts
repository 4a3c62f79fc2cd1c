import { aptixProfile } from "@toolmount/interop";
import { InvokeResult, type IAdminLogger, type IAgentTool } from "@toolmount/interop/aptix";
import { checkToolModule, createTestCoordinator } from "@toolmount/testing";
import { describe, expect, test } from "vitest";

interface Example {
  readonly name: string;
  readonly usage: string;
  readonly properties: Readonly<Record<string, { readonly type: string; readonly description: string }>>;
  readonly answer: (given: Readonly<Record<string, unknown>>) => InvokeResult;
}

const text = (description: string) => ({ type: "string", description });
const success = (value: object) => InvokeResult.Create(JSON.stringify(value));

/** The examples of the documents, with usage texts as short as theirs: none has to name its arguments. */
const examples: readonly Example[] = [
  {
    name: "agent_hello_world",
    usage: "Creates a greeting. Call it when the user asks to be greeted.",
    properties: { Name: text("Whom") },
    answer: ({ Name }) => success({ Message: `Hello, ${String(Name)}!` }),
  },
  {
    name: "testing_ping_pong",
    usage: "testing_ping_pong — Usage Guide: echoes a text. Safe to call often.",
    properties: { message: text("Any text") },
    answer: ({ message }) => success({ reply: message }),
  },
  {
    name: "testing_calculator",
    usage: "Adds numbers exactly. Use it for arithmetic.",
    properties: {
      a: { type: "number", description: "One" },
      b: { type: "number", description: "The other" },
    },
    answer: ({ a, b }) => success({ result: Number(a) + Number(b) }),
  },
  {
    name: "testing_delay",
    usage: "Waits. Use it only to test a cancellation.",
    properties: { ms: { type: "integer", description: "Milliseconds" } },
    answer: ({ ms }) => success({ waited: ms }),
  },
  {
    name: "testing_failure_injection",
    usage: "Fails on purpose. Use it only in tests.",
    properties: { payload: text("Logged") },
    answer: () => InvokeResult.FromError("Intentional failure."),
  },
  {
    name: "agent_list_modes",
    usage: "Call this tool when the user asks which modes there are.",
    properties: { includeExamples: { type: "boolean", description: "Whether with examples" } },
    answer: () => success({ modes: [{ key: "general" }] }),
  },
];

/** The class of an example, whose constructor takes a logger and says nothing else about it. */
function classOf({ name, usage, properties, answer }: Example) {
  return class implements IAgentTool {
    static readonly ToolName = name;
    static readonly ToolUsageMetadata = usage;
    readonly IsToolFullyExecutedOnServer = true;
    readonly Name = name;
    readonly #logger: IAdminLogger;

    constructor(logger: IAdminLogger) {
      this.#logger = logger;
    }

    static GetSchema() {
      const parameters = { type: "object", properties, required: [] };
      return { type: "function", name, description: `${usage} As in the documents.`, parameters };
    }

    async ExecuteAsync(argumentsJson: string) {
      try {
        return answer(JSON.parse(argumentsJson || "{}") as Readonly<Record<string, unknown>>);
      } catch (error) {
        this.#logger.AddException(`[${name}_ExecuteAsync__Exception]`, error);
        return InvokeResult.FromError("The arguments could not be processed.");
      }
    }
  };
}

describe("APTIX-N72: the examples that the documents call compliant are compliant", () => {
  test.each(examples)("$name", async (example) => {
    const report = await checkToolModule({ Tool: classOf(example) }, { profiles: [aptixProfile] });
    const errors = report.verdicts.flatMap(({ findings }) =>
      findings.filter(({ severity }) => severity === "error"),
    );

    expect(errors).toEqual([]);
    expect(report.verdicts.map(({ profile, passed }) => [profile, passed])).toEqual([
      ["core", true],
      ["aptix", true],
    ]);
  });
});

test("APTIX-N75: repeated calls with the same catalog give the same answer", async () => {
  const coordinator = createTestCoordinator();
  coordinator.mount("tools", classOf(examples.at(-1)!));
  const answers = [1, 2, 3].map(
    async () => (await coordinator.host.call({ name: "agent_list_modes" })).result.data,
  );

  expect(new Set((await Promise.all(answers)).map((answer) => JSON.stringify(answer)))).toEqual(
    new Set(['{"modes":[{"key":"general"}]}']),
  );
  await coordinator.host.close();
});
