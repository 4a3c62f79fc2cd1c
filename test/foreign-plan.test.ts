import * as interop from "@toolmount/interop";
import { openHost } from "@toolmount/loader";
import { createWorkspace } from "@toolmount/testing";
import { expect, test } from "vitest";

const plan = `version: 1
tools:
  - module: ./amplifier.js
    config: { greeting: Hello }
  - module: ./aptix.js
  - module: ./forge.js
`;

const amplifier = `
  const heard = [];
  export const __amplifier_module_type__ = "tool";
  export async function mount(coordinator, config) {
    coordinator.register_capability("IGreetingService", { greet: (name) => config.greeting + ", " + name });
    const execute = async () => ({ success: true, output: [coordinator.session_id, ...heard], error: null });
    await coordinator.mount("tools", { name: "who_hears", description: "Returns its session.", execute, input_schema: { type: "object" } }, "who-hears2");
  }
  export async function on_session_ready(coordinator) {
    heard.push([...coordinator.get("tools").keys()].join());
  }
`;

const aptix = `
  class GreetTool {
    static ToolName = "agent_greet";
    static ToolUsageMetadata = "agent_greet: greets by name. Use when asked to.";
    static inject = ["IAdminLogger", "IGreetingService"];
    static GetSchema() {
      const parameters = { type: "object", properties: { name: { type: "string", description: "Whom" } }, required: ["name"] };
      return { type: "function", name: "agent_greet", description: "Greets.", parameters };
    }
    constructor(logger, service) { this.service = service; }
    get Name() { return "agent_greet"; }
    get IsToolFullyExecutedOnServer() { return true; }
    async ExecuteAsync(text) {
      return { Successful: true, Result: JSON.stringify({ Message: this.service.greet(JSON.parse(text).name) }), Errors: [] };
    }
  }
  export async function mount(coordinator, config) {
    coordinator.mount("tools", GreetTool);
  }
`;

const forge = `
  export async function mount(coordinator, config) {
    coordinator.mount("tools", {
      name: "get_weather",
      description: "Returns the weather. Use when asked.",
      schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: async ({ city }, { userId }) => ({ tool: "get_weather", fetchedAt: "2026-01-02T03:04:05Z", data: { city, userId } }),
    });
  }
`;

async function world() {
  const workspace = await createWorkspace({
    "package.json": '{"type":"module"}',
    "plan.yaml": plan,
    "amplifier.js": amplifier,
    "aptix.js": aptix,
    "forge.js": forge,
  });
  const host = await openHost(workspace.path("plan.yaml"), { extensions: { "@toolmount/interop": interop } });
  return { workspace, host };
}

test("AMP-7, AMP-N26: tools of all three contracts mount unchanged from one plan, and interop is loaded automatically", async () => {
  const { workspace, host } = await world();
  const context = { sessionId: "s-1", userId: "u-1" };
  const call = async (name: string, given: object) =>
    (await host.call({ name, arguments: given as never }, context)).result.data;

  expect(host.tools().map(({ name, origin }) => [name, origin])).toEqual([
    ["agent_greet", "aptix"],
    ["get_weather", "forge"],
    ["who_hears", "amplifier"],
  ]);
  expect(await call("agent_greet", { name: "Ada" })).toEqual({ Message: "Hello, Ada" });
  expect(await call("get_weather", { city: "Rome" })).toEqual({ city: "Rome", userId: "u-1" });
  // Ready only once all are mounted, whichever came first.
  expect(await call("who-hears2", {})).toEqual(["s-1", "who_hears,agent_greet,get_weather"]);
  await host.close();
  await workspace.remove();
});

test("a tool with hidden characters is refused, unless its entry has another text for it", async () => {
  const entry = "version: 1\ntools:\n  - module: ./hidden.js\n";
  await using workspace = await createWorkspace({
    "package.json": '{"type":"module"}',
    "hidden.js": forge.replace("Returns the weather.", "Returns the weather.\\u{e0061}"),
    "refused.yaml": entry,
    "described.yaml": `${entry}    tools: { get_weather: { description: Returns the weather. } }\n`,
  });
  const open = (name: string) =>
    openHost(workspace.path(name), { extensions: { "@toolmount/interop": interop } });

  await expect(open("refused.yaml")).rejects.toThrow("tag characters");
  const host = await open("described.yaml");
  expect(host.tools().map(({ name }) => name)).toEqual(["get_weather"]);
  await host.close();
});

test("on_session_ready of an Amplifier module runs after onSessionReady of a native one that the plan names first", async () => {
  const ready: string[] = [];
  const native = (name: string) => ({ mount: () => {}, onSessionReady: async () => void ready.push(name) });
  const foreign = (name: string) => ({
    __amplifier_module_type__: "hook",
    mount: async () => {},
    on_session_ready: async () => void ready.push(name),
  });
  const extensions = {
    "@toolmount/interop": interop,
    a: native("a"),
    b: foreign("b"),
    c: native("c"),
    d: foreign("d"),
  };
  const hooks = [{ module: "@toolmount/interop" }, ...["a", "b", "c", "d"].map((module) => ({ module }))];
  await using host = await openHost({ version: 1, hooks }, { extensions });

  expect(ready).toEqual(["a", "b", "c", "d"]);
  await host.reload();
  expect(ready).toEqual(["a", "b", "c", "d"]);
});

const undeclared = {
  "plan.yaml": `version: 1\ntools:\n  - module: ./keeper.js\nhooks:\n  - module: ./redact.js\n`,
  "keeper.js": `
    const register = (host) => host.register_contributor("observability.events", "keeper", () => ["my:event"]);
    export async function mount(coordinator) {
      register(coordinator);
      const execute = async () => ({ success: true, output: "s3cret of " + coordinator.session_id, error: null });
      await coordinator.mount("tools", { name: "keeper", description: "Returns its session.", execute, input_schema: { type: "object" } });
    }
  `,
  "redact.js": `
    export async function mount({ hooks }) {
      hooks.register("tool:post", async (event, data) => {
        const output = data.result.output.replace("s3cret", "***");
        return { action: "modify", data: { ...data, result: { ...data.result, output } } };
      });
    }
  `,
};

test("Amplifier modules without any declaration work: helpers, kept coordinators, and a hook that redacts", async () => {
  await using workspace = await createWorkspace(undeclared);
  await using host = await openHost(workspace.path("plan.yaml"), {
    extensions: { "@toolmount/interop": interop },
  });

  expect(await host.coordinator.collectContributions("observability.events")).toContainEqual(["my:event"]);
  expect(await host.call({ name: "keeper" }, { sessionId: "s-1" })).toMatchObject({
    status: "ok",
    result: { data: "*** of s-1" },
  });
});

test("a module without a declaration mounts where the adapters are not installed", async () => {
  await using workspace = await createWorkspace({
    "plan.yaml": "version: 1\ntools:\n  - module: ./native.js\n",
    "native.js": "export async function mount(coordinator) { coordinator.registerCapability('mine', 7); }",
  });
  await using host = await openHost(workspace.path("plan.yaml"));

  expect(host.coordinator.getCapability("mine")).toBe(7);
});

/** A file that exports two Aptix classes: a good one, and `second`. */
async function twoClasses(second: string) {
  const good = aptix.replaceAll("agent_greet", "agent_wave").replace("class GreetTool", "class WaveTool");
  const exported = (source: string) =>
    source.slice(0, source.indexOf("export async function mount")).replace("class ", "export class ");
  return createWorkspace({
    "package.json": '{"type":"module"}',
    "plan.yaml": "version: 1\ntools:\n  - module: ./tools.js\n  - module: ./greetings.js\n",
    "tools.js": exported(good) + exported(second),
    "greetings.js":
      'export const mount = (coordinator) => void coordinator.registerCapability("IGreetingService", {});',
  });
}

test("an Aptix class without a ToolName beside a good one is refused by name", async () => {
  await using workspace = await twoClasses(aptix.replace('static ToolName = "agent_greet";', ""));
  const opening = openHost(workspace.path("plan.yaml"), { extensions: { "@toolmount/interop": interop } });

  await expect(opening).rejects.toThrow(/GreetTool.*no static ToolName/s);
});

test("an Aptix class whose ExecuteAsync is a field is mounted beside a good one", async () => {
  await using workspace = await twoClasses(
    aptix.replace("async ExecuteAsync(text) {", "ExecuteAsync = async (text) => {"),
  );
  await using host = await openHost(workspace.path("plan.yaml"), {
    extensions: { "@toolmount/interop": interop },
  });

  expect(host.tools().map(({ name }) => name)).toEqual(["agent_greet", "agent_wave"]);
});

test("a file that only exports a definition without requiresConfirmation is never run without asking", async () => {
  const definition = `{ name: "drop_all", description: "Deletes all. Use never.", category: "delete", consequenceLevel: "high",
    schema: z.object({}), execute: async () => { throw new Error("it ran") } }`;
  await using space = await createWorkspace({
    "mount-plan.yaml": "version: 1\ntools:\n  - module: ./drop.js\n",
    "drop.js": `import { z } from "${import.meta.resolve("zod")}"; export const dropAll = ${definition};`,
  });
  await using host = await openHost(space.path("mount-plan.yaml"), {
    extensions: { "@toolmount/interop": interop },
  });

  expect(host.tools()).toMatchObject([{ name: "drop_all", origin: "forge", requiresConfirmation: true }]);
  expect((await host.call({ name: "drop_all", arguments: {} })).status).toBe("denied");
});

test.each([
  ["its own file, known by its SDK", { name: "kit", dependencies: { "@modelcontextprotocol/sdk": "1" } }],
  ["a bundle, known by its name", { name: "kit-mcp" }],
])(
  "a server of MCP in %s is refused with the line that mounts it, and none of its functions is called",
  async (...row) => {
    const manifest = { ...row[1], version: "1.0.0", type: "module", exports: "./index.js" };
    await using space = await createWorkspace({
      "plan.yaml": `version: 1\ntools:\n  - module: npm:${manifest.name}\n`,
      [`node_modules/${manifest.name}/package.json`]: JSON.stringify({
        ...manifest,
        bin: { "run-kit": "./mcp.js" },
      }),
      [`node_modules/${manifest.name}/index.js`]:
        "export const about = {}; export const runServer = () => { globalThis.hasRun = true; };",
    });

    const line = "source: { mcp: { command: npx, args: [--no, run-kit] } }";
    await expect(
      openHost(space.path("plan.yaml"), { extensions: { "@toolmount/interop": interop } }),
    ).rejects.toThrow(
      `it exports no tool, but is a server of MCP, a program; write ${line} in the plan's entry`,
    );
    expect(globalThis).not.toHaveProperty("hasRun");
  },
);
