import { expect, test } from "vitest";
import { allEvents, data, failure, hostEvents } from "../../src/index.ts";
import { tool, world } from "../world.ts";

test("the canonical events are Amplifier's forty-two, each once, as noun and moment", () => {
  expect(allEvents).toHaveLength(42);
  expect(new Set(allEvents).size).toBe(42);
  expect(allEvents.filter((name) => !/^[a-z_]+:[a-z_]+$/.test(name))).toEqual([]);
  const families = Object.groupBy(allEvents, (name) => name.split(":")[0]!);
  expect(
    Object.fromEntries(Object.entries(families).map(([family, names]) => [family, names!.length])),
  ).toEqual({
    session: 4,
    prompt: 2,
    plan: 2,
    provider: 7,
    llm: 2,
    content_block: 3,
    thinking: 2,
    tool: 3,
    context: 4,
    orchestrator: 1,
    execution: 2,
    user: 1,
    artifact: 2,
    policy: 1,
    approval: 3,
    cancel: 2,
    module: 1,
  });
});

test("a host emits exactly the events of its list", async () => {
  const { host, events } = world(
    [
      tool((_, context) => (context.progress({ progress: 1 }), data(1))),
      tool(() => failure("no"), { name: "failing" }),
      tool(() => data(1), { name: "asking", requiresConfirmation: true }),
    ],
    { approver: ({ arguments: { ok } }) => ({ decision: ok === true ? "approve" : "deny" }) },
  );
  await host.call({ name: "probe" });
  await host.call({ name: "failing" });
  await host.call({ name: "asking", arguments: { ok: true } });
  await host.call({ name: "asking", arguments: { ok: false } });
  await host.requestCancel();

  const emitted = new Set(events.map(({ event }) => event));
  const pending = "tool:pending"; // needs a store
  expect([...emitted, pending].toSorted()).toEqual([...hostEvents].toSorted());
});
