import { expect, test } from "vitest";
import { createHost } from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { logged } from "../logged-host.ts";

test("AMP-N27: closing waits for a cleanup at most as long as it may take, runs the others, and reports it", async () => {
  const clock = createFakeClock();
  const host = createHost({ clock });
  const undone: string[] = [];
  const draft = host.draft();
  const { coordinator } = draft.addModule({ id: "slow" });
  coordinator.registerCleanup(() => void undone.push("first"));
  coordinator.registerCleanup(() => new Promise(() => {}));
  coordinator.registerCleanup(async () => void undone.push("last"));
  await draft.commit();

  const closing = host.close();
  await clock.advance(4_999);
  expect(undone).toEqual(["last"]);
  await clock.advance(1);

  expect((await closing).failures).toEqual([new Error('a cleanup of "slow" did not end within 5000 ms')]);
  expect(undone).toEqual(["last", "first"]);
});

test("the time for a cleanup is an option, and a late failure is ignored", async () => {
  const clock = createFakeClock();
  const host = createHost({ clock, limits: { cleanupMs: 10 } });
  let fail: (error: Error) => void = () => {};
  host.coordinator.registerCleanup(() => new Promise((_, reject) => (fail = reject)));

  const closing = host.close();
  await clock.advance(10);
  fail(new Error("too late"));

  expect((await closing).failures).toHaveLength(1);
});

test("what a cleanup throws when its host closes is in the log, with its module", async () => {
  const { host, lines } = logged();
  const draft = host.draft();
  const err = new Error("still in use");
  draft.addModule({ id: "lamp" }).coordinator.registerCleanup(() => Promise.reject(err));
  await draft.commit();

  expect((await host.close()).failures).toEqual([err]);
  expect(lines).toContainEqual([
    "warn",
    { err: expect.objectContaining({ message: "still in use" }) as unknown, owner: "lamp" },
    "a cleanup of a module failed",
  ]);
});
