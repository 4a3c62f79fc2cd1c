import { silentLogger, type Clock, type Coordinator } from "@toolmount/core";
import { z } from "zod";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";
import { installed, moduleSource, toolFile, workspace } from "../workspace.ts";

const quiet = { logger: silentLogger };

/** A module that counts how often it was mounted and undone, and whose tool reports which mount it is of. */
function counting() {
  const seen = { mounted: 0, undone: 0 };
  const mount = (coordinator: Coordinator) => {
    const number = ++seen.mounted;
    coordinator.registerCleanup(() => seen.undone++);
    coordinator.mount("tools", {
      name: "count",
      description: "d",
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      schema: z.strictObject({}),
      execute: () => ({ data: number }),
    });
  };
  return { seen, module: { mount } };
}

test("a reload keeps modules that did not change, with their state, mounts changed ones again, and undoes removed ones", async () => {
  const { seen, module } = counting();
  const { path, write } = await workspace({
    "a.ts": toolFile("a"),
    "b.ts": toolFile("b"),
    "plan.yaml": "tools: [{ module: m }, { module: ./a.ts }]",
  });
  const host = await openHost(path("plan.yaml"), { ...quiet, extensions: { m: module } });

  await write({ "plan.yaml": "# moved down\ntools:\n  - module: ./b.ts\n  - module: m\n" });
  expect(await host.reload()).toMatchObject({
    generation: 2,
    kept: ["m"],
    mounted: ["./b.ts"],
    removed: ["./a.ts"],
  });
  expect(host.tools().map(({ name }) => name)).toEqual(["b", "count"]);
  expect(seen).toEqual({ mounted: 1, undone: 0 });
  expect(host.status().entries[1]).toMatchObject({ id: "m", position: { line: 4 } });

  await write({ "plan.yaml": "tools: [{ module: m, config: { a: 1 } }]" });
  expect(await host.reload()).toMatchObject({
    generation: 3,
    kept: [],
    mounted: ["m"],
    removed: ["./b.ts", "m"],
  });
  expect(seen).toEqual({ mounted: 2, undone: 1 });
  expect(await host.call({ name: "count" })).toMatchObject({ result: { data: 2 } });

  await host.close();
  expect(seen).toEqual({ mounted: 2, undone: 2 });
});

test("an edited file is imported again, a file that was not edited is kept", async () => {
  const { path, write } = await workspace({
    "a.ts": toolFile("a", "old"),
    "plan.yaml": "tools: [{ module: ./a.ts }]",
  });
  const host = await openHost(path("plan.yaml"), quiet);

  expect((await host.reload()).kept).toEqual(["./a.ts"]);
  await write({ "a.ts": toolFile("a", "new") });
  expect((await host.reload()).mounted).toEqual(["./a.ts"]);
  expect(await host.call({ name: "a" })).toMatchObject({ result: { data: "new" } });
  await host.close();
});

test("a plan that cannot be mounted changes nothing, and the status says why", async () => {
  const { seen, module } = counting();
  const { path, write } = await workspace({ "plan.yaml": "tools: [{ module: m }]" });
  const host = await openHost(path("plan.yaml"), {
    ...quiet,
    extensions: { m: module, bad: { mount: () => Promise.reject(new Error("no")) } },
  });

  for (const plan of [
    "tools: [",
    "toolz: []",
    "tools: [{ module: gone }]",
    "tools: [{ module: m }, { module: bad }]",
    "tools: [{ module: m, config: { a: 1 } }, { module: bad }]",
  ]) {
    await write({ "plan.yaml": plan });
    await expect(host.reload()).rejects.toMatchObject({ code: "PLAN_INVALID" });
    expect(host.status()).toMatchObject({
      generation: 1,
      reloadProblems: [{}],
      entries: [{ id: "m", state: "mounted", tools: ["count"] }],
    });
    expect(await host.call({ name: "count" })).toMatchObject({ result: { data: 1 } });
  }
  expect(seen.mounted - seen.undone).toBe(1);
  await write({ "plan.yaml": "tools: [{ module: m }]" });
  await host.reload();
  expect(host.status()).toMatchObject({ generation: 2, reloadProblems: [] });
  await host.close();
});

test("a module whose provider is mounted again is mounted again, too", async () => {
  const provider = 'export const mount = (c, config) => void c.registerCapability("db", config)';
  const { path, write } = await workspace({
    ...installed("@acme/db", provider, { toolmount: { provides: ["db"] } }),
    ...installed("@acme/user", moduleSource("user"), { toolmount: { needs: ["db"] } }),
    ...installed("@acme/other", moduleSource("other")),
    "plan.yaml": 'tools: [{ module: "@acme/user" }, { module: "@acme/db" }, { module: "@acme/other" }]',
  });
  const host = await openHost(path("plan.yaml"), quiet);

  await write({
    "plan.yaml":
      'tools: [{ module: "@acme/user" }, { module: "@acme/db", config: { a: 1 } }, { module: "@acme/other" }]',
  });
  expect(await host.reload()).toMatchObject({ kept: ["@acme/other"], mounted: ["@acme/db", "@acme/user"] });
  await host.close();
});

test("calls in flight finish on the old modules, while new calls see the new plan", async () => {
  let finish = (_: string) => {};
  const slow = (word: string) => ({
    tool: {
      name: "slow",
      description: "d",
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      schema: z.strictObject({}),
      execute: () =>
        word === "new"
          ? { data: word }
          : new Promise<string>((resolve) => (finish = resolve)).then(() => ({ data: word })),
    },
  });
  const host = await openHost(
    { tools: [{ module: "old" }] },
    { ...quiet, extensions: { old: slow("old"), new: slow("new") } },
  );
  const inFlight = host.call({ name: "slow" });
  const reloading = host.reload({ tools: [{ module: "new" }] });
  await expect.poll(async () => (await host.call({ name: "tool_that_is_not" })).status).toBe("not_found");
  await expect.poll(() => host.tools()[0]?.owner).toBe("new");

  expect(await host.call({ name: "slow" })).toMatchObject({ result: { data: "new" } });
  finish("now");
  expect(await inFlight).toMatchObject({ status: "ok", result: { data: "old" } });
  expect(await reloading).toMatchObject({ drained: { aborted: [] } });
  await host.close();
});

test("reloads run one after the other; closing during a reload undoes what it mounted", async () => {
  const { seen, module } = counting();
  let go = () => {};
  const slow = { mount: () => new Promise<void>((resolve) => (go = resolve)) };
  const host = await openHost({ tools: [] }, { ...quiet, extensions: { m: module, slow } });
  const first = host.reload({ tools: [{ module: "m" }] });
  const second = host.reload({ tools: [{ module: "m", config: { a: 1 } }, { module: "slow" }] });
  await first;
  await expect.poll(() => seen.mounted).toBe(2);

  const closing = host.close();
  go();

  await expect(second).rejects.toMatchObject({ code: "HOST_CLOSED" });
  await closing;
  expect(seen).toEqual({ mounted: 2, undone: 2 });
});

test("drainMs is how long a reload waits for the running calls of a changed module", async () => {
  const timers: (() => void)[] = [];
  const { promise: waiting, resolve: onWait } = Promise.withResolvers<void>();
  const clock: Clock = {
    now: () => 0,
    setTimer(callback, ms) {
      if (ms === 1234) {
        timers.push(callback);
        onWait();
      }
      return { cancel: () => {}, keepAlive: () => {} };
    },
  };
  const slow = {
    mount: (coordinator: Coordinator) =>
      void coordinator.mount("tools", {
        name: "slow",
        description: "Runs until it is aborted. Use in tests.",
        category: "read",
        consequenceLevel: "low",
        requiresConfirmation: false,
        schema: z.strictObject({}),
        execute: (_: object, context) =>
          new Promise((resolve) => {
            context?.abortSignal?.addEventListener("abort", () => resolve({ data: "aborted" }));
          }),
      }),
  };
  const host = await openHost(
    { tools: [{ module: "slow" }] },
    { ...quiet, clock, drainMs: 1234, extensions: { slow } },
  );
  const call = host.call({ id: "c-1", name: "slow" });
  const reload = host.reload({ tools: [] });
  await waiting;
  for (const fire of timers) fire();

  expect((await reload).drained.aborted).toHaveLength(1);
  expect((await call).result.data).toBe("aborted");
  await host.close();
});

test("reloads that follow each other leave time to timers, so that calls end meanwhile", async () => {
  const { module } = counting();
  const { path } = await workspace({ "plan.yaml": "tools:\n  - module: m\n" });
  const host = await openHost(path("plan.yaml"), { ...quiet, extensions: { m: module } });
  const timer = { hasFired: false };
  setTimeout(() => (timer.hasFired = true), 1);
  for (let turn = 0; turn < 2_000 && !timer.hasFired; turn++) await host.reload();

  expect(timer.hasFired).toBe(true);
  await host.close();
});
