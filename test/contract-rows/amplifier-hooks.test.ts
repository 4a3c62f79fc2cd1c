import { data, type Coordinator, type HookResult } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import * as reasonerModule from "@toolmount/reasoner";
import { checkToolModule } from "@toolmount/testing";
import { describe, expect, test } from "vitest";
import { amplifierSource, mounting, native, onePlan, opened } from "../support/decisions-world.ts";

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

test("AMP-N32: a hook's result has these fifteen fields, and these defaults", () => {
  expect(interop.toAmplifierHookResult({ action: "continue" })).toEqual({
    action: "continue",
    data: null,
    reason: null,
    context_injection: null,
    context_injection_role: "system",
    ephemeral: false,
    approval_prompt: null,
    approval_options: null,
    approval_timeout: 300,
    approval_default: "deny",
    suppress_output: false,
    user_message: null,
    user_message_level: "info",
    user_message_source: null,
    append_to_last_tool_result: false,
  });
});

test("AMP-N33: handlers run one after the other, by priority, 0 by default, and then as they were registered", async () => {
  const order: string[] = [];
  Object.assign(globalThis, { ampN33: order });
  const handler = (name: string, priority = "") =>
    `coordinator.hooks.register("tool:pre", async () => {
      globalThis.ampN33.push("begin ${name}");
      for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
      globalThis.ampN33.push("end ${name}");
    }${priority});`;
  const before = [handler("late", ", 90"), handler("a"), handler("early", ", -1"), handler("b", ", 0")].join(
    "\n",
  );
  const { host } = await opened(plan, {}, { files: { "tool.js": amplifierSource("return {};", before) } });
  await host.call({ name: "probe" });

  expect(order).toEqual(["early", "a", "b", "late"].flatMap((name) => [`begin ${name}`, `end ${name}`]));
});

describe("AMP-N34: of several answers", () => {
  const answers: Record<string, HookResult> = {
    continue: { action: "continue" },
    modify: { action: "modify", data: { seen: "changed" } },
    inject_context: { action: "inject_context", contextInjection: "read this" },
    ask_user: { action: "ask_user", approvalPrompt: "sure?" },
    deny: { action: "deny", reason: "no" },
  };
  const ranks = Object.keys(answers);
  const pairs = ranks.flatMap((one) => ranks.map((other) => [one, other] as const));
  const emit = async (...given: HookResult[]) => {
    const { host } = await opened(onePlan, { m: mounting(native(() => data(1))) });
    for (const answer of given) host.coordinator.hooks.gate("my:event", () => answer);
    return host.coordinator.hooks.emit("my:event", { seen: "first" });
  };

  test.each(pairs)("AMP-N34: %s and then %s: the stronger wins, whichever came first", async (one, other) => {
    const { action, data: seen } = await emit(answers[one]!, answers[other]!);
    const strongest = ranks[Math.max(ranks.indexOf(one), ranks.indexOf(other))];

    expect(action).toBe(strongest === "modify" ? "continue" : strongest);
    if (strongest === "modify") expect(seen).toMatchObject({ seen: "changed" });
  });

  test("AMP-N34: after a denial no other is asked, the first question wins, and changes are chained", async () => {
    const { host } = await opened(onePlan, { m: mounting(native(() => data(1))) });
    const { hooks } = host.coordinator;
    const asked: string[] = [];
    hooks.gate("a:b", (_, { n }) => ({ action: "modify", data: { n: Number(n) + 1 } }));
    hooks.gate("a:b", (_, { n }) => ({ action: "modify", data: { n: Number(n) * 10 } }));
    hooks.gate("c:d", () => ({ action: "ask_user", approvalPrompt: "first?" }));
    hooks.gate("c:d", () => ({ action: "ask_user", approvalPrompt: "second?" }));
    hooks.gate("e:f", () => (asked.push("first"), { action: "deny", reason: "no" }));
    hooks.gate("e:f", () => void asked.push("second"));
    await hooks.emit("e:f");

    expect((await hooks.emit("a:b", { n: 1 })).data).toMatchObject({ n: 20 });
    expect(await hooks.emit("c:d")).toMatchObject({ action: "ask_user", approvalPrompt: "first?" });
    expect(asked).toEqual(["first"]);
  });

  test("AMP-N34: injections are joined by a blank line; role, ephemeral and suppression are the first's, append is either's", async () => {
    const first = { contextInjectionRole: "user", ephemeral: true, suppressOutput: true } as const;
    const second = { contextInjectionRole: "system", ephemeral: false, suppressOutput: false } as const;
    const inject = (contextInjection: string, more: object): HookResult => ({
      action: "inject_context",
      contextInjection,
      ...more,
    });

    expect(
      await emit(inject("one", first), inject("two", { ...second, appendToLastToolResult: true })),
    ).toMatchObject({
      contextInjection: "one\n\ntwo",
      ...first,
      appendToLastToolResult: true,
    });
    expect(await emit(inject("one", second), inject("two", first))).toMatchObject({
      contextInjection: "one\n\ntwo",
      ...second,
    });
  });
});

test("AMP-N38: session_id, parent_id and default fields are merged below an event's own data; the timestamp is the host's, whatever is given", async () => {
  const seen: Record<string, unknown>[] = [];
  Object.assign(globalThis, { ampN38: seen });
  const before = `coordinator.hooks.register("my:event", async (_, data) => void globalThis.ampN38.push(data));
  coordinator.hooks.set_default_fields({ shop: "north", door: "front" });`;
  const body = 'await coordinator.hooks.emit("my:event", { shop: "south", timestamp: "never" }); return {};';
  const { host } = await opened(plan, {}, { files: { "tool.js": amplifierSource(body, before) } });
  await host.call({ name: "probe" }, { sessionId: "s-1" });

  expect(seen).toMatchObject([{ session_id: "s-1", parent_id: null, shop: "south", door: "front" }]);
  expect(seen[0]!["timestamp"]).toMatch(/^\d{4}-\d\d-\d\dT/);
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
  const reasoner = { orchestrator: { model: "m", baseUrl: "http://127.0.0.1:9/v1" } };
  const text = `version: 1\nsession: ${JSON.stringify(reasoner)}\ntools:\n  - module: ./tool.js\n    config: { mark: one }\n`;
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

test("AMP-N51: the payloads of a call's events: names, ids, input and group; the result; the error's type and message", async () => {
  const seen: [string, Record<string, unknown>][] = [];
  Object.assign(globalThis, { ampN51: seen });
  const before = `for (const event of ["tool:pre", "tool:post", "tool:error"])
    coordinator.hooks.register(event, async (name, data) => void globalThis.ampN51.push([name, data]));`;
  const body =
    'if (input.at === "gone") throw new RangeError("no such place"); return { success: true, output: 7 };';
  const { host } = await opened(plan, {}, { files: { "tool.js": amplifierSource(body, before) } });
  for (const at of ["here", "gone"])
    await host.call({ id: at, name: "probe", arguments: { at } }, { parallelGroupId: "g" });
  const common = (at: string) => ({
    tool_name: "probe",
    tool_call_id: at,
    tool_input: { at },
    parallel_group_id: "g",
  });

  expect(seen).toMatchObject([
    ["tool:pre", common("here")],
    ["tool:post", { ...common("here"), result: { success: true, output: 7, error: null } }],
    ["tool:pre", common("gone")],
    ["tool:error", { ...common("gone"), error: { type: "RangeError", msg: "no such place" } }],
  ]);
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
