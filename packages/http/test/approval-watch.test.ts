import { createMemoryStore, systemClock } from "@toolmount/core";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { LiveHost } from "../src/api/service.ts";
import { resumeWhenDecided } from "../src/api/until-decided.ts";
import { ApprovalWatch, isOpenQuestion, questionKey, readQuestion } from "../src/journal/approval-watch.ts";
import { settle } from "./support/turns.ts";
import { createWorld } from "./support/world.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Two processes with one store; one of them watches its questions. */
function world() {
  const store = createMemoryStore();
  const [{ host: here, started }, { host: there }] = [createWorld({ store }), createWorld({ store })];
  const errors: unknown[] = [];
  let looks = 0;
  let problem: Error | undefined;
  let held: Promise<void> | undefined;
  /** What is read from now on comes when the returned function is called. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return resolve;
  };
  const list: typeof here.approvals.list = async (filter) => {
    if (filter?.callId === undefined && filter?.states === undefined) looks += 1;
    if (problem !== undefined) throw problem;
    const found = await here.approvals.list(filter);
    await held;
    return found;
  };
  const host = { ...here, approvals: { ...here.approvals, list } };
  const watch = new ApprovalWatch(host, systemClock, (error) => void errors.push(error));
  onTestFinished(async () => {
    watch.close();
    await Promise.all([here.close(), there.close()]);
  });
  const ask = async (text = "a", on = here) => {
    const outcome = await on.call({ name: "wipe", arguments: { text } }, { sessionId: "s" });
    const [question] = await here.approvals.list({ callId: outcome.callId });
    return { ...outcome, id: question!.id };
  };
  const decide = (id: string, on = here) => on.approvals.decide(id, "approve", "olga");
  const fail = (error: Error | undefined) => void (problem = error);
  return { host, here, there, watch, ask, decide, errors, started, fail, hold, looks: () => looks };
}

const pass = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
  await settle();
};

describe("the questions of a host", () => {
  test("are reported at the first look, and when they change", async () => {
    const { watch, ask, decide, there } = world();
    const seen: string[][] = [];
    const one = await ask();
    const stop = watch.watch((views) => void seen.push(views.map(({ id }) => id)));
    await pass(499);
    expect(seen).toEqual([]);
    await pass(1);
    expect(seen).toEqual([[one.id]]);
    await pass(2_000);
    expect(seen).toHaveLength(1);
    const two = await ask("b", there);
    await pass(500);
    expect(seen.slice(1)).toEqual([[one.id, two.id]]);
    await decide(one.id, there);
    await pass(500);
    expect(seen.slice(2)).toEqual([[two.id]]);
    stop();
    await decide(two.id, there);
    await pass(2_000);
    expect(seen).toHaveLength(3);
  });

  test("of this process are reported without a look", async () => {
    const { watch, ask, decide } = world();
    const seen: number[] = [];
    watch.watch((views) => void seen.push(views.length));
    const { id } = await ask();
    await settle();
    await decide(id);
    await settle();
    expect(seen).toEqual([1, 0]);
  });

  test("are not read while nothing watches, or after the end", async () => {
    const { watch, ask, looks } = world();
    const stop = watch.watch(() => {});
    stop();
    await ask();
    await pass(2_000);
    expect(looks()).toBe(0);
    watch.watch(() => {});
    watch.close();
    await ask("b");
    await pass(2_000);
    expect(looks()).toBe(0);
  });

  test("are read again after a store that failed, which is reported", async () => {
    const { watch, ask, errors, fail } = world();
    const seen: number[] = [];
    watch.watch((views) => void seen.push(views.length));
    fail(new Error("it is away"));
    await pass(500);
    expect([errors, seen]).toEqual([[new Error("it is away")], []]);
    fail(undefined);
    await ask();
    await pass(500);
    expect(seen.at(-1)).toBe(1);
  });

  test("are found while they wait, and when they were answered since", async () => {
    const { watch, ask, decide, host } = world();
    const [one, two] = [await ask("a"), await ask("b")];
    expect((await watch.waiting()).map(({ id }) => id)).toEqual([one.id, two.id]);
    expect([watch.hasMore, watch.answered()]).toEqual([false, []]);
    expect((await watch.find(one.id))?.state).toBe("pending");
    await decide(one.id);
    expect((await watch.find(one.id))?.state).toBe("approved");
    await decide(two.id);
    await watch.waiting();
    expect(watch.answered().map(({ id }) => id)).toEqual([two.id, one.id]);
    expect(await watch.find("no")).toBeUndefined();
    await host.resume(one.ticket!, { sessionId: "s" });
    const read = await readQuestion(host, { id: one.id, callId: one.callId, sessionId: "s" });
    expect(read?.end).toMatchObject({ status: "ok" });
    expect(await readQuestion(host, { id: "no", callId: one.callId, sessionId: null })).toBeUndefined();
  });

  test("are found also by who comes while a reading is under way that began before they were asked", async () => {
    const { watch, ask, hold } = world();
    const release = hold();
    const before = watch.waiting();
    const one = await ask();
    const found = watch.find(one.id);
    release();
    expect(await before).toEqual([]);
    expect(await found).toMatchObject({ id: one.id, state: "pending" });
  });

  test("that are open are known by their call", async () => {
    const { ask, decide, host } = world();
    const { callId, id } = await ask();
    expect(await isOpenQuestion(host, { callId, sessionId: "s" })).toBe(true);
    expect(await isOpenQuestion(host, { callId, sessionId: "t" })).toBe(false);
    await decide(id);
    expect(await isOpenQuestion(host, { callId })).toBe(false);
    expect([questionKey({ callId }), questionKey({ callId, sessionId: null })]).toEqual([
      `\n${callId}`,
      `\n${callId}`,
    ]);
    expect(questionKey({ callId, sessionId: "s" })).toBe(`s\n${callId}`);
  });
});

describe("a call that is kept open for its question", () => {
  const open = async () => {
    const made = world();
    const outcome = await made.ask();
    const live = { host: made.host, watch: made.watch } as unknown as LiveHost;
    const wait = (waitMs: number, more: object = {}, of: object = outcome) =>
      resumeWhenDecided(live, of as typeof outcome, { sessionId: "s", ...more }, waitMs);
    return { ...made, outcome, wait };
  };

  test("runs when the question is answered", async () => {
    const { wait, decide, outcome, started } = await open();
    const waiting = wait(60_000);
    await settle();
    expect(started).toEqual([]);
    await decide(outcome.id);
    expect((await waiting).result.data).toBe("wiped a");
  });

  test("runs at once when the question was answered before", async () => {
    const { wait, decide, outcome } = await open();
    await decide(outcome.id);
    expect((await wait(60_000)).status).toBe("ok");
  });

  test("has its first outcome when its client leaves", async () => {
    const { wait, outcome } = await open();
    const controller = new AbortController();
    const waiting = wait(60_000, { abortSignal: controller.signal });
    await settle();
    controller.abort();
    expect(await waiting).toBe(outcome);
    expect(await wait(60_000, { abortSignal: AbortSignal.abort() })).toBe(outcome);
  });

  test.each<[string, object, number]>([
    ["is not to wait", {}, 0],
    ["has no ticket", { ticket: undefined }, 60_000],
    ["has ended", { status: "ok" }, 60_000],
    ["waits for another reason", { result: { code: "INTERRUPTED" } }, 60_000],
  ])("that %s has its first outcome", async (_, change, waitMs) => {
    const { wait, outcome, decide } = await open();
    await decide(outcome.id);
    const given = { ...outcome, ...change };
    expect(await wait(waitMs, {}, given)).toBe(given);
  });

  test("fails where the store does", async () => {
    const { wait, fail } = await open();
    fail(new Error("it is away"));
    await expect(wait(60_000)).rejects.toThrow(expect.objectContaining({ message: "it is away" }));
  });
});
