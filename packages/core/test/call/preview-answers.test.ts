import { expect, test } from "vitest";
import { data } from "../../src/index.ts";
import { tool, world } from "../world.ts";

const broken =
  '"probe" broke the tool contract: its preview has no list of effects, each with a target and a change';
const effect = { target: "t", change: "create" };

test.each<[unknown, string | null]>([
  [{ effects: [], result: { data: 1 } }, null],
  ...["create", "change", "delete", "move", "other"].map(
    (change) => [{ effects: [{ target: "t", change }], result: { data: 1 } }, null] as [unknown, null],
  ),
  [{ effects: [{ ...effect, difference: "+1" }], result: { data: 1 } }, null],
  [{ effects: [{ ...effect, cost: { amount: 0, currency: "EUR" } }], result: { data: 1 } }, null],
  [{ result: { data: 1 } }, broken],
  [null, broken],
  [[], broken],
  [{ effects: {}, result: { data: 1 } }, broken],
  [{ effects: [effect, 7], result: { data: 1 } }, broken],
  [{ effects: [{ change: "create" }], result: { data: 1 } }, broken],
  [{ effects: [{ target: "t", change: "buy" }], result: { data: 1 } }, broken],
  [{ effects: [{ ...effect, difference: 1 }], result: { data: 1 } }, broken],
  [{ effects: [{ ...effect, cost: 5 }], result: { data: 1 } }, broken],
  [{ effects: [{ ...effect, cost: { amount: "5", currency: "EUR" } }], result: { data: 1 } }, broken],
  [{ effects: [{ ...effect, cost: { amount: 5 } }], result: { data: 1 } }, broken],
  [{ effects: [], result: 7 }, expect.stringContaining("not a result") as string],
])("a preview that answers %j: %s", async (answer, error) => {
  const { host } = world([tool(() => data(1), { category: "write", preview: () => answer as never })]);
  const rehearsal = host.session("s").rehearse();
  const outcome = await rehearsal.call({ name: "probe", arguments: { a: 1 } });
  const { effects = [] } = (answer ?? {}) as { effects?: readonly unknown[] };

  expect([outcome.status, outcome.result.error ?? null]).toEqual([error === null ? "ok" : "failed", error]);
  expect(rehearsal.calls).toEqual(
    error !== null || effects.length === 0
      ? []
      : [
          {
            tool: "probe",
            callId: outcome.callId,
            runId: outcome.runId,
            arguments: { a: 1 },
            effects,
            isModelled: true,
            canUndo: null,
            asks: [],
            origins: [],
          },
        ],
  );
  expect(rehearsal.calls.every((one) => Object.isFrozen(one))).toBe(true);
});
