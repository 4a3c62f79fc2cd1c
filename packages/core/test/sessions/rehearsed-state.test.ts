import { expect, test } from "vitest";
import { data, type RunnerSession } from "../../src/index.ts";
import { tool, world } from "../world.ts";

test("a preview sees the state of its session with what earlier previews changed, and the session keeps its own", async () => {
  const seen: unknown[] = [];
  const steps: ((state: RunnerSession) => unknown)[] = [
    (state) => [state.get("kept"), state.get("none"), state.snapshot()],
    (state) => state.set("kept", [1]),
    (state) => [state.get("kept"), state.snapshot()],
    (state) => [state.delete("gone"), state.delete("gone"), state.delete("none")],
    (state) => [state.get("gone"), state.snapshot()],
    (state) => state.set("gone", 3),
    (state) => state.snapshot(),
  ];
  let at = 0;
  const { host } = world([
    tool((_, { session }) => (session.set("kept", { a: 1 }), session.set("gone", 2), data(null)), {
      name: "fill",
    }),
    tool(() => data(null), {
      category: "write",
      preview: (_, { session }) => {
        seen.push(steps[at++]!(session as RunnerSession));
        return { effects: [], result: data(null) };
      },
    }),
  ]);
  const session = host.session("s");
  await session.call({ name: "fill" });
  const rehearsal = session.rehearse();
  for (const _ of steps) expect((await rehearsal.call({ name: "probe" })).status).toBe("ok");

  expect(seen).toEqual([
    [{ a: 1 }, undefined, { kept: { a: 1 }, gone: 2 }],
    undefined,
    [[1], { kept: [1], gone: 2 }],
    [true, false, false],
    [undefined, { kept: [1] }],
    undefined,
    { kept: [1], gone: 3 },
  ]);
  expect([session.state.get("kept"), session.state.get("gone")]).toEqual([{ a: 1 }, 2]);
});
