import { createHost, createMemoryStore, data, defineTool } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

function world(asks = false) {
  const host = createHost({ store: createMemoryStore() });
  onTestFinished(async () => void (await host.close()));
  const ran: string[] = [];
  const gated: string[] = [];
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "add",
      description: "Adds. Use in tests.",
      schema: z.strictObject({ text: z.string() }),
      category: "side_effect",
      consequenceLevel: "low",
      requiresConfirmation: asks,
      execute: async ({ text }) => data(ran.push(text)),
    }),
  );
  host.coordinator.hooks.gate("tool:pre", () => {
    gated.push("tool:pre");
    return undefined;
  });
  const allowed = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const onAllowed = () => {
    allowed.resolve();
    return released.promise;
  };
  return { host, ran, gated, allowed, released, onAllowed };
}

test("a caller holds a call back that is allowed: its tool runs when the caller says so, and gates are asked once", async () => {
  const { host, ran, gated, allowed, released, onAllowed } = world();
  const outcome = host.call({ name: "add", arguments: { text: "a" } }, { onAllowed });
  await allowed.promise;
  expect(ran).toEqual([]);
  released.resolve();
  expect(await outcome).toMatchObject({ status: "ok", result: { data: 1 } });
  expect(gated).toEqual(["tool:pre"]);
});

test("a call that is held back ends when it is cancelled, when its caller refuses it, and when the host closes", async () => {
  for (const end of ["signal", "refusal", "close"]) {
    const { host, ran, allowed, released, onAllowed } = world();
    const controller = new AbortController();
    const context = { onAllowed, abortSignal: controller.signal };
    const outcome = host.call({ name: "add", arguments: { text: "a" } }, context);
    await allowed.promise;
    if (end === "signal") controller.abort();
    else if (end === "refusal") released.reject(new Error("the answer was cut"));
    else await host.close({ graceMs: 0 });
    expect(await outcome, end).toMatchObject({ status: "cancelled", result: { code: "CANCELLED" } });
    expect(ran).toEqual([]);
  }
});

test("a caller does not hear of calls that do not run: one that waits for a person, and one with wrong arguments", async () => {
  const { host, onAllowed, ran } = world(true);
  const calls: string[] = [];
  const hear = () => {
    calls.push("allowed");
    return onAllowed();
  };
  const asked = await host.call({ name: "add", arguments: { text: "a" } }, { onAllowed: hear });
  expect(asked).toMatchObject({ status: "pending", ticket: expect.any(String) as string });
  expect(await host.call({ name: "add", arguments: {} }, { onAllowed: hear })).toMatchObject({
    status: "invalid",
  });
  expect([calls, ran]).toEqual([[], []]);
});
