import { expect, test } from "vitest";
import { createHost, createMemoryStore, data, type Approver, type StateStore } from "../../src/index.ts";
import { createFakeClock, type FakeClock } from "../fake-clock.ts";
import { tool } from "../world.ts";

const context = { sessionId: "s", userId: "u" };
const request = { id: "c1", name: "probe" };
const leaseMs = 15_000;

/** A host over a store. One whose clock never advances is like a process that ended: it renews no lease. */
function hostOn(store: StateStore, clock: FakeClock, approver?: Approver["ask"]) {
  const ask = approver === undefined ? {} : { approver };
  const host = createHost({ clock, store, approvals: { leaseMs }, ...ask });
  const ends: unknown[] = [];
  host.coordinator.mount(
    "tools",
    tool(() => data("ran"), { requiresConfirmation: true }),
  );
  host.coordinator.hooks.observe("tool:error", (_, { error }) => void ends.push(error));
  return { host, ends };
}

/** A store; `asked` resolves once it has a question. With `hangs`, it keeps the question and never answers. */
function askedStore(hangs = false) {
  const store = createMemoryStore();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const add: StateStore["approvals"]["add"] = async (record) => {
    await store.approvals.add(record);
    resolve();
    if (hangs) await new Promise(() => {});
  };
  return { store: { ...store, approvals: { ...store.approvals, add } }, asked };
}

const silent: Approver["ask"] = () => new Promise(() => {});

test.each([
  { what: "while its approver was asked", approver: silent, hangs: false },
  { what: "before the store answered", approver: undefined, hangs: true },
])(
  "the id of a call whose host ended $what is free after the lease, and the old question is ended",
  async ({ approver, hangs }) => {
    const { store, asked } = askedStore(hangs);
    const ended = hostOn(store, createFakeClock(), approver);
    void ended.host.call(request, context);
    await asked;

    const clock = createFakeClock();
    const { host, ends } = hostOn(store, clock);
    await clock.advance(leaseMs - 1);
    const [question] = await host.approvals.list();
    expect((await host.call(request, context)).result.code).toBe("DUPLICATE_CALL");
    await clock.advance(2);
    void host.call(request, context);
    await expect.poll(() => host.approvals.list()).toEqual([expect.objectContaining({ state: "pending" })]);
    expect((await host.approvals.list())[0]!.id).not.toBe(question!.id);
    expect(ends).toMatchObject([{ code: "DUPLICATE_CALL" }, { code: "APPROVAL_EXPIRED" }]);
  },
);

test("a host that still asks keeps the id, however long the person takes", async () => {
  const { store, asked } = askedStore();
  const clock = createFakeClock();
  const asking = hostOn(store, clock, silent);
  void asking.host.call(request, context);
  await asked;
  await clock.advance(leaseMs * 10);

  expect((await hostOn(store, clock).host.call(request, context)).result.code).toBe("DUPLICATE_CALL");
});

test.each([
  { what: "an outcome", approver: undefined },
  { what: "onQuestion", approver: silent },
])("a caller that has the ticket by $what keeps the id after its host ended", async ({ approver }) => {
  const { store } = askedStore();
  const ended = hostOn(store, createFakeClock(), approver);
  const ticket = await new Promise<string>((resolve) => {
    const given =
      approver === undefined ? context : { ...context, onQuestion: (one: string) => resolve(one) };
    void ended.host.call(request, given).then((outcome) => resolve(outcome.ticket!));
  });
  const isDelivered = async () => (await store.approvals.list())[0]!.undeliveredUntil === null;
  await expect.poll(isDelivered).toBe(true);

  const clock = createFakeClock();
  const { host } = hostOn(store, clock);
  await clock.advance(leaseMs * 10);
  expect((await host.call(request, context)).result.code).toBe("DUPLICATE_CALL");
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "approve", "ada");
  expect(await host.resume(ticket, context)).toMatchObject({ status: "ok", result: { data: "ran" } });
});
