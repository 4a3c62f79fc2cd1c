import { data, type Coordinator } from "@toolmount/core";
import * as reasonerModule from "@toolmount/reasoner";
import { checkToolModule } from "@toolmount/testing";
import { describe, expect, test } from "vitest";
import { amplifierSource, native, opened } from "../support/decisions-world.ts";

const plan = "version: 1\ntools:\n  - module: ./tool.js\n";

describe("AMP-N8: a plan's bounds of what hooks inject", () => {
  const hook = `export const __amplifier_module_type__ = "hook";
export async function mount(coordinator) {
  globalThis.ampN8 = coordinator;
  await coordinator.mount("context", { messages: [], async add_message(one) { this.messages.push(one); }, async get_messages() { return this.messages; } });
}
`;
  const text = (bounds: string) =>
    `session:\n  orchestrator: { module: loop-basic, config: { model: m, base_url: "http://127.0.0.1:9/v1" } }\n  context: context-simple\n${bounds}hooks:\n  - module: ./hook.js\n    required: true\n`;
  const inject = async (bounds: string, length: number) => {
    const world = await opened(
      text(bounds),
      { "@toolmount/reasoner": reasonerModule },
      { files: { "hook.js": hook }, env: { OPENAI_API_KEY: "k" } },
    );
    const coordinator = (
      globalThis as unknown as { ampN8: { process_hook_result(...given: unknown[]): Promise<unknown> } }
    ).ampN8;
    const result = await coordinator
      .process_hook_result({ context_injection: "x".repeat(length) }, "tool:post", "h")
      .catch((error: unknown) => error);
    return { result, lines: world.lines };
  };

  test("AMP-N8: injection_size_limit refuses a longer text, and a plan without it takes one", async () => {
    const limited = await inject("  injection_size_limit: 100\n", 101);
    const free = await inject("", 101);

    expect(limited.result).toMatchObject({ code: "OPTION_INVALID" });
    expect(free.result).toMatchObject({ context_injection: "x".repeat(101) });
  });

  test("AMP-N8: injection_budget_per_turn warns of more tokens", async () => {
    const { result, lines } = await inject("  injection_budget_per_turn: 10\n", 80);

    expect(result).toMatchObject({ context_injection: "x".repeat(80) });
    expect(lines.filter(({ message }) => message.includes("budget"))).toMatchObject([
      { level: "warn", fields: { budget: 10 } },
    ]);
  });
});

describe("AMP-N23: the type of a module", () => {
  test.each(["tool", "hook", "provider", "context", "orchestrator", "resolver"])(
    "AMP-N23: the declared type %s mounts",
    async (type) => {
      const source = amplifierSource("return { success: true };").replace('= "tool"', `= "${type}"`);
      const { host } = await opened(plan, {}, { files: { "tool.js": source } });

      expect((await host.call({ name: "probe" })).status).toBe("ok");
    },
  );

  test.each(["loop-mine", "hooks-mine", "provider-mine", "context-mine", "anything"])(
    "AMP-N23: a module named %s that declares no type mounts whatever it gives: its name decides nothing",
    async (name) => {
      const source = amplifierSource("return { success: true };").replace(/export const .*\n/, "");
      const text = `version: 1\ntools:\n  - module: ${name}\n    source: ./tool.js\n`;
      const { host } = await opened(text, {}, { files: { "tool.js": source } });

      expect((await host.call({ name: "probe" })).status).toBe("ok");
    },
  );
});

test("AMP-N27: cleanups run in reverse order with no arguments, and an error that is not ordinary stops none of them", async () => {
  const ran: unknown[][] = [];
  Object.assign(globalThis, { ampN27: ran });
  const before = `coordinator.register_cleanup((...given) => void globalThis.ampN27.push(["first", ...given]));
  coordinator.register_cleanup(7);
  coordinator.register_cleanup(async (...given) => { globalThis.ampN27.push(["second", ...given]); throw "not an error"; });
  coordinator.register_cleanup((...given) => { globalThis.ampN27.push(["third", ...given]); throw new Error("third"); });`;
  const { host } = await opened(plan, {}, { files: { "tool.js": amplifierSource("return {};", before) } });
  const { failures } = await host.close();

  expect(ran).toEqual([["third"], ["second"], ["first"]]);
  expect(failures).toHaveLength(2);
});

test("AMP-N45: the well-known capabilities are found by their names, an absent one is null, and each host has its own", async () => {
  const wellKnown = [
    "session.spawn",
    "session.resume",
    "session.working_dir",
    "mention_resolver",
    "approval.register_provider",
    "model_role_resolver",
  ];
  const before = `coordinator.register_capability("mention_resolver", { of: config.mark });
  globalThis.ampN45 = ${JSON.stringify(wellKnown)}.map((name) => coordinator.get_capability(name));`;
  const files = { "tool.js": amplifierSource("return {};", before) };
  const agent = { model: "m", baseUrl: "http://127.0.0.1:9/v1" };
  const text = `version: 1\nagent: ${JSON.stringify(agent)}\ntools:\n  - module: ./tool.js\n    config: { mark: one }\n`;
  const first = await opened(text, { "@toolmount/reasoner": reasonerModule }, { files });
  const seen = (globalThis as unknown as { ampN45: unknown[] }).ampN45;
  await opened(text.replace("mark: one", "mark: two"), { "@toolmount/reasoner": reasonerModule }, { files });

  expect(seen.map((value) => (typeof value === "string" ? "text" : typeof value))).toEqual([
    "function",
    "function",
    "text",
    "object",
    "object",
    "object",
  ]);
  expect(seen.slice(2)).toEqual([first.workspace.path("."), { of: "one" }, null, null]);
  expect(first.host.coordinator.getCapability("mention_resolver")).toEqual({ of: "one" });
});

test("AMP-N57: validation mounts with the config that it is given, into a coordinator of its own, and runs both kinds of cleanup", async () => {
  const seen: unknown[] = [];
  const module = {
    mount: async (coordinator: Coordinator, settings: object) => {
      seen.push(["mounted", { ...settings }]);
      coordinator.registerCleanup(() => void seen.push("registered"));
      coordinator.mount(
        "tools",
        native(() => data(1), { name: "read_probe" }),
      );
      return () => void seen.push("returned");
    },
  };
  await checkToolModule(module, { config: { root: "here" } });
  const mounts = seen.filter((one) => Array.isArray(one));

  expect(mounts.length).toBeGreaterThan(0);
  for (const one of mounts) expect(one).toEqual(["mounted", { root: "here" }]);
  for (const kind of ["registered", "returned"])
    expect(seen.filter((one) => one === kind)).toHaveLength(mounts.length);
});

test("AMP-N64: two hosts of one module share nothing: each has its own state and capabilities", async () => {
  const body = `coordinator.session_state.count = (coordinator.session_state.count ?? 0) + 1;
      return { success: true, output: [coordinator.session_state.count, coordinator.get_capability("mark")] };`;
  const source = amplifierSource(body, 'coordinator.register_capability("mark", config.mark);');
  const world = (mark: string) =>
    opened(`${plan}    config: { mark: ${mark} }\n`, {}, { files: { "tool.js": source } });
  const [first, second] = [await world("one"), await world("two")];
  const count = async ({ host }: typeof first, sessionId: string) =>
    (await host.call({ name: "probe" }, { sessionId })).result.data;

  expect([await count(first, "a"), await count(first, "a"), await count(first, "b")]).toEqual([
    [1, "one"],
    [2, "one"],
    [1, "one"],
  ]);
  expect(await count(second, "a")).toEqual([1, "two"]);
});

test("AMP-N15: one plan gives each module the same config twice, and mounts in the same order", async () => {
  const seen: unknown[] = [];
  Object.assign(globalThis, { ampN15: seen });
  const source = (name: string) =>
    amplifierSource("return { success: true };", `globalThis.ampN15.push(["${name}", config]);`).replace(
      '"probe"',
      `"${name}"`,
    );
  const text =
    "version: 1\ntools:\n  - { module: ./b.js, config: { z: 1, a: [2] } }\n  - { module: ./a.js }\n";
  const files = { "a.js": source("a_probe"), "b.js": source("b_probe") };
  for (const _ of [1, 2]) await opened(text, {}, { files });

  expect(seen.slice(0, 2)).toEqual([
    ["b_probe", { z: 1, a: [2] }],
    ["a_probe", {}],
  ]);
  expect(JSON.stringify(seen.slice(2))).toBe(JSON.stringify(seen.slice(0, 2)));
});
