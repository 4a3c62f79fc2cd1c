import { expect, test } from "vitest";
import { createHost, createMemoryStore, data, type Host, type StateStore } from "../../src/index.ts";
import { createFakeClock, type FakeClock } from "../fake-clock.ts";
import { tool } from "../world.ts";

const context = { sessionId: "s", userId: "u" };

/** A store that can be away: each use then fails, before or after it did its work; or never answers. */
function unreliable() {
  const store = createMemoryStore({ audit: "durable" });
  const state = { away: false, afterwards: false, frozen: false };
  const wrap = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, key, receiver) {
        const method: unknown = Reflect.get(target, key, receiver);
        if (typeof method !== "function") return method;
        return async (...given: unknown[]) => {
          if (state.frozen) return new Promise(() => {});
          if (state.away && !state.afterwards) throw new Error("the store is away");
          const answer: unknown = await Reflect.apply(method, target, given);
          if (state.away) throw new Error("the store is away");
          return answer;
        };
      },
    });
  const wrapped: StateStore = {
    approvals: wrap(store.approvals),
    sessions: wrap(store.sessions),
    audit: wrap(store.audit!),
  };
  return { store, wrapped, state };
}

interface Case {
  readonly clock: FakeClock;
  readonly first: Host;
  readonly second: Host;
  readonly ends: unknown[];
}

/** Two hosts over one store; the tool of the first ends when the test says so. */
function twoHosts(execute: () => unknown, idempotent = false) {
  const clock = createFakeClock();
  const { store, wrapped, state } = unreliable();
  const ends: unknown[] = [];
  const hostOn = (over: StateStore): Host => {
    const host = createHost({ clock, store: over, approvals: { leaseMs: 15_000 } });
    host.coordinator.mount("tools", tool(execute, { requiresConfirmation: true, timeout: 0, idempotent }));
    host.coordinator.hooks.observe("*", (event, payload) => {
      if (event === "tool:post" || event === "tool:error") ends.push([event, payload["run_id"]]);
    });
    return host;
  };
  const made: Case = { clock, first: hostOn(wrapped), second: hostOn(store), ends };
  return { ...made, state, store };
}

/** A call that waited, was approved, and now runs at the first host. */
async function running({ first, clock }: Case) {
  const { ticket = "" } = await first.call({ name: "probe" }, context);
  const [question] = await first.approvals.list();
  await first.approvals.decide(question!.id, "approve", "ada");
  const outcome = first.resume(ticket, context);
  await clock.advance(1);
  return { ticket, outcome };
}

test.each([{ afterwards: false }, { afterwards: true }])(
  "a lease that could not be renewed is renewed when the store is back (stored before the failure: $afterwards)",
  async ({ afterwards }) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    let runs = 0;
    const here = twoHosts(() => (runs++, promise), true);
    const { ticket, outcome } = await running(here);

    here.state.afterwards = afterwards;
    here.state.away = true;
    await here.clock.advance(6_000);
    here.state.away = false;
    await here.clock.advance(60_000);

    expect(await here.second.resume(ticket, context)).toMatchObject({
      status: "pending",
      result: { details: { waitsFor: "run" } },
    });
    resolve(data("done"));
    expect(await outcome).toMatchObject({ status: "ok" });
    expect(runs).toBe(1);
  },
);

test.each(["sweep", "list", "resume"] as const)(
  "a host does not end its own running call as unknown when its lease ran out while the store was away (%s)",
  async (look) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const here = twoHosts(() => promise);
    const { ticket, outcome } = await running(here);
    here.state.away = true;
    await here.clock.advance(16_000);
    here.state.away = false;

    const { approvals } = here.first;
    if (look === "sweep") await approvals.sweep();
    else if (look === "list") await approvals.list();
    else expect(await here.first.resume(ticket, context)).toMatchObject({ status: "pending" });
    expect(here.ends).toEqual([]);
    resolve(data("done"));

    expect(await outcome).toMatchObject({ status: "ok" });
    expect(here.ends).toHaveLength(1);
    expect(await here.second.resume(ticket, context)).toMatchObject({ status: "ok" });
  },
);

test("a lease is not renewed after its host has closed", async () => {
  const here = twoHosts(() => new Promise(() => {}));
  const { ticket } = await running(here);
  const closed = here.first.close({ graceMs: 10 });
  await here.clock.advance(1_000);
  await closed;
  await here.clock.advance(60_000);

  expect((await here.second.resume(ticket, context)).status).not.toBe("pending");
});

test.each([{ afterwards: false }, { afterwards: true }])(
  "an end that could not be stored is stored when the store is back, and the run has one end (stored before the failure: $afterwards)",
  async ({ afterwards }) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const here = twoHosts(() => promise);
    const { ticket, outcome } = await running(here);

    here.state.afterwards = afterwards;
    here.state.away = true;
    resolve(data("done"));
    const first = await outcome;
    await here.clock.advance(7_000);
    here.state.away = false;
    await here.clock.advance(60_000);

    expect(first).toMatchObject({ status: "ok", result: { data: "done" } });
    expect(first.result.warnings?.join()).toContain("stored");
    expect(await here.second.resume(ticket, context)).toMatchObject({
      status: "ok",
      result: { data: "done" },
    });
    expect(here.ends).toEqual([["tool:post", first.runId]]);
  },
);

test("a call that expired is not ended twice when its end could not be stored", async () => {
  const here = twoHosts(() => data(1));
  const { ticket = "", runId } = await here.first.call({ name: "probe" }, context);
  await here.clock.advance(604_800_001);
  here.state.away = true;
  await here.first.approvals.sweep().catch(() => {});
  here.state.away = false;
  await here.first.approvals.sweep();

  expect(here.ends).toEqual([["tool:error", runId]]);
  expect(await here.second.resume(ticket, context)).toMatchObject({ result: { code: "APPROVAL_EXPIRED" } });
});

test("a store that does not answer before a tool begins ends the call at its deadline", async () => {
  const clock = createFakeClock();
  const { wrapped, state } = unreliable();
  const host = createHost({ clock, store: wrapped });
  let runs = 0;
  host.coordinator.mount(
    "tools",
    tool(() => data(++runs), { timeout: 1_000 }),
  );
  state.frozen = true;
  const plain = host.call({ name: "probe" });
  const ofSession = host.call({ name: "probe", id: "1" }, context);
  await clock.advance(2_000);

  expect([await plain, await ofSession]).toMatchObject([{ status: "timed_out" }, { status: "timed_out" }]);
  expect(runs).toBe(0);
});

test("a store that does not answer after a tool has ended holds its call no longer than the deadline", async () => {
  const clock = createFakeClock();
  const { wrapped, state } = unreliable();
  const host = createHost({ clock, store: wrapped });
  host.coordinator.mount(
    "tools",
    tool(() => ((state.frozen = true), data("done")), { timeout: 1_000 }),
  );
  const outcome = host.call({ name: "probe" });
  await clock.advance(2_000);

  const { status, result } = await outcome;
  expect(status).toBe("ok");
  expect(result.warnings?.join()).toContain("stored");
});

test("an abort ends a call whose store does not answer", async () => {
  const clock = createFakeClock();
  const { wrapped, state } = unreliable();
  const host = createHost({ clock, store: wrapped });
  host.coordinator.mount(
    "tools",
    tool(() => data(1), { timeout: 0 }),
  );
  state.frozen = true;
  const controller = new AbortController();
  const outcome = host.call({ name: "probe" }, { ...context, abortSignal: controller.signal });
  await clock.advance(1);
  controller.abort();
  await clock.advance(1_000);

  expect((await outcome).status).toBe("cancelled");
});

test("a run whose end is in the audit gets no second one when its host is gone", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const here = twoHosts(() => promise);
  const { ticket, outcome } = await running(here);
  // As after a kill between the two: the audit has the end, the record of the call has not.
  const replace = here.store.approvals.replace.bind(here.store.approvals);
  let lost = false;
  here.store.approvals.replace = async (record) =>
    record.state === "ended" && !lost ? new Promise(() => (lost = true)) : replace(record);
  resolve(data("done"));
  await here.clock.advance(1);
  void outcome;
  const dead = await here.store.approvals.list({ states: ["started"] });
  await here.clock.advance(1);
  here.store.approvals.list = async () => dead;
  await replace({ ...dead[0]!, version: dead[0]!.version + 1, leaseUntil: here.clock.now() - 1 });

  expect(await here.second.resume(ticket, context)).toMatchObject({ status: "unknown" });
  const written = await here.store.audit!.read({ runId: dead[0]!.info.runId });
  expect(written.filter(({ entry }) => entry.kind === "end")).toHaveLength(1);
});
