import { join } from "node:path";
import { expect, test } from "vitest";
import { mountFar } from "../src/far/mount-far.ts";

/** Mounts a module of the folder `modules` as a process of its own does. */
function mount(name: string) {
  const specifier = join(import.meta.dirname, `modules/${name}.ts`);
  const module = { specifier, config: {} };
  const message = {
    type: "mount",
    module,
    folder: "/tmp",
    protectedPaths: [],
    secretPaths: [],
    describe: false,
    grants: { hooks: [], capabilities: [], given: {} },
  } as const;
  return mountFar(message, () => Promise.reject(new Error("there is no host")));
}

test("a process recognises a module as the host does: a class of another contract beside a tool of ours", async () => {
  const { tools } = await mount("mixed");

  expect([...tools.keys()]).toEqual(["weather", "by_hand"]);
});

test("a process refuses a module that the host would refuse, in the same words", async () => {
  await expect(mount("empty")).rejects.toMatchObject({
    code: "MODULE_INVALID",
    message: expect.stringContaining("greeting"),
  });
});

const grants = { hooks: ["tool:pre", "tool:post"], capabilities: ["kinds.settings"], given: {} };

/** The same for a host that does not import the module. */
function describeFar(config: object, name = "all-kinds", own: object = grants) {
  const specifier = join(import.meta.dirname, `modules/${name}.ts`);
  const message = {
    type: "mount",
    module: { specifier, config },
    folder: "/tmp",
    protectedPaths: ["/tmp/plan.yaml"],
    secretPaths: ["/tmp/.env"],
    describe: true,
    grants: own,
  };
  return mountFar(message as never, () => Promise.reject(new Error("there is no host")));
}

test("a module that its host does not import reports all that it registers", async () => {
  const { described, tools, keepsState } = await describeFar({ root: "/a" });
  expect(keepsState).toBe(true);
  expect([...tools.keys()]).toEqual(["look", "broken"]);
  expect(described!.tools.map(({ name }) => name)).toEqual(["broken", "look"]);
  expect(described!.hooks).toEqual([
    { id: expect.any(Number), kind: "gate", event: "tool:pre", name: "kinds", priority: 3, timeoutMs: 50 },
    { id: expect.any(Number), kind: "observe", event: "tool:post" },
  ]);
  expect(described!.capabilities).toEqual([
    {
      name: "kinds.settings",
      shape: { value: { root: "/a", limits: { lines: 5 }, folder: "/tmp" }, methods: [] },
    },
  ]);
  expect(described!.contributions).toEqual([
    { channel: "observability.events", name: "kinds", value: ["kinds:changed"] },
  ]);
  expect([...described!.registrations.own]).toEqual(["kinds:changed"]);
  expect(described!.registrations.isMounted).toBe(true);
});

test("a module that its host imports keeps no state, and reports nothing", async () => {
  const { described, keepsState } = await mount("mixed");
  expect([described, keepsState]).toEqual([undefined, false]);
  expect((await mount("counter")).keepsState).toBe(true);
});

test.each<[string, object, string, string]>([
  ["all-kinds", {}, "root: Invalid input: expected string, received undefined", "CONFIG_INVALID"],
  [
    "all-kinds",
    { root: "/a", limits: { lines: "x" } },
    "limits.lines: Invalid input: expected number, received string",
    "CONFIG_INVALID",
  ],
  [
    "all-kinds",
    { root: 1, limits: { lines: "x" } },
    "root: Invalid input: expected string, received number; limits.lines: Invalid input: expected number, received string",
    "CONFIG_INVALID",
  ],
  ["mixed", { a: 1 }, "a module that only exports tools takes no config", "CONFIG_INVALID"],
])("the module %s with the config %j is refused", async (name, config, problem, code) => {
  const details = { module: expect.stringMatching(`/${name}.ts$`), problem };
  await expect(describeFar(config, name)).rejects.toThrow(expect.objectContaining({ code, details }));
});

test("the arguments of a tool are parsed where its host has not imported it, and its failures are described", async () => {
  const { tools } = await describeFar({ root: "/a" });
  const look = tools.get("look")!;
  expect(await look.parse!({})).toMatchObject({ ok: true, value: { at: "here" } });
  expect(await look.definition.execute({ at: "there" }, {} as never)).toMatchObject({
    data: { at: "there" },
  });
  const thrown = await Promise.resolve()
    .then(() => tools.get("broken")!.definition.execute({}, {} as never))
    .catch((error: unknown) => error);
  expect(thrown).toMatchObject({
    name: "TypeError",
    message: "no paper",
    stack: expect.stringContaining("TypeError: no paper"),
    described: { error: "described: no paper" },
  });
  const own = await mount("counter");
  expect(own.tools.get("probe")!.parse).toBeUndefined();
});

test("what a plan does not grant is refused", async () => {
  const none = { hooks: [], capabilities: [], given: {} };
  await expect(describeFar({ root: "/a" }, "all-kinds", none)).rejects.toThrow(/hook|tool:pre/);
});

test("FORGE-N70: a process describes a tool whose schema is of a library that cannot print itself", async () => {
  const { described } = await describeFar({}, "zod3");

  expect(described?.tools).toMatchObject([
    { name: "greet", inputSchema: { properties: { who: { type: "string" } }, required: ["who"] } },
  ]);
});
