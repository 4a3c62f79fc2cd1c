import { describe, expect, test } from "vitest";
import type { EventData } from "@toolmount/core";
import { createAmplifierAdapter } from "../../src/amplifier/adapter.ts";
import { createAmplifierSessions } from "../../src/amplifier/sessions.ts";
import { adaptAmplifierModule, notifyAllMounted } from "../../src/amplifier/module.ts";
import { createAmplifierHooks } from "../../src/amplifier/hooks.ts";
import { hostWithAdapters } from "../support/world.ts";

type Mount = (coordinator: unknown, config?: unknown) => Promise<unknown>;
const refused = /^module "of Amplifier" is not a toolmount module: /;

test.each([
  ["amplifier_module_type", "wizard", '"wizard"'],
  ["__amplifier_module_type__", 7, "7"],
])("a module whose %s is %o is refused", (member, type, shown) => {
  const { adaptModule } = createAmplifierAdapter(createAmplifierSessions());
  const problem = `its ${member} is ${shown}; expected orchestrator, provider, tool, hook, context, resolver`;

  expect(() => adaptModule!({ [member]: type, mount: async () => {} })).toThrow(refused);
  expect(() => adaptModule!({ [member]: type, mount: async () => {} })).toThrow(problem);
});

test("each known type is taken, and what has no mount is left alone", () => {
  const { adaptModule } = createAmplifierAdapter(createAmplifierSessions());
  for (const type of ["orchestrator", "provider", "tool", "hook", "context", "resolver"])
    expect(adaptModule!({ amplifier_module_type: type, mount: async () => {} })).not.toBeNull();

  expect(adaptModule!({ amplifier_module_type: "tool" })).toBeNull();
  expect(adaptModule!({ mount: "no function" })).toBeNull();
});

test("a module gets a copy of a plain config, an instance as it is, and an empty one where none is given", async () => {
  const { host } = await hostWithAdapters();
  const given: unknown[] = [];
  const exports = {
    name: "m",
    async mount(this: unknown, coordinator: { config: unknown }, config: unknown) {
      given.push([this === exports, coordinator.config === config, config]);
    },
  };
  const { mount } = adaptAmplifierModule(exports, createAmplifierSessions()) as { mount: Mount };
  class Own {
    readonly a = 1;
  }
  const [plain, bare, own] = [{ a: 1 }, Object.assign(Object.create(null) as object, { a: 1 }), new Own()];
  for (const config of [plain, bare, own, undefined]) await mount(host.coordinator, config);

  expect(given).toEqual([
    [true, true, { a: 1 }],
    [true, true, { a: 1 }],
    [true, true, own],
    [true, true, {}],
  ]);
  expect((given[0] as unknown[])[2]).not.toBe(plain);
  expect((given[1] as unknown[])[2]).not.toBe(bare);
  expect((given[2] as unknown[])[2]).toBe(own);
});

/** Mounts a module in a host without a plan, and notifies all that they are mounted. */
async function ready(...modules: readonly { readonly on_session_ready?: unknown }[]) {
  const { host, lines } = await hostWithAdapters();
  const failed: EventData[] = [];
  host.coordinator.hooks.observe("module:on_session_ready_failed", (_, { timestamp: _time, ...data }) => {
    failed.push(data);
  });
  const adapted = [];
  for (const module of modules) {
    const one = adaptAmplifierModule({ mount: async () => {}, ...module }, createAmplifierSessions());
    adapted.push(one);
    await (one as { mount: Mount }).mount(host.coordinator, {});
  }
  await notifyAllMounted(host.coordinator);
  return { host, lines, failed, adapted };
}

describe("on_session_ready", () => {
  test("runs once with the coordinator, whether the loader or the event asks for it", async () => {
    const ran: unknown[] = [];
    const { host, adapted } = await ready({
      on_session_ready: async (coordinator: { session_id: string }) => void ran.push(coordinator.session_id),
    });
    await notifyAllMounted(host.coordinator);

    expect(ran).toEqual(["host"]);
    expect(adapted[0]!.onSessionReady).toBeTypeOf("function");
  });

  test("is called by the loader where a plan has one, and not again by the event", async () => {
    const { host } = await hostWithAdapters();
    let ran = 0;
    const module = { mount: async () => {}, on_session_ready: async () => ++ran };
    const adapted = adaptAmplifierModule(module, createAmplifierSessions()) as {
      mount: Mount;
      onSessionReady(): Promise<unknown>;
    };
    expect(await adapted.onSessionReady()).toBeUndefined();
    await adapted.mount(host.coordinator, {});
    expect(await adapted.onSessionReady()).toBe(1);
    await notifyAllMounted(host.coordinator);

    expect(ran).toBe(1);
  });

  test("that fails is logged and emitted for each module, and the others run", async () => {
    const ran: string[] = [];
    const { failed, lines } = await ready(
      { on_session_ready: async () => Promise.reject(new Error("no disk")) },
      { on_session_ready: async () => void ran.push("second") },
      { on_session_ready: async () => Promise.reject(new Error("no net")) },
    );

    expect(ran).toEqual(["second"]);
    expect(failed).toEqual([
      { module_id: expect.any(String) as string, error: "no disk" },
      { module_id: expect.any(String) as string, error: "no net" },
    ]);
    expect(failed[0]!["module_id"]).not.toBe("");
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ["warn", "on_session_ready failed"],
      ["warn", "on_session_ready failed"],
    ]);
    expect(lines[0]!.fields).toMatchObject({ err: { message: "no disk" } });
  });

  test.each<[string, unknown]>([
    ["is not async", () => {}],
    ["is no function", "text"],
  ])("that %s is not called, with a warning", async (_, onReady) => {
    const { lines, failed } = await ready({ on_session_ready: onReady });

    expect(failed).toEqual([]);
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ["warn", "on_session_ready is not an async function and was not called"],
    ]);
  });

  test("that is absent is nothing to wait for", async () => {
    const { adapted, lines } = await ready({});

    expect(adapted[0]).not.toHaveProperty("onSessionReady");
    expect(lines).toEqual([]);
  });
});

describe("hooks of Amplifier", () => {
  const registered = async () => {
    const { host, lines } = await hostWithAdapters();
    const calls: unknown[][] = [];
    const own = host.coordinator.hooks;
    const hooks = {
      ...own,
      register: (event: string, handler: unknown, options: unknown) => {
        calls.push([event, options]);
        return own.register(event, handler as never, options as never);
      },
      emitAndCollect: async (...given: unknown[]) => {
        calls.push(given);
        return ["collected"];
      },
    };
    const made = { ...host.coordinator, hooks } as never;
    return {
      calls,
      lines,
      host,
      theirs: createAmplifierHooks(made, createAmplifierSessions(), false),
      ours: createAmplifierHooks(made, createAmplifierSessions(), true),
    };
  };

  test("are registered with what is given of a priority, a name and a time", async () => {
    const { theirs, calls } = await registered();
    theirs.register("my:event", () => {});
    theirs.register("my:event", () => {}, 5, "mine");
    theirs.on("my:event", () => {}, { priority: 3, name: "other", timeoutMs: 9 });
    theirs.register("my:event", () => {}, "first", 7 as never);
    theirs.register("my:event", () => {}, { priority: "3", name: 7, timeoutMs: "9" });

    expect(calls.map(([, options]) => options)).toEqual([
      {},
      { priority: 5, name: "mine" },
      { priority: 3, name: "other", timeoutMs: 9 },
      {},
      {},
    ]);
  });

  test("collect answers within a second, or within the seconds that they say", async () => {
    const { theirs, ours, calls, lines } = await registered();
    expect(await theirs.emit_and_collect("my:event", { a: 1 })).toEqual(["collected"]);
    await theirs.emit_and_collect("my:event", { session_id: "s" }, 0.5);
    expect(await theirs.emit_and_collect("tool:pre")).toEqual([]);
    await ours.emit_and_collect("tool:pre");

    expect(calls).toEqual([
      ["my:event", { session_id: "host", parent_id: null, a: 1 }, { timeoutMs: 1_000 }],
      ["my:event", { session_id: "s", parent_id: null }, { timeoutMs: 500 }],
      ["tool:pre", { session_id: "host", parent_id: null }, { timeoutMs: 1_000 }],
    ]);
    expect(lines).toEqual([
      {
        level: "warn",
        fields: { event: "tool:pre" },
        message: 'only the host emits "tool:pre": the event was dropped',
      },
    ]);
  });

  test("see an error's text as msg, and have default fields", async () => {
    const { theirs, host } = await registered();
    const seen: EventData[] = [];
    theirs.register("my:event", (_, data) => void seen.push(data));
    theirs.set_default_fields({ team: "a" });
    await host.coordinator.hooks.emit("my:event", { error: { message: "no disk", code: "X" } });
    await host.coordinator.hooks.emit("my:event", { error: "text" });

    expect(seen).toMatchObject([
      { team: "a", error: { message: "no disk", msg: "no disk", code: "X" } },
      { error: "text" },
    ]);
    expect(theirs.list_handlers("my:event")["my:event"]).toHaveLength(1);
  });
});
