import { ToolmountError } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { DeadlineExceeded, withTimeout } from "../src/trial/deadline.ts";
import { describeThrown } from "../src/trial/describe-thrown.ts";
import { findLeaks, leaksSince, takeFootprint } from "../src/trial/leaks.ts";

test("work that ends in time gives its value or its error", async () => {
  expect(await withTimeout(60_000, 5)).toBe(5);
  expect(await withTimeout(60_000, Promise.resolve(6))).toBe(6);
  await expect(withTimeout(60_000, Promise.reject(new Error("no")))).rejects.toThrow("no");
});

test("work that does not end is late, and the error says after how long", async () => {
  const late = await withTimeout(1, new Promise(() => {})).catch((thrown: unknown) => thrown);

  expect(late).toBeInstanceOf(DeadlineExceeded);
  expect(late).toMatchObject({ name: "DeadlineExceeded", message: "it did not end within 1 ms" });
});

test("after an abort, work is waited for as long as it takes", async () => {
  const controller = new AbortController();
  const work = Promise.withResolvers<number>();
  const waiting = withTimeout(1, work.promise, controller.signal);
  controller.abort();
  await new Promise((resolve) => void setTimeout(resolve, 5));
  work.resolve(7);

  expect(await waiting).toBe(7);
});

test.each<[unknown, string]>([
  [new Error("no"), "no"],
  ["text", "text"],
  [new Error("x".repeat(400)), "x".repeat(300)],
])("the thrown value %j is described as %j", (thrown, text) => {
  expect(describeThrown(thrown)).toBe(text);
});

test("an error of toolmount is described with its code", () => {
  const error = new ToolmountError("TOOL_NOT_FOUND", { tool: "a" });

  expect(describeThrown(error)).toBe(`TOOL_NOT_FOUND: ${error.message}`);
});

test("what is held afterwards and was not before is a leak", async () => {
  const before = await takeFootprint();
  const timer = setInterval(() => {}, 1e6);
  const listener = () => {};
  process.on("SIGUSR2", listener);
  (globalThis as Record<string, unknown>)["left"] = 1;
  onTestFinished(() => {
    clearInterval(timer);
    process.off("SIGUSR2", listener);
    delete (globalThis as Record<string, unknown>)["left"];
  });
  const after = await takeFootprint();

  expect(findLeaks(before, after).filter((leak) => !leak.includes("Signal"))).toEqual([
    "a resource of type Timeout",
    'a listener of process "SIGUSR2"',
    "a global named left",
  ]);
  expect(findLeaks(after, after)).toEqual([]);
  expect(findLeaks(after, before)).toEqual([]);
});

test("timers that end soon by themselves are no leak, and those that stay are", async () => {
  // Timers of other test files in this process may end meanwhile, so these are more than all of them.
  const many = Array.from({ length: 1_000 }, (_, index) => index);
  const before = await takeFootprint();
  let ended = 0;
  for (const _ of many) setTimeout(() => (ended += 1), 60);
  expect(await leaksSince(before)).toEqual([]);
  expect(ended).toBe(many.length);

  const timers = many.map(() => setInterval(() => {}, 1e6));
  onTestFinished(() => timers.forEach(clearInterval));
  expect(await leaksSince(before)).toEqual(["a resource of type Timeout"]);
});

test("a second of a kind is a leak, too", () => {
  const footprint = (timers: number) => ({
    resources: new Map([["Timeout", timers]]),
    listeners: new Map([["exit", timers]]),
    globals: new Set<string>(),
  });

  expect(findLeaks(footprint(1), footprint(2))).toEqual([
    "a resource of type Timeout",
    'a listener of process "exit"',
  ]);
  expect(findLeaks(footprint(2), footprint(2))).toEqual([]);
  expect(findLeaks(footprint(2), footprint(1))).toEqual([]);
});
