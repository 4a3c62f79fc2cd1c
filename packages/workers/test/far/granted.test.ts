import { createHost, data, defineTool, type Coordinator } from "@toolmount/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createRegistrations, grantedCoordinator, refuse } from "../../src/far/granted-coordinator.ts";
import type { Grants } from "../../src/far/messages.ts";

const trust = "if you trust its code, write run: { in: inline }, or run: { in: process, border: none }";
const limits = "behind a border a module can mount tools, contribute plain data, and do what its plan allows";

/** What a module in a process gets, and what it has registered. */
function granted(grants: Partial<Grants> = {}) {
  const host = createHost();
  onTestFinished(async () => void (await host.close()));
  const registrations = createRegistrations();
  const uses: unknown[] = [];
  const all = { hooks: [], capabilities: [], given: {}, ...grants };
  const coordinator = grantedCoordinator(host.coordinator, all, registrations, async (...used) => {
    uses.push(used);
    return "answer";
  });
  return { host, coordinator, registrations, uses };
}

const look = defineTool({
  name: "look",
  description: "Looks. Use in tests.",
  schema: z.strictObject({}),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: () => data(1),
});

test("a module behind a border mounts tools, and nothing at other points", () => {
  const { host, coordinator } = granted();
  coordinator.mount("tools", look);
  expect(host.coordinator.get("tools", "look")).not.toBeNull();
  expect(() => coordinator.mount("policies", { name: "p" } as never)).toThrow(
    `it mounts at "policies"; ${limits}; ${trust}`,
  );
});

test.each<[string, (coordinator: Coordinator) => unknown, string]>([
  [
    "adds a member to the context",
    ({ provide }) => provide("notes", () => 1),
    'it adds "notes" to the context of tools',
  ],
  [
    "registers a capability",
    ({ registerCapability }) => registerCapability("acme.notes" as never, {} as never),
    `it registers the capability "acme.notes"; ${limits}; if the plan is to allow that, write run: { in: process, capabilities: ["acme.notes"] }`,
  ],
  [
    "registers a gate",
    ({ hooks }) => hooks.gate("tool:pre", async () => undefined),
    `it registers a hook on "tool:pre"; ${limits}; if the plan is to allow that, write run: { in: process, hooks: ["tool:pre"] }`,
  ],
  [
    "registers an observer",
    ({ hooks }) => hooks.observe("x:y", () => {}),
    `it registers a hook on "x:y"; ${limits}; if the plan is to allow that, write run: { in: process, hooks: ["x:y"] }`,
  ],
])("one that %s is refused, with the line that allows it", (_, act, problem) => {
  expect(() => act(granted().coordinator)).toThrow(problem);
});

test("a refusal says what to write", () => {
  expect(() => refuse("sings")).toThrow(
    expect.objectContaining({ message: `it sings; ${limits}; ${trust}` }),
  );
  expect(() => refuse("sings", "song: true")).toThrow(
    `it sings; ${limits}; if the plan is to allow that, write song: true; ${trust}`,
  );
});

describe("granted hooks", () => {
  const events = ["tool:pre", "tool:post", "x:y", "*"];

  test("are numbered, and known by kind, event and options", () => {
    const { coordinator, registrations } = granted({ hooks: events });
    const handler = async () => undefined;
    coordinator.hooks.gate("tool:pre", handler, { priority: 3 });
    coordinator.hooks.observe("x:y", handler);
    coordinator.hooks.on("tool:post", handler);
    coordinator.hooks.register("tool:pre", handler);
    coordinator.hooks.register("*", handler, { name: "all" });
    const seen = [...registrations.hooks.values()].map(({ id, kind, event, options }) => [
      id,
      kind,
      event,
      options,
    ]);
    expect(seen).toEqual([
      [0, "gate", "tool:pre", { priority: 3 }],
      [1, "observe", "x:y", {}],
      [2, "gate", "tool:post", {}],
      [3, "gate", "tool:pre", {}],
      [4, "observe", "*", { name: "all" }],
    ]);
    expect(registrations.hooks.get(1)?.handler).toBe(handler);
  });

  test("hear what the module emits itself, until they are removed", async () => {
    const { coordinator, registrations } = granted({ hooks: events });
    const heard: string[] = [];
    const undo = coordinator.hooks.observe("x:y", () => void heard.push("first"));
    coordinator.hooks.observe("x:y", () => void heard.push("second"), { name: "second" });
    await coordinator.hooks.emit("x:y", {});
    undo();
    await coordinator.hooks.emit("x:y", {});
    coordinator.hooks.unregister("second");
    await coordinator.hooks.emit("x:y", {});
    expect(heard).toEqual(["first", "second", "second"]);
    expect(registrations.hooks.size).toBe(0);
  });

  test("are refused after the mount, because the host does not hear of them", () => {
    const { coordinator, registrations } = granted({ hooks: events, capabilities: ["acme.notes"] });
    registrations.isMounted = true;
    expect(() => coordinator.hooks.observe("x:y", () => {})).toThrow(
      'it registers a hook on "x:y" after its mount',
    );
    expect(() => coordinator.registerCapability("acme.notes" as never, {} as never)).toThrow(
      'it registers the capability "acme.notes" after its mount',
    );
  });
});

describe("granted capabilities", () => {
  const name = "acme.notes" as never;

  test("are those of the module first, then those of the host, by message", async () => {
    const given = {
      "acme.notes": { value: { size: 1 }, methods: ["add"] },
      "acme.text": { value: "a", methods: [] },
    };
    const { coordinator, registrations, uses } = granted({ capabilities: ["acme.notes"], given });
    const notes = coordinator.getCapability(name) as unknown as {
      size: number;
      add: (...given: unknown[]) => unknown;
    };
    expect(notes.size).toBe(1);
    expect(await notes.add("a", { b: 1 }, undefined)).toBe("answer");
    expect(uses).toEqual([["acme.notes", "add", ["a", { b: 1 }, null]]]);
    expect(coordinator.getCapability("acme.text" as never)).toBe("a");
    expect([
      coordinator.getCapability("acme.none" as never),
      coordinator.getCapability("toString" as never),
    ]).toEqual([null, null]);

    const own = { add: () => 2 };
    const undo = coordinator.registerCapability(name, own as never);
    expect(coordinator.getCapability(name)).toBe(own);
    expect(registrations.capabilities.get("acme.notes")).toEqual({
      value: own,
      shape: { value: {}, methods: ["add"] },
    });
    undo();
    expect(registrations.capabilities.size).toBe(0);
    expect(coordinator.getCapability(name)).not.toBe(own);
  });

  test("are not registered where they cannot cross", () => {
    const { coordinator, registrations } = granted({ capabilities: ["acme.notes"] });
    expect(() => coordinator.registerCapability(name, (() => 1) as never)).toThrow(
      "acme.notes cannot cross a border: it is a function; register a plain object with methods",
    );
    expect(registrations.capabilities.size).toBe(0);
  });
});

test("what a module contributes is known until it takes it back", () => {
  const { coordinator, registrations } = granted();
  const callback = () => [1];
  const undo = coordinator.registerContributor("acme.list", "notes", callback);
  expect([...registrations.contributors]).toEqual([{ channel: "acme.list", name: "notes", callback }]);
  undo();
  expect(registrations.contributors.size).toBe(0);
});
