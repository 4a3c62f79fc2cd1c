import type { Host } from "@toolmount/core";
import { createAmplifierAdapter } from "../../src/amplifier/adapter.ts";
import { createAmplifierSessions } from "../../src/amplifier/sessions.ts";
import { notifyAllMounted } from "../../src/amplifier/module.ts";
import type { AmplifierCoordinator } from "../../src/amplifier/coordinator.ts";
import { describe, expect, test } from "vitest";
import { hostWithAdapters } from "../support/world.ts";

type Exports = Readonly<Record<string, unknown>>;

/** Mounts a module as the loader does: through the adapter that knows it. */
async function mounted(exports: Exports, config: Record<string, unknown> = {}) {
  const world = await hostWithAdapters();
  const adapter = world.host.coordinator.get("adapters", "amplifier") as ReturnType<
    typeof createAmplifierAdapter
  >;
  const draft = world.host.draft();
  for (const module of world.host.modules()) draft.keepModule(module);
  const module = draft.addModule({ id: "amp", config: config as never });
  const adapted = adapter.adaptModule!(exports) as { mount(...parameters: unknown[]): Promise<unknown> };
  const returned = await adapted.mount(module.coordinator, config);
  if (typeof returned === "function") module.coordinator.registerCleanup(returned as () => unknown);
  await draft.commit();
  return { ...world, module };
}

const echo = {
  name: "echo",
  description: "Returns its text.",
  input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: async ({ text }: { text: string }) => ({ success: true, output: { text }, error: null }),
};

function mountTool(host: Host, tool: object) {
  host.coordinator.mount("tools", tool as never);
}

test("AMP-1, AMP-2, AMP-10: a tool is a structure with name, description and execute; its result is one of ours", async () => {
  const { host } = await hostWithAdapters();
  class Echo {
    readonly name = "echo";
    get description() {
      return "Returns its text.";
    }
    readonly input_schema = echo.input_schema;
    async execute(input: { text: string }) {
      return { success: true, output: `${this.name}: ${input.text}`, error: null };
    }
  }
  mountTool(host, new Echo());

  expect(await host.call({ id: "c-1", name: "echo", arguments: { text: "hi" } })).toMatchObject({
    callId: "c-1",
    status: "ok",
    result: { tool: "echo", data: "echo: hi" },
  });
});

test.each([
  { title: "a property", schema: { input_schema: echo.input_schema } },
  { title: "a property in camel case", schema: { inputSchema: echo.input_schema } },
  { title: "parameters", schema: { parameters: echo.input_schema } },
  { title: "a method", schema: { get_schema: () => echo.input_schema } },
  { title: "a method in camel case", schema: { getSchema: () => echo.input_schema } },
  {
    title: "a method in a function's envelope",
    schema: {
      get_schema: () => ({ type: "function", function: { name: "echo", parameters: echo.input_schema } }),
    },
  },
])(
  "AMP-14, AMP-N1, AMP-12: a schema as $title is read, and a missing parameter is named",
  async ({ schema }) => {
    const { host } = await hostWithAdapters();
    mountTool(host, { name: "echo", description: "Returns its text.", execute: echo.execute, ...schema });

    expect(host.tools()[0]?.inputSchema).toEqual(echo.input_schema);
    expect(await host.call({ name: "echo" })).toMatchObject({
      status: "invalid",
      result: { error: '"text" is required' },
    });
  },
);

test.each<[string, unknown, boolean]>([
  ["an object with a name", { name: "a" }, true],
  ["an object with an execute", { execute: () => 1 }, true],
  ["an object without either", { description: "a" }, false],
  ["one with a schema", { name: "a", schema: {} }, false],
  ["a class of Aptix", { name: "a", ExecuteAsync: () => 1 }, false],
  ["a list", [{ name: "a" }], false],
  ["a text", "a", false],
  ["null", null, false],
])("AMP-2: %s is a tool of Amplifier, or is not", (_, thing, expected) => {
  expect(createAmplifierAdapter(createAmplifierSessions()).recognises(thing)).toBe(expected);
});

test("a tool without a schema takes any object, and that is warned of", async () => {
  const { host, lines } = await hostWithAdapters();
  mountTool(host, {
    name: "any",
    description: "Takes all.",
    execute: async (input: unknown) => ({ success: true, output: input }),
  });

  expect(await host.call({ name: "any", arguments: { a: [1] } })).toMatchObject({
    result: { data: { a: [1] } },
  });
  expect(lines.filter(({ level }) => level === "warn")).toHaveLength(1);
});

test("AMP-11, AMP-13: what it throws is reported by message and type, without a secret", async () => {
  const { host } = await hostWithAdapters();
  const secret = `ghp_${"a1B2".repeat(9)}`;
  mountTool(host, {
    ...echo,
    execute: async () => {
      throw new RangeError(`no such line, ${secret}`);
    },
  });

  expect(await host.call({ name: "echo", arguments: { text: "x" } })).toMatchObject({
    status: "failed",
    result: {
      error: "no such line, [redacted]",
      code: "TOOL_FAILED",
      details: { error: { message: "no such line, [redacted]", type: "RangeError" } },
    },
  });
});

test.each([
  {
    title: "success false",
    answer: { success: false, output: { stderr: "x" }, error: { message: "no", occurrences: 2 } },
    error: "no",
  },
  { title: "no error said", answer: { success: false, output: null, error: null }, error: "echo failed" },
])("AMP-11: $title is a failure", async ({ answer, error }) => {
  const { host } = await hostWithAdapters();
  mountTool(host, { ...echo, execute: async () => answer });

  expect(await host.call({ name: "echo", arguments: { text: "x" } })).toMatchObject({
    status: "failed",
    result: { error, details: { output: answer.output, error: answer.error } },
  });
});

test("a tool of this shape that says in our words what it does keeps them", async () => {
  const { host } = await hostWithAdapters();
  mountTool(host, { ...echo, category: "delete", consequenceLevel: "high", requiresConfirmation: true });
  mountTool(host, { ...echo, name: "other", category: "productivity", consequenceLevel: 3 });

  expect(host.tools()).toMatchObject([
    { name: "echo", category: "delete", consequenceLevel: "high", requiresConfirmation: true },
    { name: "other", requiresConfirmation: false },
  ]);
  expect(host.tools()[1]).not.toHaveProperty("category");
  expect(await host.call({ name: "echo", arguments: { text: "x" } })).toMatchObject({ status: "denied" });
});

test.each([
  { requires_approval: true },
  { get_metadata: () => ({ requires_approval: true, risk_level: "high" }) },
])("AMP-N5: a tool that says it needs approval is asked about before it runs", async (metadata) => {
  const { host } = await hostWithAdapters();
  mountTool(host, { ...echo, ...metadata });

  expect(host.tools()[0]?.requiresConfirmation).toBe(true);
  expect(await host.call({ name: "echo", arguments: { text: "x" } })).toMatchObject({ status: "denied" });
});

test("AMP-4, AMP-6, AMP-15, AMP-29: a module mounts its tool under another name, with its config; that name is an alias", async () => {
  const { host } = await mounted(
    {
      __amplifier_module_type__: "tool",
      mount: async (coordinator: AmplifierCoordinator, config: { greeting: string }) => {
        const greet = async () => ({ success: true, output: config.greeting, error: null });
        coordinator.mount("tools", { ...echo, name: "my_tool", execute: greet }, "my-tool2");
      },
    },
    { greeting: "Hello" },
  );

  expect(host.tools()).toMatchObject([{ name: "my_tool", aliases: ["my-tool2"], owner: "amp" }]);
  expect(await host.call({ name: "my-tool2", arguments: { text: "" } })).toMatchObject({
    result: { data: "Hello" },
  });
});

test("AMP-N23: every module with a mount gets the coordinator with both sets of names", async () => {
  const register = (coordinator: AmplifierCoordinator) =>
    coordinator.register_contributor("observability.events", "amp", () => ["my:event"]);
  let seen: unknown;
  const { host } = await mounted({
    async mount(coordinator: AmplifierCoordinator) {
      register(coordinator); // the names are in a helper, not in the text of mount
      const { register_capability: provide, getCapability } = coordinator;
      provide("my.thing", 7);
      seen = [getCapability("my.thing"), coordinator.session_id, typeof coordinator.hooks.gate];
    },
  });

  expect(seen).toEqual([7, "host", "function"]);
  expect(await host.coordinator.collectContributions("observability.events")).toEqual([["my:event"]]);
});

test("a tool that keeps the coordinator sees its call's session, without any declaration", async () => {
  const { host } = await mounted({
    async mount(coordinator: AmplifierCoordinator) {
      const execute = async () => ({ success: true, output: coordinator.session_id });
      coordinator.mount("tools", { ...echo, execute }, "my-tool");
    },
  });

  expect(await host.call({ name: "my-tool", arguments: { text: "" } }, { sessionId: "s-1" })).toMatchObject({
    status: "ok",
    result: { data: "s-1" },
  });
});

test("a hook on tool:post of a module without a declaration redacts what the caller sees", async () => {
  const { host } = await mounted({
    async mount(coordinator: AmplifierCoordinator) {
      coordinator.mount("tools", {
        ...echo,
        execute: async () => ({ success: true, output: "the key is s3cret" }),
      });
      coordinator.hooks.register("tool:post", async (_, data) => {
        const { result } = data as { result: { output: string } };
        const output = result.output.replace("s3cret", "***");
        return { action: "modify", data: { ...data, result: { ...result, output } } };
      });
    },
  });

  expect(await host.call({ name: "echo", arguments: { text: "" } })).toMatchObject({
    result: { data: "the key is ***" },
  });
});

test("AMP-N23: an unknown declared type is refused, and what has no mount is left alone", () => {
  const adapter = createAmplifierAdapter(createAmplifierSessions());

  expect(() => adapter.adaptModule!({ amplifier_module_type: "wizard", mount: async () => {} })).toThrow(
    "wizard",
  );
  expect(adapter.adaptModule!({ echo })).toBeNull();
});

test("AMP-16, AMP-N43, AMP-N44, AMP-N45: contributors and capabilities are registered and found under their names", async () => {
  let seen: unknown;
  const { host } = await mounted({
    mount: async (coordinator: AmplifierCoordinator) => {
      coordinator.register_contributor("observability.events", "amp", () => ["my:event"]);
      coordinator.register_capability("my.thing", 7);
      seen = [
        coordinator.get_capability("my.thing"),
        coordinator.get_capability("none"),
        Object.keys(coordinator.channels),
      ];
    },
  });

  expect(await host.coordinator.collectContributions("observability.events")).toEqual([["my:event"]]);
  expect(seen).toEqual([7, null, ["observability.events"]]);
});

test("AMP-5, AMP-N27: cleanups run in reverse order when the module goes, each whatever the others do", async () => {
  const ran: string[] = [];
  const { host } = await mounted({
    mount: async (coordinator: AmplifierCoordinator) => {
      coordinator.register_cleanup(() => void ran.push("first"));
      coordinator.register_cleanup("no function");
      coordinator.register_cleanup(async () => {
        ran.push("second");
        throw new Error("broken");
      });
      return () => void ran.push("returned");
    },
  });
  const { failures } = await host.close();

  expect(ran).toEqual(["returned", "second", "first"]);
  expect(failures).toMatchObject([{ message: "broken" }]);
});

test("AMP-N26: on_session_ready runs once all are mounted, in order, once; a failure is reported and stops nothing", async () => {
  const ran: string[] = [];
  const reported: unknown[] = [];
  const { host } = await mounted({
    mount: async () => void ran.push("mount"),
    on_session_ready: async (coordinator: AmplifierCoordinator) => {
      ran.push(coordinator.session_id);
      throw new Error("not ready");
    },
  });
  host.coordinator.hooks.observe("module:on_session_ready_failed", (_, data) => void reported.push(data));
  expect(ran).toEqual(["mount"]);
  await notifyAllMounted(host.coordinator);
  await notifyAllMounted(host.coordinator);

  expect(ran).toEqual(["mount", "host"]);
  expect(reported).toMatchObject([{ module_id: "amp", error: "not ready" }]);
});

test("AMP-N26: an on_session_ready that is not async is left out with a warning", async () => {
  const { host, lines } = await mounted({
    mount: async () => {},
    on_session_ready: () => expect.unreachable(),
  });
  await notifyAllMounted(host.coordinator);

  expect(lines.some(({ message }) => message.includes("on_session_ready"))).toBe(true);
});

describe("sessions", () => {
  test("AMP-N64: what a module keeps in session_state is the session's of the call at hand", async () => {
    const { host } = await mounted({
      mount: async (coordinator: AmplifierCoordinator) => {
        const execute = async () => {
          const state = coordinator.session_state;
          state["count"] = Number(state["count"] ?? 0) + 1;
          return { success: true, output: [coordinator.session_id, state["count"]], error: null };
        };
        coordinator.mount("tools", { ...echo, execute });
      },
    });
    const call = (sessionId: string) => host.call({ name: "echo", arguments: { text: "" } }, { sessionId });

    expect((await call("a")).result.data).toEqual(["a", 1]);
    expect((await call("b")).result.data).toEqual(["b", 1]);
    expect((await call("a")).result.data).toEqual(["a", 2]);
  });

  test("AMP-N46, AMP-N49: an immediate cancel of a session gives each outstanding call a result, and refuses new ones", async () => {
    const events: string[] = [];
    let coordinator!: AmplifierCoordinator;
    const { host } = await mounted({
      mount: async (given: AmplifierCoordinator) => {
        coordinator = given;
        coordinator.hooks.register("cancel:requested", async (event) => void events.push(event));
        coordinator.hooks.register("cancel:completed", async (event) => void events.push(event));
        const execute = async ({ text }: { text: string }) => {
          if (text === "stop") await coordinator.request_cancel(true);
          return new Promise(() => {});
        };
        coordinator.mount("tools", { ...echo, execute });
      },
    });
    const hung = host.call({ name: "echo", arguments: { text: "hang" } }, { sessionId: "a" });
    const stopping = host.call({ name: "echo", arguments: { text: "stop" } }, { sessionId: "a" });

    for (const outcome of await Promise.all([hung, stopping]))
      expect(outcome.result).toMatchObject({
        error: "Request was cancelled",
        details: { cancelled: true, tool: "echo" },
      });
    expect(await host.call({ name: "echo", arguments: { text: "" } }, { sessionId: "a" })).toMatchObject({
      status: "denied",
    });
    expect(events).toEqual(["cancel:requested", "cancel:completed"]);
  });

  test("a tool of another module is looked up, and called through the host while a call is at hand", async () => {
    const { host } = await mounted({
      mount: async (coordinator: AmplifierCoordinator) => {
        const execute = async () => {
          const other = coordinator.get("tools", "other") as {
            execute(input: object): Promise<{ output: unknown }>;
          };
          const { output } = await other.execute({ text: "x" });
          return { success: true, output, error: null };
        };
        coordinator.mount("tools", { ...echo, execute });
        coordinator.mount("tools", { ...echo, name: "other" });
        expect(coordinator.get("tools", "none")).toBeNull();
        expect(Object.keys(coordinator.mount_points)).toContain("tools");
        expect(coordinator.to_dict()).toMatchObject({ tools: ["echo", "other"], has_orchestrator: false });
      },
    });

    expect((await host.call({ name: "echo", arguments: { text: "" } })).result.data).toEqual({ text: "x" });
  });
});

describe("hooks", () => {
  async function withHook(event: string, answer: (data: Readonly<Record<string, unknown>>) => unknown) {
    return mounted({
      mount: async (coordinator: AmplifierCoordinator) => {
        coordinator.mount("tools", echo);
        coordinator.hooks.register(event, async (_, data) => answer(data), 10, "mine");
        expect(coordinator.hooks.list_handlers(event)).toEqual({ [event]: ["mine"] });
      },
    });
  }
  const call = (host: Host) => host.call({ name: "echo", arguments: { text: "hi" } });

  test("AMP-N30, AMP-N31: a hook denies in its own terms", async () => {
    const { host } = await withHook("tool:pre", () => ({ action: "deny", reason: "not today" }));

    expect(await call(host)).toMatchObject({
      status: "denied",
      result: { error: expect.stringContaining("not today") as string },
    });
  });

  test("a hook modifies the arguments and injects a text", async () => {
    const { host } = await withHook("tool:pre", ({ tool_input: input }) => ({
      action: "modify",
      data: { tool_input: { ...(input as object), text: "changed" } },
      context_injection: "note",
      context_injection_role: "user",
      append_to_last_tool_result: true,
    }));

    expect(await call(host)).toMatchObject({
      result: { data: { text: "changed" } },
      injections: [{ text: "note", role: "user", appendToLastToolResult: true, source: "mine" }],
    });
  });

  test("AMP-N51, AMP-N53: a hook on tool:post sees the result in its own terms, and may replace it", async () => {
    const { host } = await withHook("tool:post", (data) => ({
      action: "modify",
      data: { ...data, result: { success: true, output: { seen: data["result"] }, error: null } },
    }));

    expect((await call(host)).result.data).toEqual({
      seen: { success: true, output: { text: "hi" }, error: null },
    });
  });

  test("AMP-N35: a handler of another event that throws is logged, and the others go on", async () => {
    const heard: string[] = [];
    const { lines } = await mounted({
      amplifier_module_type: "hook",
      mount: async (coordinator: AmplifierCoordinator) => {
        coordinator.hooks.register("my:event", async () => Promise.reject(new Error("broken")), 1);
        coordinator.hooks.register("my:event", async (event) => void heard.push(event), 2);
        await coordinator.hooks.emit("my:event");
      },
    });

    expect(heard).toEqual(["my:event"]);
    expect(lines.some(({ message }) => message.includes("observer failed"))).toBe(true);
  });

  test.each([
    ["as a number", (priority: number) => priority],
    ["in options", (priority: number) => ({ priority })],
  ])("handlers of an event run in the order of their priority, which is given %s", async (_, written) => {
    const heard: number[] = [];
    await mounted({
      amplifier_module_type: "hook",
      mount: async (coordinator: AmplifierCoordinator) => {
        for (const priority of [30, 10, 20])
          coordinator.hooks.register("my:event", async () => void heard.push(priority), written(priority));
        await coordinator.hooks.emit("my:event");
      },
    });

    expect(heard).toEqual([10, 20, 30]);
  });

  test.each([
    { suppress_output: false, shown: 1 },
    { suppress_output: true, shown: 0 },
  ])(
    "AMP-N42: a hook that suppresses output ($suppress_output) suppresses its own, never a tool's",
    async ({ suppress_output, shown }) => {
      const answer = { action: "continue", user_message: "I looked at it", suppress_output };
      const { host, lines } = await withHook("tool:post", () => answer);

      expect((await call(host)).result.data).toEqual({ text: "hi" });
      expect(lines.filter(({ message }) => message === "I looked at it")).toHaveLength(shown);
    },
  );

  test("AMP-N32: what is emitted comes back with all fields and their defaults; the host's own events are dropped", async () => {
    let answers: unknown[] = [];
    const { lines } = await mounted({
      amplifier_module_type: "hook",
      mount: async (coordinator: AmplifierCoordinator) => {
        answers = [
          await coordinator.hooks.emit("my:event", { a: 1 }),
          await coordinator.hooks.emit("tool:pre", {}),
        ];
      },
    });

    expect(answers).toMatchObject([
      {
        action: "continue",
        data: { a: 1, session_id: "host" },
        approval_timeout: 300,
        approval_default: "deny",
        ephemeral: false,
        user_message_level: "info",
      },
      { action: "continue" },
    ]);
    expect(lines.some(({ message }) => message.includes("only the host emits"))).toBe(true);
  });
});

describe("AMP-N8, AMP-N40, AMP-N41: what a hook asked for is carried out", () => {
  async function facade(prepare: (coordinator: AmplifierCoordinator) => void = () => {}) {
    let coordinator!: AmplifierCoordinator;
    const world = await mounted({
      amplifier_module_type: "tool",
      mount: async (given: AmplifierCoordinator) => {
        coordinator = given;
        prepare(given);
      },
    });
    return { ...world, coordinator };
  }
  const ask = { action: "ask_user", approval_prompt: "sure?" };

  test("without an approval system the answer is no", async () => {
    const { coordinator } = await facade();

    expect(await coordinator.process_hook_result(ask, "tool:pre", "h")).toMatchObject({ action: "deny" });
  });

  test.each([
    { answer: "Allow", action: "continue" },
    { answer: "allow ONCE", action: "continue" },
    { answer: "Allow always", action: "continue" },
    { answer: "yes", action: "deny" },
    { answer: "", action: "deny" },
    { answer: null, action: "deny" },
  ])("the answer $answer means $action", async ({ answer, action }) => {
    const { coordinator } = await facade(
      (given) => (given.approval_system = { request_approval: async () => answer }),
    );

    expect(await coordinator.process_hook_result(ask, "tool:pre", "h")).toMatchObject({ action });
  });

  test("silence means the default, checked like an answer; other errors go on", async () => {
    const { coordinator } = await facade();
    const failing = (name: string) => ({
      request_approval: async () => Promise.reject(Object.assign(new Error("x"), { name })),
    });
    coordinator.approval_system = failing("ApprovalTimeoutError");

    expect(await coordinator.process_hook_result(ask, "e", "h")).toMatchObject({ action: "deny" });
    expect(
      await coordinator.process_hook_result({ ...ask, approval_default: "allow" }, "e", "h"),
    ).toMatchObject({ action: "continue" });
    expect(
      await coordinator.process_hook_result({ ...ask, approval_default: "yes" }, "e", "h"),
    ).toMatchObject({ action: "deny" });
    coordinator.approval_system = failing("TypeError");
    await expect(coordinator.process_hook_result(ask, "e", "h")).rejects.toThrow("x");
  });

  test("a text goes to the context with where it is from, sanitised; too long a one is an error, too many are warned of", async () => {
    const messages: unknown[] = [];
    const { coordinator, lines } = await facade((given) => {
      given.mount("context", { add_message: (message: unknown) => void messages.push(message) });
      given.injection_size_limit = 100;
      given.injection_budget_per_turn = 10;
    });
    await coordinator.process_hook_result(
      { action: "inject_context", context_injection: "a\u202eb\nc" },
      "tool:post",
      "h",
    );
    await coordinator.process_hook_result({ context_injection: "x", ephemeral: true }, "tool:post", "h");
    await coordinator.process_hook_result({ context_injection: "y".repeat(80) }, "tool:post", "h");

    expect(messages).toMatchObject([
      {
        role: "system",
        content: "a\\u{202e}b\nc",
        metadata: { source: "hook", hook_name: "h", event: "tool:post" },
      },
      { content: "y".repeat(80) },
    ]);
    expect(lines.some(({ message }) => message.includes("budget"))).toBe(true);
    await expect(
      coordinator.process_hook_result({ context_injection: "z".repeat(101) }, "e", "h"),
    ).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  test("a message goes to the display, else to the log", async () => {
    const shown: unknown[] = [];
    const { coordinator, lines } = await facade();
    await coordinator.process_hook_result({ user_message: "logged" }, "e", "h");
    coordinator.display_system = { show_message: (...parameters: unknown[]) => void shown.push(parameters) };
    await coordinator.process_hook_result({ user_message: "shown", user_message_level: "warning" }, "e", "h");

    expect(lines.some(({ message }) => message === "logged")).toBe(true);
    expect(shown).toEqual([["shown", "warning", "h"]]);
  });
});
