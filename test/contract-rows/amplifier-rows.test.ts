import { data, type Coordinator, type ToolOutcome } from "@toolmount/core";
import { toAmplifierResult } from "@toolmount/interop";
import { createTestCoordinator, MockTool } from "@toolmount/testing";
import { describe, expect, test } from "vitest";
import { amplifierSource, native, opened, refused } from "../support/decisions-world.ts";

const plan = "version: 1\ntools:\n  - module: ./tool.js\n";

describe("AMP-10, AMP-19: a call of an Amplifier tool ends in a ToolResult, and a failure emits tool:error", () => {
  const rows: [title: string, body: string, status: ToolOutcome["status"], more?: string][] = [
    ["a success", 'return { success: true, output: "hi", error: null };', "ok"],
    ["a failure", 'return { success: false, output: null, error: { message: "no" } };', "failed"],
    ["a failure without words", "return { success: false };", "failed"],
    ["a throw", 'throw new Error("boom");', "failed"],
    ["a rejection", 'return Promise.reject(new TypeError("boom"));', "failed"],
    ["a thrown text", 'throw "boom";', "failed"],
    ["nothing", "return undefined;", "unknown"],
    ["a number", "return 7;", "unknown"],
    ["a success with an error", 'return { success: true, error: { message: "no" } };', "unknown"],
    ["a success that is a text", 'return { success: "yes" };', "unknown"],
    ["an answer that never comes", "return new Promise(() => {});", "timed_out"],
  ];

  test.each(rows)("AMP-10, AMP-19: %s", async (_, body, status) => {
    const limited = plan.replace("./tool.js", "./tool.js\n    limits: { timeout: 50 }");
    const { host, events } = await opened(limited, {}, { files: { "tool.js": amplifierSource(body) } });
    const outcome = await host.call({ name: "probe" });
    const result = toAmplifierResult(outcome);
    const ends = events.events.filter(({ event }) => event === "tool:error" || event === "tool:post");

    expect(outcome.status).toBe(status);
    expect(result).toEqual({
      success: status === "ok",
      output: expect.anything() as unknown,
      error:
        status === "ok"
          ? null
          : (expect.objectContaining({ message: expect.any(String) as string }) as object),
    });
    expect(ends.map(({ event }) => event)).toEqual([status === "ok" ? "tool:post" : "tool:error"]);
    if (status !== "ok")
      expect(ends[0]!.data).toMatchObject({ tool_name: "probe", error: expect.anything() as unknown });
  });
});

test("AMP-22: a test coordinator mounts a MockTool made from name, description and return value, and its calls are seen", async () => {
  const coordinator = createTestCoordinator();
  const tool = new MockTool({ name: "mock", description: "A mock. Use in tests.", returnValue: { a: 1 } });
  coordinator.mount("tools", tool);
  const outcome = await coordinator.host.call({ name: "mock", arguments: { at: "here" } });
  await coordinator.host.close();

  expect(coordinator.host.tools()).toEqual([]);
  expect(coordinator.history).toContainEqual(
    expect.objectContaining({ action: "mount", point: "tools", name: "mock" }),
  );
  expect(outcome).toMatchObject({ status: "ok", result: { data: { a: 1 } } });
  expect([tool.description, tool.callCount, tool.lastInput]).toEqual([
    "A mock. Use in tests.",
    1,
    { at: "here" },
  ]);
});

describe("AMP-N14: of an Amplifier plan", () => {
  const whole = `
session: { orchestrator: loop, context: { module: ctx, source: ./context.js } }
providers: [{ module: provider-broken, source: ./broken.js }]
tools: [{ module: mine, source: ./broken.js }, { module: good, source: ./good.js }]
hooks: [{ module: watcher, source: ./broken.js }]
`;
  const nothing = "export async function mount() {}";
  const broken = 'export async function mount() { throw new Error("cannot start"); }';
  const good = amplifierSource('return { success: true, output: "hi", error: null };');
  const files = { "context.js": nothing, "broken.js": broken, "good.js": good };
  const reasoner = { mount: async () => {} };

  test("AMP-N14: tools and hooks that fail are logged and skipped, and the others run", async () => {
    const { host, lines } = await opened(whole, { "@toolmount/reasoner": reasoner }, { files });
    const failed = host.status().entries.filter(({ state }) => state === "failed");

    expect(failed.map(({ id }) => id)).toEqual(expect.arrayContaining(["mine", "watcher"]));
    for (const { id } of failed)
      expect([
        id,
        lines.some(
          ({ level, fields, message }) => level !== "info" && JSON.stringify([fields, message]).includes(id),
        ),
      ]).toEqual([id, true]);
    expect((await host.call({ name: "probe" })).status).toBe("ok");
  });

  test("AMP-N14: a context that fails keeps the plan from opening", async () => {
    const options = { files: { ...files, "context.js": broken } };

    expect((await refused(whole, { "@toolmount/reasoner": reasoner }, options)).problems).toMatchObject([
      { code: "MODULE_MOUNT_FAILED" },
    ]);
  });

  test("AMP-N14: so does an orchestrator", async () => {
    const failing = {
      mount: async () => {
        throw new Error("cannot start");
      },
    };

    expect((await refused(whole, { "@toolmount/reasoner": failing }, { files })).problems).toMatchObject([
      { code: "MODULE_MOUNT_FAILED" },
    ]);
  });
});

describe("AMP-N20: without a resolver", () => {
  const installed = (name: string) => ({
    [`node_modules/${name}/package.json`]: JSON.stringify({
      name,
      version: "1.0.0",
      type: "module",
      exports: "./index.js",
    }),
    [`node_modules/${name}/index.js`]: amplifierSource('return { success: true, output: "installed" };'),
  });
  const folder = { "notes/index.js": amplifierSource('return { success: true, output: "folder" };') };
  const answer = async (text: string, files: Readonly<Record<string, string>>) => {
    const { host } = await opened(text, {}, { files });
    return (await host.call({ name: "probe" })).result.data;
  };

  test("AMP-N20: a name is an installed package by convention, before a folder of that name", async () => {
    const both = { ...installed("toolmount-tool-notes"), ...folder };

    expect(await answer("version: 1\ntools: [{ module: notes }]\n", both)).toBe("installed");
  });

  test("AMP-N20: a folder mounts by its path, with its index or its package", async () => {
    expect(await answer("version: 1\ntools: [{ module: ./notes }]\n", folder)).toBe("folder");
  });

  test("AMP-N20: a name that is neither is reported with the names that were tried", async () => {
    const { problems } = await refused("version: 1\ntools: [{ module: notes }]\n", {}, { files: folder });

    expect(problems).toMatchObject([{ code: "SOURCE_NOT_FOUND" }]);
    expect(JSON.stringify(problems)).toContain("toolmount-tool-notes");
  });
});

describe("AMP-N44: channels and capabilities of both forms of names", () => {
  const names = ["observability.events", "capabilities.catalog", "session.metadata", "my-bundle:secret"];

  test("AMP-N44: a native module reads what an Amplifier module gave under each name, and the other way round", async () => {
    const seen: unknown[] = [];
    const amplifier = `
export const __amplifier_module_type__ = "tool";
export async function mount(coordinator) {
  for (const name of ${JSON.stringify(names)}) {
    coordinator.register_contributor(name, "amp", () => ["of " + name]);
    coordinator.register_capability(name, "capability " + name);
  }
}
export async function on_session_ready(coordinator) {
  for (const name of ${JSON.stringify(names)})
    globalThis.ampN44Seen.push([await coordinator.collect_contributions(name), coordinator.get_capability("native " + name)]);
}
`;
    (globalThis as { ampN44Seen?: unknown[] }).ampN44Seen = seen;
    const nativeModule = {
      mount(coordinator: Coordinator) {
        coordinator.mount(
          "tools",
          native(() => data(1)),
        );
        for (const name of names) {
          coordinator.registerContributor(name, "native", () => "native");
          coordinator.registerCapability(`native ${name}`, name);
        }
      },
    };
    const text = "version: 1\ntools: [{ module: m }, { module: ./amp.js }]\n";
    const { host } = await opened(text, { m: nativeModule }, { files: { "amp.js": amplifier } });

    for (const name of names) {
      expect(await host.coordinator.collectContributions(name)).toEqual(["native", [`of ${name}`]]);
      expect(host.coordinator.getCapability(name)).toBe(`capability ${name}`);
    }
    expect(seen).toEqual(names.map((name) => [["native", [`of ${name}`]], name]));
  });
});
