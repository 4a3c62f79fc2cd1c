import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createMemoryStore, data, type HostOptions, type StateStore } from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const ada = { sessionId: "s", userId: "ada" };
const asks = { requiresConfirmation: true, category: "write" } as const;

/** A host whose tool asks, with what it ran. Worlds that share a store are as processes that share a disk. */
function paying(store: StateStore = createMemoryStore(), fields = {}, options: HostOptions = {}) {
  const paid: unknown[] = [];
  const pay = tool((given) => (paid.push(given), data({ receipt: paid.length })), {
    name: "pay",
    ...asks,
    ...fields,
  });
  return { ...world([pay], { store, ...options }), paid, store };
}

type World = ReturnType<typeof paying>;

/** Makes a call that waits. Returns the id of its question, and its ticket. */
async function wait({ host }: World, given: unknown = { to: "ACME" }, context: object = ada) {
  const { ticket } = await host.call({ id: "c1", name: "pay", arguments: given as never }, context);
  const [question] = await host.approvals.list();
  return { id: question!.id, ticket: ticket! };
}

/** The same, approved by bob. */
async function approved(here: World, given?: unknown, context: object = ada) {
  const waiting = await wait(here, given, context);
  await here.host.approvals.decide(waiting.id, "approve", "bob");
  return waiting;
}

describe("an approved call whose caller may be gone", () => {
  test("is run by a person, and its caller reads the same outcome later", async () => {
    const here = paying();
    const { id, ticket } = await approved(here);

    const view = await here.host.approvals.run(id, "carol");

    expect(view).toMatchObject({ state: "ended", end: { status: "ok" }, decision: { by: "bob" } });
    expect(here.paid).toEqual([{ to: "ACME" }]);
    const outcome = await here.host.resume(ticket, ada);
    expect(outcome).toMatchObject({ status: "ok", callId: "c1", result: { data: { receipt: 1 } }, ...ada });
    expect(await here.host.approvals.run(id, "carol")).toEqual(view);
    expect(here.paid).toHaveLength(1);
    expect(here.eventsOf(outcome.runId).filter((event) => event === "tool:post")).toHaveLength(1);
  });

  test("is run in a process that never had its ticket; the store does not have the result", async () => {
    const here = paying();
    const { id, ticket } = await approved(here);
    await here.host.close();
    const there = paying(here.store);

    await there.host.approvals.run(id, "carol");

    const stored = await here.store.approvals.get(id);
    expect(JSON.stringify(stored)).not.toContain("receipt");
    expect(await there.host.resume(ticket, ada)).toMatchObject({ result: { data: { receipt: 1 } } });
    expect([here.paid.length, there.paid.length]).toEqual([0, 1]);
  });

  test("runs once, when two people and its caller ask for it at the same moment, in three processes", async () => {
    const here = paying();
    const { id, ticket } = await approved(here);
    const worlds = [here, paying(here.store), paying(here.store)];

    const [first, second] = await Promise.all([
      worlds[0]!.host.approvals.run(id, "carol"),
      worlds[1]!.host.approvals.run(id, "dan"),
      worlds[2]!.host.resume(ticket, ada),
    ]);

    expect(worlds.flatMap(({ paid }) => paid)).toHaveLength(1);
    for (const view of [first, second]) expect(["claimed", "started", "ended"]).toContain(view.state);
    expect(await here.host.resume(ticket, ada)).toMatchObject({ status: "ok" });
    expect(worlds.flatMap(({ paid }) => paid)).toHaveLength(1);
  });

  test("runs with the arguments that its approver gave it", async () => {
    const here = paying();
    const { id, ticket } = await wait(here, '{"to":"ACME","amount":90}');
    await here.host.approvals.decide(
      id,
      { decision: "approve", arguments: { to: "ACME", amount: 9 } },
      "bob",
    );

    await here.host.approvals.run(id, "carol");

    expect(here.paid).toEqual([{ to: "ACME", amount: 9 }]);
    const { result } = await here.host.resume(ticket, ada);
    expect(result.warnings?.[0]).toContain("amount is 9");
  });

  test("runs with what its caller wrote, where the tool or a gate made something else of it", async () => {
    const schema = z.strictObject({ to: z.string(), amount: z.int().default(7) }) as never;
    const here = paying(createMemoryStore(), { schema });
    here.host.coordinator.hooks.gate("tool:pre", (_, { tool_input }) => {
      const { to, ...rest } = tool_input as { readonly to: string };
      return { action: "modify", data: { tool_input: { ...rest, to: `${to}!` } } };
    });
    const { id } = await approved(here, '{"to":"ACME"}');

    await here.host.approvals.run(id, "carol");

    expect(here.paid).toEqual([{ to: "ACME!", amount: 7 }]);
  });

  test("has in the audit who approved it, and who ran it", async () => {
    const here = paying(createMemoryStore({ audit: "durable" }));
    const { id } = await approved(here);
    await here.host.approvals.run(id, "carol");
    await here.host.close();

    const entries = (await here.store.audit!.read()).map(({ entry }) => entry);
    expect(entries.find(({ kind }) => kind === "start")).toMatchObject({
      approvedBy: "bob",
      runBy: "carol",
      ...ada,
    });
  });
});

describe("is not run without its caller, and can be resumed by it, a call", () => {
  test.each([
    ["that no person has approved", { to: "ACME" }, ada, null, "no person has approved it"],
    ["that is denied", { to: "ACME" }, ada, "deny", "it is denied"],
    ["with a secret", { to: "ACME", password: "hunter2" }, ada, "approve", "its request has a secret"],
    ["with words of its user", { to: "ACME" }, { ...ada, prompts: ["Pay!"] }, "approve", "words of its user"],
  ] as const)("%s", async (_, given, context, decision, problem) => {
    const here = paying();
    const { id, ticket } = await wait(here, given, context);
    if (decision !== null) await here.host.approvals.decide(id, decision, "bob");

    await expect(here.host.approvals.run(id, "carol")).rejects.toMatchObject({
      code: "RUN_REFUSED",
      message: expect.stringContaining(problem),
    });

    expect(here.paid).toEqual([]);
    const after = await here.host.resume(ticket, context);
    expect(after.status).toBe(decision === null ? "pending" : decision === "deny" ? "denied" : "ok");
  });

  test("that the plan denies now: it ends, as when its caller resumes it", async () => {
    const here = paying();
    const { id, ticket } = await approved(here);
    here.host.coordinator.hooks.gate("tool:pre", () => ({ action: "deny", reason: "not on Fridays" }));

    expect(await here.host.approvals.run(id, "carol")).toMatchObject({ end: { status: "denied" } });
    expect(await here.host.resume(ticket, ada)).toMatchObject({ status: "denied" });
    expect(here.paid).toEqual([]);
  });

  test("that has no question, and one whose person is not named", async () => {
    const here = paying();
    const { id } = await approved(here);
    await expect(here.host.approvals.run("nothing", "carol")).rejects.toMatchObject({
      code: "APPROVAL_NOT_FOUND",
    });
    await expect(here.host.approvals.run(id, " ")).rejects.toMatchObject({ code: "OPTION_INVALID" });
    expect(here.paid).toEqual([]);
  });
});

describe("a process that dies", () => {
  test.each([
    ["between the answer and the run: another one runs the call", "claimed", 1, "ok"],
    ["when the tool may have run: the call is unknown, and runs in no process", "started", 0, "unknown"],
  ] as const)("%s", async (_, state, times, status) => {
    const clock = createFakeClock();
    const here = paying(createMemoryStore(), {}, { clock });
    const { id, ticket } = await approved(here);
    const record = (await here.store.approvals.get(id))!;
    const leaseUntil = clock.now() + 15_000;
    await here.store.approvals.replace({ ...record, state, leaseUntil, version: record.version + 1 });
    const there = paying(here.store, {}, { clock });

    expect(await there.host.approvals.run(id, "carol")).toMatchObject({ state });
    expect(there.paid).toEqual([]);
    await clock.advance(16_000);
    await there.host.approvals.run(id, "carol");

    expect(there.paid).toHaveLength(times);
    expect(await there.host.resume(ticket, ada)).toMatchObject({ status });
  });
});

test("a caller whose approver is still asked has a ticket, not a denial, when another process ran its call", async () => {
  const answers = Promise.withResolvers<{ decision: "approve"; by: string }>();
  const here = paying(createMemoryStore(), {}, { approver: { ask: () => answers.promise } });
  const calling = here.host.call({ name: "pay", arguments: { to: "ACME" } }, ada);
  const there = paying(here.store);
  const [question] = await expect
    .poll(() => there.host.approvals.list())
    .toHaveLength(1)
    .then(() => there.host.approvals.list());
  await there.host.approvals.decide(question!.id, "approve", "bob");
  await there.host.approvals.run(question!.id, "bob");
  answers.resolve({ decision: "approve", by: "ada" });

  const { status, ticket } = await calling;

  expect(status).toBe("pending");
  expect(await here.host.resume(ticket!, ada)).toMatchObject({
    status: "ok",
    result: { data: { receipt: 1 } },
  });
  expect([here.paid.length, there.paid.length]).toEqual([0, 1]);
});

test("a call that must wait again, for a call of its tool, is its caller's, and nothing of it runs twice", async () => {
  const store = createMemoryStore();
  const made: unknown[] = [];
  const tools = [
    tool((given) => (made.push(given), data("made")), { name: "send", ...asks }),
    tool(
      async (_, context) => {
        const first = await context.call({ name: "note", arguments: {} });
        const { result } = await context.call({ name: "send", arguments: { to: "ACME" } });
        return data({ first: first.status, sent: result.data ?? null });
      },
      { name: "pay", ...asks, idempotent: true },
    ),
    tool(() => (made.push("noted"), data("noted")), { name: "note", category: "write" }),
  ];
  const { host } = world(tools, { store });
  const asked = await host.call({ id: "c1", name: "pay", arguments: {} }, ada);
  const [outer] = await host.approvals.list();
  await host.approvals.decide(outer!.id, "approve", "bob");

  expect(await host.approvals.run(outer!.id, "carol")).toMatchObject({ state: "suspended", runnable: false });
  await expect(host.approvals.run(outer!.id, "carol")).rejects.toMatchObject({ code: "RUN_REFUSED" });
  const [inner] = await host.approvals.list();
  await host.approvals.decide(inner!.id, "approve", "bob");
  const outcome = await host.resume(asked.ticket!, ada);

  expect(outcome).toMatchObject({ status: "ok", result: { data: { first: "ok", sent: "made" } } });
  expect(made).toEqual(["noted", { to: "ACME" }]);
});
