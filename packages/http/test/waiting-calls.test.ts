import { createMemoryStore, systemClock, ToolmountError, type StateStore } from "@toolmount/core";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { BackgroundCalls } from "../src/work/background-calls.ts";
import { observed, settle } from "./support/turns.ts";
import { createWorld } from "./support/world.ts";

const now = 1_800_000_000_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now }));
afterEach(() => void vi.useRealTimers());

/** A server that resumes the calls of a host; what the watch of the host sees is the test's. */
function world(store: StateStore = createMemoryStore()) {
  const { host: made, started } = createWorld({ store });
  onTestFinished(async () => void (await made.close()));
  const resumed: unknown[][] = [];
  let resume = made.resume.bind(made);
  const host = {
    ...made,
    resume: (...words: Parameters<typeof resume>) => (resumed.push(words), resume(...words)),
  };
  const { logged, logger, listeners, watch } = observed();
  const cut = new AbortController();
  const open = (scope = "plan") => {
    const calls = new BackgroundCalls({
      host,
      watch,
      clock: systemClock,
      logger,
      scope,
      replicas: { plan: "", mayTake: () => true },
      cut: cut.signal,
    } as never);
    onTestFinished(() => calls.close());
    return calls;
  };
  /** A call that waits, which the server keeps. */
  const ask = async (calls: BackgroundCalls, text = "all") => {
    const context = { sessionId: "s", userId: "ana" };
    const { callId, ticket } = await host.call({ name: "wipe", arguments: { text } }, context);
    await calls.keep({ callId, ticket: ticket! }, { ...context, abortSignal: cut.signal });
    return { callId, ticket: ticket! };
  };
  const decide = async (callId: string) => {
    const [question] = await host.approvals.list({ callId });
    await host.approvals.decide(question!.id, "approve", "olga");
  };
  const see = async () => {
    const views = await host.approvals.list();
    for (const listener of listeners) listener(views);
    await settle();
  };
  const rows = async () => (await store.work!.list({ kind: "call" })).toSorted((a, b) => a.at - b.at);
  const answers = (answer: () => Promise<never>) => void (resume = answer);
  return {
    host,
    store,
    started,
    resumed,
    logged,
    listeners,
    watch,
    cut,
    open,
    ask,
    decide,
    see,
    rows,
    answers,
  };
}

describe("a call that waits in the background", () => {
  test("is kept with its ticket and context, and runs once when its question is answered", async () => {
    const { open, ask, decide, see, rows, resumed, started, cut, listeners } = world();
    const calls = open();
    const { callId, ticket } = await ask(calls);
    const row = {
      kind: "call",
      id: expect.any(String),
      scope: "plan",
      sessionId: "s",
      userId: "ana",
      at: now,
      dueAt: null,
    };
    const context = { sessionId: "s", userId: "ana" };
    expect(await rows()).toEqual([
      { ...row, version: 1, status: "waiting", body: { plan: "", callId, ticket, context } },
    ]);
    await see();
    expect([resumed, listeners.size]).toEqual([[], 1]);
    await decide(callId);
    await see();
    expect(resumed).toEqual([[ticket, { ...context, abortSignal: cut.signal }]]);
    expect(started).toEqual(["wipe"]);
    expect(await rows()).toEqual([{ ...row, version: 2, status: "ended", body: { callId } }]);
    expect(listeners.size).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    await settle();
    expect(resumed).toHaveLength(1);
  });

  test("whose question is answered before it is kept runs at once", async () => {
    const { open, host, decide, started } = world();
    const calls = open();
    const { callId, ticket } = await host.call({ name: "wipe" }, {});
    await decide(callId);
    await calls.keep({ callId, ticket: ticket! }, {});
    await settle();
    expect(started).toEqual(["wipe"]);
  });

  test("behind a list that was cut runs where it was in the list before, or at the next look", async () => {
    const { open, ask, decide, see, started, watch } = world();
    const calls = open();
    const [one, two] = [await ask(calls, "one"), await ask(calls, "two")];
    await see();
    watch.hasMore = true;
    await decide(one.callId);
    await see();
    expect(started).toHaveLength(1);
    const other = world(createMemoryStore());
    const later = other.open();
    const { callId } = await other.ask(later);
    other.watch.hasMore = true;
    await other.decide(callId);
    await other.see();
    expect(other.started).toEqual([]);
    await vi.advanceTimersByTimeAsync(15_000);
    await settle();
    expect(other.started).toEqual(["wipe"]);
    void two;
  });

  test("of a server before is resumed by the next one of its plan", async () => {
    const { open, ask, decide, started, listeners } = world();
    const first = open();
    const { callId } = await ask(first);
    await first.close();
    expect(listeners.size).toBe(0);
    await decide(callId);
    open("other");
    await settle();
    expect(started).toEqual([]);
    open();
    await settle();
    expect(started).toEqual(["wipe"]);
  });
});

describe("a call that cannot be resumed", () => {
  const failing = async (given: unknown) => {
    const made = world();
    const calls = made.open();
    const { callId } = await made.ask(calls);
    await made.decide(callId);
    made.answers(async () => {
      throw given;
    });
    await made.see();
    return { ...made, callId };
  };

  test("since its ticket was used has ended, and the log says so", async () => {
    const err = new ToolmountError("TICKET_USED", {} as never);
    const { logged, rows, callId } = await failing(err);
    expect(logged).toEqual([["warn", { err, call: callId }, "a call could not be resumed"]]);
    expect((await rows())[0]).toMatchObject({ status: "ended", body: { callId } });
  });

  test.each([new Error("the store is away"), new ToolmountError("SESSION_CONFLICT", {} as never)])(
    "for another reason (%s) is resumed at the next look",
    async (err) => {
      const { logged, rows, resumed, answers, started } = await failing(err);
      expect(logged).toEqual([["error", { err }, "calls that wait cannot be read or resumed"]]);
      expect((await rows())[0]).toMatchObject({ status: "waiting" });
      answers(async () => ({ status: "pending" }) as never);
      await vi.advanceTimersByTimeAsync(15_000);
      await settle();
      expect([resumed.length, started]).toEqual([2, []]);
      expect((await rows())[0]).toMatchObject({ status: "waiting" });
    },
  );
});

test("a server that closes waits for the calls that run, and resumes no more", async () => {
  const { open, ask, decide, see, answers, resumed, rows } = world();
  const calls = open();
  const [one, two] = [await ask(calls, "one"), await ask(calls, "two")];
  const { promise, resolve } = Promise.withResolvers<never>();
  answers(() => promise);
  await decide(one.callId);
  await see();
  let isClosed = false;
  const closing = calls.close().then(() => (isClosed = true));
  await decide(two.callId);
  await see();
  await vi.advanceTimersByTimeAsync(30_000);
  await settle();
  expect([isClosed, resumed.length]).toEqual([false, 1]);
  resolve({ status: "ok" } as never);
  await closing;
  expect((await rows()).map(({ status }) => status).toSorted()).toEqual(["ended", "waiting"]);
});

test("what was resumed is known for 90 days", async () => {
  const { open, store, rows } = world();
  const days = 86_400_000;
  const body = { callId: "c" };
  const facts = { kind: "call", version: 1, scope: "plan", sessionId: null, userId: null, dueAt: null, body };
  const save = (id: string, status: string, at: number) => store.work!.save({ ...facts, id, status, at });
  await save("old", "ended", now - 90 * days - 1);
  await save("new", "ended", now - 90 * days);
  open();
  await settle();
  expect((await rows()).map(({ id }) => id)).toEqual(["new"]);
});
