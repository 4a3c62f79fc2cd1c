import { expect, test } from "vitest";
import { z } from "zod";
import { createMemoryStore, data, type HostOptions } from "../../src/index.ts";
import { tool, world } from "../world.ts";

const s = { sessionId: "s", userId: "u" };

/** A host with a tool that pays, and that asks a person first; `paid` has the arguments of each payment. */
function payWorld(options: HostOptions = {}) {
  const paid: unknown[] = [];
  const pay = tool(
    (params) => {
      paid.push(params);
      return data("paid");
    },
    {
      name: "pay",
      category: "side_effect",
      requiresConfirmation: true,
      schema: z.strictObject({
        to: z.string(),
        amount: z.number().positive(),
        password: z.string().default("none"),
      }) as never,
    },
  );
  return { ...world([pay], { store: createMemoryStore(), ...options }), paid };
}

const given = { to: "ACME", amount: 1_299, password: "hunter2 and more" };

test("a call runs with the arguments that its approver gave it, and its model reads which were changed", async () => {
  const { host, paid } = payWorld();
  const asked = await host.call({ name: "pay", arguments: given }, s);
  const [question] = await host.approvals.list();
  const edited = { ...question!.arguments, amount: 99 };
  const view = await host.approvals.decide(question!.id, { decision: "approve", arguments: edited }, "bob");
  expect(view.decision).toMatchObject({ by: "bob", arguments: { to: "ACME", amount: 99 } });

  const outcome = await host.resume(asked.ticket!, s);

  expect(outcome).toMatchObject({
    status: "ok",
    result: { warnings: ["the approver changed the arguments before the call ran: amount is 99"] },
  });
  expect(paid).toEqual([{ ...given, amount: 99 }]);
});

test("a secret that the question masks stays the call's own, and no view shows it", async () => {
  const { host, paid } = payWorld();
  const asked = await host.call({ name: "pay", arguments: given }, s);
  const [question] = await host.approvals.list();
  expect(JSON.stringify(question)).not.toContain("hunter2");
  const edited = { ...question!.arguments, to: "ACME GmbH" };
  const view = await host.approvals.decide(question!.id, { decision: "approve", arguments: edited }, "bob");

  const outcome = await host.resume(asked.ticket!, s);

  expect(paid).toEqual([{ ...given, to: "ACME GmbH" }]);
  expect(JSON.stringify([view, outcome])).not.toContain("hunter2");
});

test("arguments that a model wrote as text are edited, too", async () => {
  const { host, paid } = payWorld();
  const asked = await host.call({ name: "pay", arguments: JSON.stringify(given) }, s);
  const [question] = await host.approvals.list();
  const edited = { ...question!.arguments, amount: 1 };
  await host.approvals.decide(question!.id, { decision: "approve", arguments: edited }, "bob");

  expect(await host.resume(asked.ticket!, s)).toMatchObject({ status: "ok" });
  expect(paid).toEqual([{ ...given, amount: 1 }]);
});

test("a gate judges the edited arguments: what it denies does not run", async () => {
  const { host, paid } = payWorld();
  host.coordinator.hooks.gate("tool:pre", (_, { tool_input: input }) =>
    (input as typeof given).to === "Mallory"
      ? { action: "deny", reason: "not to Mallory" }
      : { action: "continue" },
  );
  const asked = await host.call({ name: "pay", arguments: given }, s);
  const [question] = await host.approvals.list();
  const edited = { ...question!.arguments, to: "Mallory" };
  await host.approvals.decide(question!.id, { decision: "approve", arguments: edited }, "bob");

  expect(await host.resume(asked.ticket!, s)).toMatchObject({ status: "denied" });
  expect(paid).toEqual([]);
});

test("a call that waits in this process begins again with the edited arguments", async () => {
  const approver = { ask: () => new Promise<never>(() => {}) };
  const { host, paid } = payWorld({ approver });
  const call = host.call({ name: "pay", arguments: given }, s);
  await expect.poll(async () => (await host.approvals.list()).length).toBe(1);
  const [question] = await host.approvals.list();
  const edited = { ...question!.arguments, amount: 5 };
  await host.approvals.decide(question!.id, { decision: "approve", arguments: edited }, "bob");

  expect(await call).toMatchObject({ status: "ok" });
  expect(paid).toEqual([{ ...given, amount: 5 }]);
});

test.each([
  {
    title: "an argument of another type",
    decision: { decision: "approve", arguments: { to: "A", amount: "9" } },
  },
  {
    title: "an argument that the tool does not have",
    decision: { decision: "approve", arguments: { ...given, x: 1 } },
  },
  { title: "arguments of a denial", decision: { decision: "deny", arguments: given } },
  {
    title: "arguments that would be remembered",
    decision: { decision: "approve", arguments: given, remember: { scope: "arguments" } },
  },
] as const)("refused, and the question still waits: $title", async ({ decision }) => {
  const { host } = payWorld();
  await host.call({ name: "pay", arguments: given }, s);
  const [question] = await host.approvals.list();

  await expect(host.approvals.decide(question!.id, decision as never, "bob")).rejects.toMatchObject({
    code: "OPTION_INVALID",
    details: { option: "arguments" },
  });
  expect(await host.approvals.list()).toHaveLength(1);
});

test("arguments of a tool that a host does not have are refused there, since nothing can parse them", async () => {
  const store = createMemoryStore();
  const { host } = payWorld({ store });
  await host.call({ name: "pay", arguments: given }, s);
  const other = world([], { store }).host;
  const [question] = await other.approvals.list();

  const decided = other.approvals.decide(question!.id, { decision: "approve", arguments: given }, "bob");

  await expect(decided).rejects.toThrow('no tool named "pay" is mounted, which could parse them');
  expect(await host.approvals.list()).toHaveLength(1);
});
