import { silentLogger, type Coordinator } from "@toolmount/core";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";

test("plan:mounted is emitted once when a plan is opened and once when it is reloaded", async () => {
  let emitted = 0;
  const listener = {
    mount: (coordinator: Coordinator) => void coordinator.hooks.observe("plan:mounted", () => void emitted++),
  };
  await using host = await openHost(
    { tools: [{ module: "listener" }] },
    { logger: silentLogger, extensions: { listener } },
  );

  await host.coordinator.hooks.emit("test:settled", {});
  expect(emitted).toBe(1);
  await host.reload();
  await host.coordinator.hooks.emit("test:settled", {});
  expect(emitted).toBe(2);
});

/** An adapter that renders modules with `on_ready` as modules with `onSessionReady`. */
const adapter = {
  mount: (coordinator: Coordinator) =>
    void coordinator.mount("adapters", {
      name: "foreign",
      recognises: () => false,
      adapt: () => expect.unreachable(),
      adaptModule: (exports: Record<string, unknown>) =>
        exports["on_ready"] === undefined
          ? null
          : { ...exports, onSessionReady: async () => (exports["on_ready"] as () => unknown)() },
    }),
};

test("ready callbacks run in the order of mounting, of native and adapted modules alike", async () => {
  const ready: string[] = [];
  const native = (name: string) => ({ mount: () => {}, onSessionReady: async () => void ready.push(name) });
  const foreign = (name: string) => ({ mount: () => {}, on_ready: () => void ready.push(name) });
  const extensions = { adapter, a: native("a"), b: foreign("b"), c: native("c"), d: foreign("d") };
  await using host = await openHost(
    { tools: ["adapter", "a", "b", "c", "d"].map((module) => ({ module })) },
    { logger: silentLogger, extensions },
  );

  expect(host.status().state).toBe("open");
  expect(ready).toEqual(["a", "b", "c", "d"]);
});
