import { expect, test } from "vitest";
import { z } from "zod";
import { createHost } from "../../src/index.ts";

test("a module dropped from a draft is undone alone, and its failures are returned", async () => {
  const host = createHost();
  const draft = host.draft();
  const kept = draft.addModule({ id: "kept" });
  const dropped = draft.addModule({ id: "dropped" });
  kept.coordinator.registerCapability("first", 1);
  dropped.coordinator.registerCapability("second", 2);
  dropped.coordinator.registerCleanup(() => {
    throw new Error("it would not go");
  });

  const failures = await draft.dropModule(dropped);
  await draft.commit();

  expect(failures).toMatchObject([{ message: "it would not go" }]);
  expect(host.modules().map(({ id }) => id)).toEqual(["kept"]);
  expect(host.coordinator.getCapability("first")).toBe(1);
  expect(host.coordinator.getCapability("second")).toBeNull();
});

test("the application may emit events of plans and modules; a module may not, and neither may emit events of calls", async () => {
  const host = createHost();
  const seen: string[] = [];
  host.coordinator.hooks.observe("*", (event) => seen.push(event));
  const draft = host.draft();
  const module = draft.addModule({ id: "host" });
  await draft.commit();

  await host.coordinator.hooks.emit("module:load_failed", {});

  expect(seen).toEqual(["module:load_failed"]);
  await expect(module.coordinator.hooks.emit("module:load_failed")).rejects.toMatchObject({
    code: "EVENT_RESERVED",
  });
  await expect(host.coordinator.hooks.emit("tool:pre")).rejects.toMatchObject({ code: "EVENT_RESERVED" });
});

test("a module that cannot be kept leaves nothing in the draft", async () => {
  const host = createHost();
  const tool = {
    name: "same",
    description: "d",
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    schema: z.strictObject({}),
    execute: () => ({ data: 1 }),
  };
  const first = host.draft();
  const old = first.addModule({ id: "old" });
  old.coordinator.registerCapability("old", 1);
  old.coordinator.mount("tools", tool);
  await first.commit();
  const second = host.draft();
  second.addModule({ id: "new" }).coordinator.mount("tools", { ...tool });

  expect(() => second.keepModule(old)).toThrow(expect.objectContaining({ code: "TOOL_DUPLICATE" }) as Error);
  await second.commit();

  expect(host.modules().map(({ id }) => id)).toEqual(["new"]);
  expect(host.coordinator.getCapability("old")).toBeNull();
});
