import { silentLogger, type Clock, type Coordinator } from "@toolmount/core";
import { z } from "zod";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";
import { installed, workspace } from "../workspace.ts";

const tool = (name: string) => ({
  name,
  description: "d",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  schema: z.strictObject({}),
  execute: () => ({ data: name }),
});

/** Modules that record when they are mounted and undone. */
function diary() {
  const lines: string[] = [];
  const writes = (name: string, then: () => void = () => {}) => ({
    async mount(coordinator: Coordinator) {
      lines.push(`mount ${name}`);
      coordinator.registerCleanup(async () => void lines.push(`undo ${name}`));
      coordinator.mount("tools", tool(name));
      then();
    },
  });
  return { lines, writes };
}

const fail = () => {
  throw new Error("the disk is full");
};

test("when a required module fails, everything mounted is undone in reverse, and the others are still tried", async () => {
  const { lines, writes } = diary();
  const extensions = {
    a: writes("a"),
    b: writes("b"),
    bad: writes("bad", fail),
    c: writes("c"),
    worse: writes("worse", fail),
  };
  const plan = {
    tools: [{ module: "a" }, { module: "b" }, { module: "bad" }, { module: "c" }, { module: "worse" }],
  };

  await expect(openHost(plan, { logger: silentLogger, extensions })).rejects.toMatchObject({
    code: "PLAN_INVALID",
    details: {
      problems: [
        {
          code: "MODULE_MOUNT_FAILED",
          path: "tools[2].module",
          message: expect.stringContaining("the disk is full") as string,
        },
        { code: "MODULE_MOUNT_FAILED", path: "tools[4].module" },
      ],
    },
    cause: { errors: [{ message: "the disk is full" }, { message: "the disk is full" }] },
  });
  expect(lines).toEqual([
    "mount a",
    "mount b",
    "mount bad",
    "undo bad",
    "mount c",
    "mount worse",
    "undo worse",
    "undo c",
    "undo b",
    "undo a",
  ]);
});

test("a cleanup that fails keeps no other from running, and does not hide the problem", async () => {
  const { lines, writes } = diary();
  const rude = {
    mount: (coordinator: Coordinator) => {
      coordinator.registerCleanup(fail);
    },
  };
  const plan = { tools: [{ module: "a" }, { module: "rude" }, { module: "bad" }] };

  await expect(
    openHost(plan, { logger: silentLogger, extensions: { a: writes("a"), rude, bad: { mount: fail } } }),
  ).rejects.toMatchObject({ details: { problems: [{ path: "tools[2].module" }] } });
  expect(lines).toEqual(["mount a", "undo a"]);
});

test("C29: an optional module that fails is undone completely, reported by an event, and shown in the status", async () => {
  const { lines, writes } = diary();
  const events: unknown[] = [];
  const watcher = {
    mount: (coordinator: Coordinator) =>
      void coordinator.hooks.observe("module:load_failed", (_, data) => events.push(data)),
  };
  const plan = {
    tools: [{ module: "bad", required: false }, { module: "gone", required: false }, { module: "a" }],
    hooks: [{ module: "watcher" }],
  };
  const extensions = { a: writes("a"), bad: writes("bad", fail), watcher };
  const host = await openHost(plan, { logger: silentLogger, extensions });

  expect(host.tools().map(({ name }) => name)).toEqual(["a"]);
  expect(lines).toEqual(["mount bad", "undo bad", "mount a"]);
  expect(events).toMatchObject([
    { module_id: "gone", error: { code: "SOURCE_NOT_FOUND" } },
    { module_id: "bad", error: { code: "MODULE_MOUNT_FAILED" } },
  ]);
  expect(host.status().entries).toMatchObject([
    { id: "a", state: "mounted" },
    { id: "watcher", state: "mounted" },
    { id: "gone", state: "failed", problems: [{ code: "SOURCE_NOT_FOUND" }] },
    { id: "bad", state: "failed", problems: [{ code: "MODULE_MOUNT_FAILED" }] },
  ]);
  await host.close();
});

test("C29: a variable that only an entry that is not required asks for keeps only that entry out", async () => {
  const { writes } = diary();
  const plan = { tools: [{ module: "a" }, { module: "b", required: false, config: { key: "${NOT_SET}" } }] };
  const host = await openHost(plan, {
    logger: silentLogger,
    env: {},
    extensions: { a: writes("a"), b: writes("b") },
  });

  expect(host.status().entries).toMatchObject([
    { id: "a", state: "mounted" },
    { id: "b", state: "failed", problems: [{ code: "VARIABLE_MISSING" }] },
  ]);
  await host.close();
});

test("modules that a manifest needs are mounted first; a module whose need failed is skipped and says so", async () => {
  const capability = (name: string) => `export const mount = (c) => { c.registerCapability("${name}", 1); }`;
  const needing = (need: string) =>
    `export const mount = (c) => { if (c.getCapability("${need}") === null) throw new Error("too early") }`;
  const { path } = await workspace({
    ...installed("@acme/needs-db", needing("db"), { toolmount: { needs: ["db"] } }),
    ...installed("@acme/db", capability("db"), { toolmount: { provides: ["db"] } }),
    ...installed("@acme/needs-bad", needing("bad"), { toolmount: { needs: ["bad"] } }),
    ...installed("@acme/bad", "export const mount = () => { throw new Error('no') }", {
      toolmount: { provides: ["bad"] },
    }),
    "plan.yaml": `
tools:
  - { module: "@acme/needs-db" }
  - { module: "@acme/db" }
  - { module: "@acme/needs-bad", required: false }
  - { module: "@acme/bad", required: false }
`,
  });
  const host = await openHost(path("plan.yaml"), { logger: silentLogger });

  expect(host.status().entries.map(({ id, state }) => [id, state])).toEqual([
    ["@acme/db", "mounted"],
    ["@acme/needs-db", "degraded"],
    ["@acme/bad", "failed"],
    ["@acme/needs-bad", "skipped"],
  ]);
  expect(host.status().entries[3]?.problems[0]?.message).toContain(
    'it needs "bad" of "@acme/bad", which failed',
  );
  await host.close();
});

test("a module that never finishes mounting fails after startTimeoutMs", async () => {
  const timers: (() => void)[] = [];
  const clock: Clock = {
    now: () => 0,
    setTimer(callback, ms) {
      if (ms === 50) timers.push(callback);
      return { cancel: () => {}, keepAlive: () => {} };
    },
  };
  const mount = () => {
    queueMicrotask(() => timers.at(-1)?.());
    return new Promise(() => {});
  };
  const opening = openHost(
    { tools: [{ module: "slow" }] },
    { logger: silentLogger, clock, startTimeoutMs: 50, extensions: { slow: { mount } } },
  );

  await expect(opening).rejects.toMatchObject({
    details: {
      problems: [{ code: "MODULE_MOUNT_FAILED", message: expect.stringContaining("within 50 ms") as string }],
    },
  });
});

test("a mount that ends after startTimeoutMs is cleaned up, and its coordinator says that it is closed", async () => {
  const timers: (() => void)[] = [];
  const clock: Clock = {
    now: () => 0,
    setTimer(callback, ms) {
      if (ms === 50) timers.push(callback);
      return { cancel: () => {}, keepAlive: () => {} };
    },
  };
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<unknown[]>();
  const seen: unknown[] = [];
  const note = (act: () => unknown) => {
    try {
      seen.push(act());
    } catch (error) {
      seen.push((error as { code?: string }).code);
    }
  };
  const mount = async (coordinator: Coordinator) => {
    queueMicrotask(() => timers.at(-1)?.());
    await released;
    note(() => coordinator.registerCapability("late", 1));
    note(() => coordinator.getCapability("late"));
    note(() => coordinator.hooks.observe("*", () => {}));
    coordinator.registerCleanup(() => void seen.push("registered cleanup"));
    return () => {
      seen.push("returned cleanup");
      end(seen);
    };
  };
  await expect(
    openHost(
      { tools: [{ module: "slow" }] },
      { logger: silentLogger, clock, startTimeoutMs: 50, extensions: { slow: { mount } } },
    ),
  ).rejects.toMatchObject({ code: "PLAN_INVALID" });
  release();

  expect(await ended).toEqual([
    "MODULE_MOUNT_FAILED",
    "MODULE_MOUNT_FAILED",
    "MODULE_MOUNT_FAILED",
    "registered cleanup",
    "returned cleanup",
  ]);
});
