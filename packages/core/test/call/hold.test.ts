import { expect, test } from "vitest";
import { createMemoryStore, data } from "../../src/index.ts";
import { tool, world } from "../world.ts";

const s = { sessionId: "s", userId: "u" };

test("a host without room does not use an approval: the call waits again, then runs once, with one end", async () => {
  const store = createMemoryStore();
  let ran = 0;
  let began!: () => void;
  const hasBegun = new Promise<void>((resolve) => (began = resolve));
  let finish!: () => void;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const tools = [
    tool(() => data(++ran), { name: "asks", requiresConfirmation: true, category: "write" }),
    tool(
      () => {
        began();
        return finished.then(() => data(null));
      },
      { name: "slow" },
    ),
  ];
  const { host, eventsOf } = world(tools, { store, limits: { concurrentTotal: 1, queued: 0 } });
  const asked = await host.call({ name: "asks" }, s);
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "approve", "bob");
  const slow = host.call({ name: "slow" });
  await hasBegun;

  const full = await host.resume(asked.ticket!, s);

  expect(full).toMatchObject({
    status: "pending",
    ticket: asked.ticket,
    result: {
      code: "PENDING",
      details: { waitsFor: "run" },
      warnings: [expect.stringContaining("nothing ran")],
    },
  });
  expect((await store.approvals.get(question!.id))!).toMatchObject({ state: "approved", leaseUntil: null });
  finish();
  await slow;
  expect(await host.resume(asked.ticket!, s)).toMatchObject({ status: "ok", runId: asked.runId });
  expect(await host.resume(asked.ticket!, s)).toMatchObject({ status: "ok" });
  expect(ran).toBe(1);
  expect(eventsOf(asked.runId).filter((event) => event === "tool:post" || event === "tool:error")).toEqual([
    "tool:post",
  ]);
});
