import { describe, expect, test } from "vitest";
import { createHost, createMemoryStore, data } from "../../src/index.ts";
import { logged } from "../logged-host.ts";
import { tool } from "../world.ts";

const mounting = (point: string, thing: unknown, options?: { name?: string }) => () =>
  createHost().coordinator.mount(point as never, thing as never, options);
const invalid = (point: string, problem: string) =>
  expect.objectContaining({ code: "MOUNT_INVALID", details: { point, problem } }) as Error;

test.each<[string, unknown, string]>([
  ["hooks", () => {}, "hooks are added with coordinator.hooks"],
  ["tools", undefined, "nothing was given"],
  ["tools", "text", "nothing was given"],
  ["approver", null, "null was given"],
  ["policies", {}, "name required: give options.name, or a thing with a name"],
  ["policies", { name: "" }, "name required: give options.name, or a thing with a name"],
  ["policies", { name: 7 }, "name required: give options.name, or a thing with a name"],
])("at %s, %o cannot be mounted: %s", (point, thing, problem) => {
  expect(mounting(point, thing)).toThrow(invalid(point, problem));
});

test.each(["tool", "toString", "x".repeat(200)])("there is no point %s", (point) => {
  expect(mounting(point, {})).toThrow(
    expect.objectContaining({
      code: "MOUNT_POINT_UNKNOWN",
      details: { point: point.slice(0, 100) },
    }) as Error,
  );
});

const single = [
  "schema-compiler",
  "approver",
  "mode-catalog",
  "approval-store",
  "session-store",
  "audit-sink",
  "work-store",
  "orchestrator",
  "context",
  "module-source-resolver",
] as const;

describe("one thing is mounted", () => {
  test.each(single)("at %s, and found there without a name", (point) => {
    const { coordinator } = createHost();
    const things = [{ a: 1 }, { b: 1 }] as const;
    const mount = (thing: object) => coordinator.mount(point, thing);
    expect(coordinator.get(point)).toBeNull();
    const undo = mount(things[0]);
    expect(coordinator.get(point)).toBe(things[0]);
    expect(() => mount(things[1])).toThrow(invalid(point, "something is mounted there already"));
    undo();
    expect(coordinator.get(point)).toBeNull();
    mount(things[1]);
    coordinator.unmount(point);
    expect(coordinator.get(point)).toBeNull();
  });
});

test.each(["policies", "runners", "adapters", "models", "providers"] as const)(
  "several things are mounted at %s, each by its name or the given one",
  (point) => {
    const { coordinator } = createHost();
    const [one, other] = [{ name: "one" }, { name: "two" }];
    const at = point as "policies";
    coordinator.mount(at, one as never);
    coordinator.mount(at, other as never, { name: "given" });

    expect(coordinator.get(at, "one")).toBe(one);
    expect(coordinator.get(at, "given")).toBe(other);
    expect(coordinator.get(at, "two")).toBeNull();
    expect([...(coordinator.get(at) as ReadonlyMap<string, unknown>)]).toEqual([
      ["one", one],
      ["given", other],
    ]);
    expect(() => coordinator.mount(at, one as never)).toThrow(invalid(point, '"one" is mounted already'));
    expect(() => coordinator.unmount(at)).toThrow(invalid(point, "name required"));
    coordinator.unmount(at, "gone");
    coordinator.unmount(at, "one");
    expect(coordinator.get(at, "one")).toBeNull();
    expect(coordinator.get(at, "given")).toBe(other);
  },
);

test("tools are found by their name, but for internal ones in the whole list, and can be unmounted", async () => {
  const { coordinator, tools } = createHost();
  coordinator.mount("tools", tool());
  coordinator.mount("tools", tool(undefined, { name: "inside", status: "internal" }));

  expect(coordinator.get("tools", "probe")).toBe(tools()[0]);
  expect(coordinator.get("tools", "gone")).toBeNull();
  expect([...(coordinator.get("tools") as ReadonlyMap<string, unknown>).keys()]).toEqual(["probe"]);
  coordinator.unmount("tools", "probe");
  expect(tools()).toEqual([]);
});

test("the stores that an application gave are found before those that are mounted", () => {
  const store = createMemoryStore({ audit: "durable" });
  const { coordinator } = createHost({ store });
  coordinator.mount("session-store", createMemoryStore().sessions);

  expect(coordinator.get("session-store")).toBe(store.sessions);
  expect(coordinator.get("audit-sink")).toBe(store.audit);
  expect(coordinator.get("approver")).toBeNull();
});

test("the newest capability of a name is found, and an undone one gives way to the one before it", () => {
  const { coordinator } = createHost();
  expect(coordinator.getCapability("my.thing")).toBeNull();
  coordinator.registerCapability("my.thing", 1);
  const undo = coordinator.registerCapability("my.thing", 2);
  expect(coordinator.getCapability("my.thing")).toBe(2);
  undo();
  expect(coordinator.getCapability("my.thing")).toBe(1);
});

test("contributions are collected in order; what is empty is left out, and one that fails is in the log", async () => {
  const { host, lines } = logged();
  const { coordinator } = host;
  coordinator.registerContributor("facts", "one", () => "a");
  coordinator.registerContributor("facts", "two", async () => 0);
  for (const nothing of [null, undefined]) coordinator.registerContributor("facts", "none", () => nothing);
  coordinator.registerContributor("facts", "bad", () => {
    throw new Error("no");
  });
  const undo = coordinator.registerContributor("facts", "gone", () => "z");
  undo();

  expect(await coordinator.collectContributions("facts")).toEqual(["a", 0]);
  expect(await coordinator.collectContributions("other")).toEqual([]);
  expect(lines).toEqual([
    [
      "warn",
      {
        err: expect.objectContaining({ message: "no" }) as object,
        channel: "facts",
        contributor: "bad",
        owner: "host",
      },
      "a contributor failed",
    ],
  ]);
});

test("what a module provides is in the context of calls, under a name that is free", async () => {
  const { coordinator, call } = createHost();
  const undo = coordinator.provide("weather", () => "sunny");
  for (const name of ["weather", "callId", "session", "toString"])
    expect(() => coordinator.provide(name, () => 1)).toThrow(
      invalid("provide", `the context has a "${name}" already`),
    );
  coordinator.mount(
    "tools",
    tool((_, context) => data((context as unknown as { weather?: string }).weather ?? "none")),
  );

  expect((await call({ name: "probe" })).result.data).toBe("sunny");
  undo();
  expect((await call({ name: "probe" })).result.data).toBe("none");
});

test("a cleanup that was undone does not run, and one that is no function is left out", async () => {
  const ran: string[] = [];
  const host = createHost();
  host.coordinator.registerCleanup(() => void ran.push("a"));
  const undo = host.coordinator.registerCleanup(() => void ran.push("b"));
  host.coordinator.registerCleanup(undefined as never)();
  undo();
  undo();
  await host.close();

  expect(ran).toEqual(["a"]);
  expect(Object.isFrozen(host.coordinator)).toBe(true);
  expect(host.coordinator.config).toEqual({});
});
