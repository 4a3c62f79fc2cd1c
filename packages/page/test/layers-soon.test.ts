import { expect, onTestFinished, test, vi } from "vitest";

test("a change of calls while the waiting sessions are read reads them again", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked: ((sessions: readonly object[]) => void)[] = [];
  // What these modules of the page need of a browser to be imported.
  vi.stubGlobal("document", { querySelector: () => null });
  vi.stubGlobal("location", { hash: "" });
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("fetch", () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    asked.push((sessions) => resolve(Response.json({ sessions })));
    return promise;
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const { hostName, me } = await import("../dist/ui/state.js");
  const { readLayersSoon, waitingSessions } = await import("../dist/ui/layer/layers.js");
  hostName.value = "office";
  me.value = { name: "ana", user: null, roles: ["view"], hosts: [{ name: "office", layers: true }] } as never;

  readLayersSoon();
  readLayersSoon();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toHaveLength(1);
  readLayersSoon();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toHaveLength(1);
  asked[0]!([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toHaveLength(2);
  asked[1]!([{ session: "monday" }]);
  await vi.advanceTimersByTimeAsync(0);
  expect(waitingSessions.value).toEqual([{ session: "monday" }]);
});
