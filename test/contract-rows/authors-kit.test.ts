import {
  AgentToolRegistry,
  InvokeResult,
  type AgentToolExecutionContext,
  type IAdminLogger,
  type IAgentTool,
} from "@toolmount/interop/aptix";
import type { ModuleCoordinator, Tool, ToolResult as AmplifierResult } from "@toolmount/interop/amplifier";
import type { ToolContext, ToolDefinition, ToolResult as ForgeResult } from "@toolmount/interop/forge";
import { checkToolModule, createTestCoordinator, MockTool, TestCoordinator } from "@toolmount/testing";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";

class GreetTool implements IAgentTool {
  static readonly ToolName: string = "agent_greet";
  static readonly ToolUsageMetadata: string = "Use it when the user asks to be greeted.";
  readonly IsToolFullyExecutedOnServer = true;
  readonly #logger: IAdminLogger;

  constructor(logger: IAdminLogger) {
    this.#logger = logger;
  }

  get Name() {
    return GreetTool.ToolName;
  }

  static GetSchema() {
    const properties = { name: { type: "string", description: "Whom" } };
    return {
      type: "function",
      name: GreetTool.ToolName,
      description: "Greets.",
      parameters: { type: "object", properties, required: ["name"] },
    };
  }

  async ExecuteAsync(
    argumentsJson: string,
    context: AgentToolExecutionContext,
    _cancellationToken?: AbortSignal,
  ): Promise<InvokeResult> {
    try {
      const { name } = JSON.parse(argumentsJson) as { name: string };
      return InvokeResult.Create(
        JSON.stringify({ Message: `Hello, ${name}!`, SessionId: context.SessionId }),
      );
    } catch (error) {
      this.#logger.AddException("[GreetTool_ExecuteAsync__Exception]", error);
      return InvokeResult.FromError<"">("GreetTool failed to process arguments.");
    }
  }
}

const logger = () => ({
  AddException: vi.fn<IAdminLogger["AddException"]>(),
  AddError: vi.fn<IAdminLogger["AddError"]>(),
  AddCustomEvent: vi.fn<IAdminLogger["AddCustomEvent"]>(),
  Trace: vi.fn<IAdminLogger["Trace"]>(),
});
const context = { SessionId: "s", UserId: "u", Request: { ConversationId: "c" } };

describe("APTIX-N73, CARD-8: the tests of an Aptix tool are written with the kit", () => {
  test("the result's JSON, a failure, and what a mock logger gets", async () => {
    const log = logger();
    const tool = new GreetTool(log);
    const said = await tool.ExecuteAsync('{"name":"Ada"}', context);

    expect(JSON.parse(said.Result!)).toEqual({ Message: "Hello, Ada!", SessionId: "s" });
    expect(await tool.ExecuteAsync("{", context)).toMatchObject({ Successful: false });
    expect(log.AddException).toHaveBeenCalledWith(
      "[GreetTool_ExecuteAsync__Exception]",
      expect.any(SyntaxError),
    );
  });

  test("a registry finds a tool by its name, without case, and needs no services", () => {
    const registry = new AgentToolRegistry(logger());
    registry.RegisterTool(GreetTool);

    expect(registry.GetToolNames()).toEqual(["agent_greet"]);
    expect([
      registry.HasTool("Agent_Greet"),
      registry.GetToolType("agent_greet"),
      registry.HasTool("agent_wave"),
    ]).toEqual([true, GreetTool, false]);
  });

  test.each([
    [
      "a class that breaks a rule",
      class extends GreetTool {
        static override readonly ToolName = "Agent.Greet";
      },
      "TOOL_INVALID",
    ],
    [
      "a second class of its name",
      class extends GreetTool {
        static override readonly ToolName = "agent_greet";
        static override readonly ToolUsageMetadata = "Use it.";
      },
      "TOOL_DUPLICATE",
    ],
    ["what is no class of Aptix", {}, "TOOL_INVALID"],
    ["nothing", null, "TOOL_INVALID"],
  ])("a registry refuses %s, and logs it", (_, type, code) => {
    const log = logger();
    const registry = new AgentToolRegistry(log);
    registry.RegisterTool(GreetTool);

    expect(() => registry.RegisterTool(type)).toThrow(expect.objectContaining({ code }));
    expect(log.AddException).toHaveBeenCalledWith(
      "[AgentToolRegistry_RegisterTool__Exception]",
      expect.objectContaining({ code }),
    );
  });
});

const holdings: ToolDefinition<{ account: string }> = {
  name: "get_holdings",
  description: "Use when the user asks what they hold.",
  schema: z.object({ account: z.string() }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  async execute({ account }, { abortSignal }: ToolContext) {
    const fetchedAt = new Date().toISOString();
    return abortSignal.aborted
      ? { tool: "get_holdings", fetchedAt, error: "Request was cancelled" }
      : { tool: "get_holdings", fetchedAt, data: { account } };
  },
};

/** A module as Amplifier's contract writes one. */
async function mount(coordinator: ModuleCoordinator, config: { greeting?: string }) {
  const tool: Tool<{ who: string }> = {
    name: "greet",
    description: "Greets.",
    get_schema: () => ({ type: "object", properties: { who: { type: "string" } } }),
    async execute({ who }): Promise<AmplifierResult> {
      return { success: true, output: `${config.greeting ?? "Hello"} ${who}` };
    },
  };
  coordinator.register_contributor("observability.events", "greet", () => ["greet:started"]);
  coordinator.mount("tools", tool, "my-greet");
  return tool;
}

describe("AMP-N70, CARD-8: the tests of an Amplifier module are written with the kit", () => {
  test.each([
    ["new TestCoordinator()", () => new TestCoordinator()],
    ["createTestCoordinator()", () => createTestCoordinator()],
  ])("%s mounts a module with Amplifier's names", async (_, make) => {
    const coordinator = make();
    const tool = await mount(coordinator, { greeting: "Hi" });

    expect(await tool.execute({ who: "Ada" })).toEqual({ success: true, output: "Hi Ada" });
    expect(coordinator.history).toMatchObject([{ action: "mount", point: "tools", name: "my-greet" }]);
    expect(await coordinator.collect_contributions("observability.events")).toEqual([["greet:started"]]);
    expect((coordinator.get("tools") as Record<string, unknown>)["greet"]).toMatchObject({
      name: "greet",
    });
    expect((await coordinator.host.call({ name: "my-greet", arguments: { who: "Bob" } })).result.data).toBe(
      "Hi Bob",
    );
    expect(coordinator.session_id).toBe("host");
    await coordinator.host.close();
  });

  test("MockTool has Amplifier's names of its members, and ours", async () => {
    const tool = new MockTool({ name: "probe", description: "For tests.", return_value: "mock" });

    expect(await tool.execute({ a: 1 })).toEqual({ success: true, output: "mock", error: null });
    expect([tool.call_count, tool.last_input]).toEqual([1, { a: 1 }]);
    expect([tool.callCount, tool.lastInput]).toEqual([1, { a: 1 }]);
  });

  test("tools of all three contracts can be mounted", async () => {
    const coordinator = createTestCoordinator();
    coordinator.mount("tools", GreetTool);
    coordinator.mount("tools", holdings);

    expect(coordinator.host.tools().map(({ name, origin }) => [name, origin])).toEqual([
      ["agent_greet", "aptix"],
      ["get_holdings", "forge"],
    ]);
    expect((await coordinator.host.call({ name: "agent_greet", arguments: { name: "Ada" } })).status).toBe(
      "ok",
    );
    await coordinator.host.close();
  });
});

test.each([
  ["Aptix", { GreetTool }],
  ["Amplifier", { mount }],
  ["Tool-Forge", { holdings }],
])("a module of %s is checked without naming an extension", async (_, module) => {
  const report = await checkToolModule(module);

  expect(report.verdicts[0]!.findings.map(({ problem }) => problem).join()).not.toContain("not installed");
  expect(report.checks).toBeGreaterThan(20);
});

test("CARD-8: a result of Tool-Forge has either data or an error", () => {
  expectTypeOf<{ tool: string; fetchedAt: string; data: number }>().toExtend<ForgeResult>();
  expectTypeOf<{ tool: string; fetchedAt: string; error: string }>().toExtend<ForgeResult>();
  expectTypeOf<{
    tool: string;
    fetchedAt: string;
    data: number;
    error: string;
  }>().not.toExtend<ForgeResult>();
});
