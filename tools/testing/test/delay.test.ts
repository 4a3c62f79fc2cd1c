import type { Clock } from "@toolmount/core";
import { createDelay } from "@toolmount/tool-testing";
import { expect, test } from "vitest";

test("APTIX-82, APTIX-77: testing_delay waits as long as it was asked to", async () => {
  const clock = manualClock();
  const running = createDelay({}, { clock }).execute(
    { milliseconds: 250, note: "short" },
    { sessionId: "s-1", conversationId: "c-1" },
  );
  await clock.advance(250);

  expect((await running).data).toEqual({
    RequestedMilliseconds: 250,
    ElapsedMilliseconds: 250,
    WasCancelled: false,
    Note: "short",
    SessionId: "s-1",
    ConversationId: "c-1",
  });
});

test.each([
  { title: "nothing said", params: {}, requested: 1000 },
  { title: "less than nothing", params: { milliseconds: -5 }, requested: 0 },
  { title: "an hour", params: { milliseconds: 3_600_000 }, requested: 60_000 },
])("APTIX-28, APTIX-82: $title waits $requested ms", async ({ params, requested }) => {
  const clock = manualClock();
  const running = createDelay({}, { clock }).execute(params);
  await clock.advance(requested);

  expect((await running).data).toMatchObject({ RequestedMilliseconds: requested, Note: null });
});

test("APTIX-50, APTIX-51, APTIX-82: a delay that is cancelled answers at once, with success, that it was", async () => {
  const clock = manualClock();
  const caller = new AbortController();
  const running = createDelay({}, { clock }).execute(
    { milliseconds: 60_000, note: "long" },
    { abortSignal: caller.signal },
  );
  await clock.advance(40);
  caller.abort();

  expect((await running).data).toEqual({
    RequestedMilliseconds: 60_000,
    ElapsedMilliseconds: 40,
    WasCancelled: true,
    Note: "long",
    SessionId: null,
    ConversationId: null,
  });
  expect(clock.waiting()).toBe(0);
});

test("FORGE-31: a delay that was cancelled before is not begun", async () => {
  const clock = manualClock();
  const result = await createDelay({}, { clock }).execute({}, { abortSignal: AbortSignal.abort() });

  expect(result).toMatchObject({ error: "Request was cancelled", code: "CANCELLED" });
  expect(clock.waiting()).toBe(0);
});

test.each([
  { title: "a text", params: { milliseconds: "1s" }, names: "milliseconds" },
  { title: "a fraction", params: { milliseconds: 0.5 }, names: "milliseconds" },
  { title: "a note that is no text", params: { note: 1 }, names: "note" },
])("APTIX-30, APTIX-77: $title is refused by name", async ({ params, names }) => {
  const { error, code } = await createDelay().execute(params);

  expect(code).toBe("INVALID_ARGUMENTS");
  expect(error).toContain(names);
});

/** A clock that only `advance` moves. */
function manualClock() {
  let now = 1_000_000;
  const timers = new Set<{ at: number; callback: () => void }>();
  const clock: Clock = {
    now: () => now,
    setTimer(callback, ms) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer), keepAlive: () => {} };
    },
  };
  const advance = async (ms: number) => {
    await new Promise(setImmediate); // lets the call reach its wait
    now += ms;
    for (const timer of timers) if (timer.at <= now) timer.callback();
  };
  return { ...clock, advance, waiting: () => timers.size };
}
