import { ToolInterrupt } from "@toolmount/core";
import { InvokeResult, toInvokeResult } from "@toolmount/interop";
import { describe, expect, test } from "vitest";
import { GreetTool } from "../support/greet-tool.ts";
import { hostWithAdapters } from "../support/world.ts";

const context = { sessionId: "s-1", conversationId: "c-1", userId: "u-1" };

async function greeted(service: unknown = { greet: (name: string) => `Hello, ${name}!` }) {
  const world = await hostWithAdapters();
  if (service !== null) world.host.coordinator.registerCapability("IGreetingService", service);
  world.host.coordinator.mount("tools", GreetTool);
  return world;
}

test("APTIX-1, APTIX-2, APTIX-3, APTIX-13, APTIX-18: a class is made with its services, mounted, and called by its name", async () => {
  const { host, lines } = await greeted();
  const outcome = await host.call({ name: "agent_greet", arguments: '{"name":"Ada"}' }, context);

  expect(outcome).toMatchObject({
    status: "ok",
    result: { tool: "agent_greet", data: { Message: "Hello, Ada!" } },
  });
  expect(lines.find(({ level }) => level === "info")).toMatchObject({
    fields: {
      event: "GreetTool.ExecuteAsync",
      attributes: [
        ["Name", "Ada"],
        ["SessionId", "s-1"],
      ],
    },
  });
});

test("APTIX-73, APTIX-58, APTIX-59: schema, description and usage text are read from the class and listed as they are", async () => {
  const { host } = await greeted();

  expect(host.tools()).toMatchObject([
    {
      name: "agent_greet",
      usage: GreetTool.ToolUsageMetadata,
      inputSchema: { type: "object", required: ["name"] },
      origin: "aptix",
      execution: "server",
    },
  ]);
});

test("APTIX-108, APTIX-79: a tool is registered with a logger alone; the missing service is warned of and null", async () => {
  const { host, lines } = await greeted(null);

  expect(lines.filter(({ message }) => message.includes("service"))).toMatchObject([
    { fields: { service: "IGreetingService" } },
  ]);
  expect(await host.call({ name: "agent_greet", arguments: { name: "Ada" } })).toMatchObject({
    status: "failed",
    result: { error: "GreetTool failed to find its service." },
  });
});

test("APTIX-23, APTIX-33: the tool gets the text that the model wrote", async () => {
  const { host } = await hostWithAdapters();
  const tool = new GreetTool({ AddCustomEvent: () => {} } as never, { greet: () => "Hi" });
  host.coordinator.mount("tools", tool as never);
  const text = ' { "name" : "Ada", "polite": true }\n';
  await host.call({ name: "agent_greet", arguments: text });

  expect(tool.heard).toEqual([text]);
});

test("APTIX-28, C12: null for an optional field is absent and takes its default; then the tool gets what the arguments became", async () => {
  const { host } = await hostWithAdapters();
  const tool = new GreetTool({ AddCustomEvent: () => {} } as never, { greet: () => "Hi" });
  host.coordinator.mount("tools", tool as never);
  await host.call({ name: "agent_greet", arguments: '{"name":"Ada","polite":null,"times":null}' });

  expect(tool.heard.map((text) => JSON.parse(text) as unknown)).toEqual([{ name: "Ada", polite: false }]);
});

test("APTIX-24: blank arguments are an empty object for the host; called directly the class answers in its own words", async () => {
  const { host } = await greeted();
  const tool = new GreetTool({} as never, null);

  expect(await host.call({ name: "agent_greet", arguments: "  " })).toMatchObject({
    status: "invalid",
    result: { error: '"name" is required' },
  });
  expect(await tool.ExecuteAsync("", {} as never)).toMatchObject({
    Successful: false,
    ErrorMessage: "GreetTool requires a non-empty arguments object.",
  });
});

test.each(["{", "[]", '"x"', '{"name":7}', '{"name":null}', '{"name":"A","times":1.5}'])(
  "APTIX-27, APTIX-29, APTIX-30, APTIX-31, APTIX-32: %s is a failed result with a reason, and the tool does not run",
  async (text) => {
    const { host, lines } = await greeted();
    const outcome = await host.call({ name: "agent_greet", arguments: text });

    expect(outcome).toMatchObject({ status: "invalid", result: { code: "INVALID_ARGUMENTS" } });
    expect(outcome.result.error).not.toBe("");
    expect(lines.some(({ level }) => level === "info")).toBe(false);
  },
);

test("APTIX-42, APTIX-43, APTIX-44: a tool's own failure reaches the caller with its message and code", async () => {
  const { host } = await greeted();

  expect(await host.call({ name: "agent_greet", arguments: { name: " " } })).toMatchObject({
    status: "failed",
    result: { error: "GreetTool requires a non-empty 'name' string.", code: "NAME_MISSING" },
  });
});

test("APTIX-38, APTIX-39, APTIX-40, APTIX-46: what is thrown is logged under the class's tag and answered without its words", async () => {
  const secret = "password=hunter2sekrit at /srv/app/tool.js";
  const { host, lines } = await greeted({ greet: () => Promise.reject(new Error(secret)) });
  const outcome = await host.call({ name: "agent_greet", arguments: { name: "Ada" } });

  expect(outcome).toMatchObject({
    status: "failed",
    result: { error: "GreetTool failed to process arguments.", code: "TOOL_FAILED" },
  });
  expect(JSON.stringify(outcome)).not.toContain("hunter2");
  const logged = lines.find(({ level }) => level === "error");
  expect(logged?.message).toContain("[GreetTool_ExecuteAsync__Exception]");
  expect(logged?.fields["err"]).toMatchObject({ message: secret });
});

test("APTIX-74, APTIX-70: a usage text that leaves out an argument of its schema is reported when the tool is mounted", async () => {
  const { lines } = await greeted();

  expect(lines.filter(({ message }) => message.includes("leaves out arguments"))).toMatchObject([
    { level: "warn", fields: { tool: "agent_greet", arguments: ["times"] } },
  ]);
});

test.each(["ALREADY_IN_CONTEXT", "NOT_FOUND", "INVALID_ARGUMENT", "INTERNAL_ERROR"])(
  "APTIX-N29: the domain error %s keeps its code, and all messages are kept",
  async (code) => {
    const Tool = having({}) as { prototype: { ExecuteAsync: unknown } };
    const Errors = [{ Message: "first", ErrorCode: code }, { Message: "second" }];
    Tool.prototype.ExecuteAsync = () => Promise.resolve({ Successful: false, Result: null, Errors });
    const { host } = await hostWithAdapters();
    host.coordinator.mount("tools", Tool as never);

    expect((await host.call({ name: "agent_greet", arguments: { name: "Ada" } })).result).toMatchObject({
      error: "first; second",
      code,
      details: { Errors: [{ Message: "first" }, { Message: "second" }] },
    });
  },
);

test("FORGE-24: an interrupt that an Aptix tool throws reaches the caller", async () => {
  const interrupt = new ToolInterrupt("sure?");
  const { host } = await greeted({ greet: () => Promise.reject(interrupt) });

  await expect(host.call({ name: "agent_greet", arguments: { name: "Ada" } })).rejects.toBe(interrupt);
});

test("APTIX-N5, APTIX-48, APTIX-49, APTIX-50, APTIX-51: the token reaches the tool; a cancelled call is a successful envelope that says so", async () => {
  const caller = new AbortController();
  const service = {
    greet: () =>
      new Promise<string>((resolve) => {
        caller.signal.addEventListener("abort", () => resolve("late but here"));
        caller.abort();
      }),
  };
  const { host } = await greeted(service);
  const [info] = host.tools();
  const during = await host.call(
    { name: "agent_greet", arguments: { name: "Ada" } },
    { ...context, abortSignal: caller.signal },
  );
  const before = await host.call(
    { name: "agent_greet", arguments: { name: "Ada" } },
    { ...context, abortSignal: AbortSignal.abort() },
  );

  expect(during).toMatchObject({ status: "ok", cancelled: { reason: "Request was cancelled" } });
  expect(before.status).toBe("cancelled");
  const envelope = toInvokeResult(before, info);
  expect(envelope).toMatchObject({ Successful: true, Errors: [], ErrorMessage: null });
  expect(JSON.parse(envelope.Result!)).toMatchObject({
    WasCancelled: true,
    SessionId: "s-1",
    ConversationId: "c-1",
  });
});

test("APTIX-20, APTIX-N2: a tool that does not run on the server is offered as one that the client runs", async () => {
  class ClientTool extends GreetTool {
    static override readonly ToolName = "agent_greet";
    static override readonly ToolUsageMetadata = GreetTool.ToolUsageMetadata;
    override get IsToolFullyExecutedOnServer() {
      return false;
    }
  }
  const { host } = await hostWithAdapters();
  host.coordinator.mount("tools", ClientTool);

  expect(host.tools()).toMatchObject([{ execution: "client" }]);
});

describe("APTIX-10, APTIX-11: a malformed tool is logged and refused", () => {
  test.each<{ title: string; rule: string; Tool: unknown }>([
    { title: "APTIX-4: no ToolName", rule: "tool_name_constant", Tool: without("ToolName") },
    { title: "APTIX-4: an empty ToolName", rule: "tool_name_constant", Tool: having({ ToolName: "" }) },
    {
      title: "APTIX-5, APTIX-75: no ToolUsageMetadata",
      rule: "usage_constant",
      Tool: without("ToolUsageMetadata"),
    },
    {
      title: "APTIX-5, APTIX-75: a blank ToolUsageMetadata",
      rule: "usage_constant",
      Tool: having({ ToolUsageMetadata: " \n" }),
    },
    { title: "APTIX-6: a computed ToolName", rule: "tool_name_constant", Tool: computing("ToolName") },
    {
      title: "APTIX-6: a computed ToolUsageMetadata",
      rule: "usage_constant",
      Tool: computing("ToolUsageMetadata"),
    },
    { title: "APTIX-7: a name with a dot", rule: "name_grammar", Tool: having({ ToolName: "agent.greet" }) },
    {
      title: "APTIX-16: a name in capitals",
      rule: "name_snake_case",
      Tool: having({ ToolName: "Agent_Greet" }),
    },
    { title: "APTIX-8, APTIX-17: another Name", rule: "names_agree", Tool: naming("agent_greets") },
    { title: "APTIX-9: no GetSchema", rule: "schema_method", Tool: having({ GetSchema: undefined }) },
    {
      title: "APTIX-9: a GetSchema that takes something",
      rule: "schema_method",
      Tool: having({ GetSchema: (one: unknown) => one }),
    },
    {
      title: "APTIX-9: a GetSchema that throws",
      rule: "schema_method",
      Tool: having({
        GetSchema: () => {
          throw new Error("no");
        },
      }),
    },
    { title: "APTIX-52: a bare schema", rule: "schema_method", Tool: schema({ type: "object" }) },
    {
      title: "APTIX-17: a schema of another name",
      rule: "names_agree",
      Tool: schema({ ...GreetTool.GetSchema(), name: "other" }),
    },
    {
      title: "APTIX-52: no required",
      rule: "schema_required",
      Tool: schema({ ...GreetTool.GetSchema(), parameters: { type: "object", properties: {} } }),
    },
    {
      title: "APTIX-52: parameters of another type",
      rule: "schema_envelope",
      Tool: schema({ ...GreetTool.GetSchema(), parameters: { type: "array" } }),
    },
  ])("$title", async ({ Tool, rule }) => {
    const { host, lines } = await hostWithAdapters();

    expect(() => host.coordinator.mount("tools", Tool as never)).toThrow(
      expect.objectContaining({
        code: "TOOL_INVALID",
        details: expect.objectContaining({ rule }) as unknown,
      }),
    );
    expect(lines.filter(({ level }) => level === "error")).toHaveLength(1);
    expect(host.tools()).toEqual([]);
  });

  test("APTIX-12, APTIX-15: a second tool of the same name", async () => {
    const { host, lines } = await greeted();

    expect(() => host.coordinator.mount("tools", GreetTool as never)).toThrow(
      expect.objectContaining({ code: "TOOL_DUPLICATE" }),
    );
    expect(lines.filter(({ level }) => level === "error")).toHaveLength(1);
    expect(host.tools()).toHaveLength(1);
  });
});

/** A copy of the class with other statics. */
function having(statics: Record<string, unknown>): unknown {
  const Copy = class extends GreetTool {};
  const members = {
    ToolName: GreetTool.ToolName,
    ToolUsageMetadata: GreetTool.ToolUsageMetadata,
    ...statics,
  };
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(Copy, name, { value, configurable: true });
  return Copy;
}

function without(name: string): unknown {
  const Copy = having({}) as Record<string, unknown>;
  return Reflect.deleteProperty(Copy, name) ? Copy : null;
}

function computing(name: "ToolName" | "ToolUsageMetadata"): unknown {
  return Object.defineProperty(having({}) as object, name, { get: () => GreetTool[name] });
}

function naming(name: string): unknown {
  const Copy = having({}) as { prototype: object };
  Object.defineProperty(Copy.prototype, "Name", { value: name });
  return Copy;
}

function schema(given: unknown): unknown {
  return having({ GetSchema: () => given });
}

test.each([
  { title: "no envelope", answer: { ok: true }, rule: "Successful" },
  { title: "nothing", answer: undefined, rule: "InvokeResult" },
  {
    title: "a success with errors",
    answer: { Successful: true, Result: "{}", Errors: [{ Message: "no" }] },
    rule: "no Errors",
  },
  {
    title: "a payload that is not JSON",
    answer: InvokeResult.Create("{'result':'ok'}"),
    rule: "not valid JSON",
  },
  { title: "a payload that is an object", answer: { Successful: true, Result: { a: 1 } }, rule: "JSON text" },
])("APTIX-34, APTIX-47: $title breaks the contract, and the rule is named", async ({ answer, rule }) => {
  const Tool = having({}) as { prototype: { ExecuteAsync: unknown } };
  Tool.prototype.ExecuteAsync = () => Promise.resolve(answer);
  const { host } = await hostWithAdapters();
  host.coordinator.mount("tools", Tool as never);
  const outcome = await host.call({ name: "agent_greet", arguments: { name: "Ada" } });

  expect(outcome).toMatchObject({ status: "unknown", result: { code: "CONTRACT_VIOLATION" } });
  expect(outcome.result.error).toContain(rule);
});

test("APTIX-41: attributes that are no ordered list of pairs are left out of a custom event, and that is reported", async () => {
  const { host, lines } = await hostWithAdapters();
  class Logs extends GreetTool {
    static override readonly ToolName = "agent_greet";
    static override readonly ToolUsageMetadata = GreetTool.ToolUsageMetadata;
    constructor(logger: never) {
      super(logger, null);
      const log = logger as { AddCustomEvent(...parameters: unknown[]): void };
      log.AddCustomEvent("Error", "Event", "text", { Name: "a dictionary" }, ["b", "2"], ["a", "1"]);
    }
  }
  host.coordinator.mount("tools", Logs);

  expect(lines.find(({ fields }) => fields["event"] === "Event")).toEqual({
    level: "error",
    message: "text",
    fields: {
      event: "Event",
      attributes: [
        ["b", "2"],
        ["a", "1"],
      ],
      attributes_dropped: 1,
    },
  });
});
