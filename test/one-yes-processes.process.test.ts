import fc from "fast-check";
import { expect, test } from "vitest";
import { sharedPostgres } from "../packages/workers/test/fleet/servers.ts";
import { call, say } from "../packages/cli/test/support/exchange.ts";
import { startModel, type Script } from "../packages/cli/test/support/scripted-model.ts";
import { YesProcesses, type Payment, type ProcessWay } from "./support/yes-processes.ts";

const payment: fc.Arbitrary<Payment> = fc.record({
  to: fc.constantFrom("bob", "eve"),
  user: fc.constantFrom("ada", "mallory"),
});
const which = fc.constantFrom(0, 0, 0, 1);

/** One thing that happens, as a process, or in an editor. */
const step = fc.oneof(
  payment.map((given) => (world: YesProcesses) => world.call(given)),
  fc
    .record({ which, yes: fc.constantFrom(true, true, false) })
    .map((given) => (world: YesProcesses) => world.answer(given.which, given.yes)),
  fc
    .record({ which, as: fc.constantFrom(undefined, undefined, "mallory") })
    .map((given) => (world: YesProcesses) => world.resume(given.which, given.as)),
  fc.constant((world: YesProcesses) => world.edit()),
);

const ways: readonly ProcessWay[] = ["call", "run", "chat", "fleet"];

test.each([...ways.entries()])(
  "seed 565%i: by processes of %s, what asks has no effect without a person's yes that fits it",
  { timeout: 120_000 },
  async (at, way) => {
    const script = ["bob", "eve"].map((to) => [`pay ${to}`, [[call("c1", "pay", { to })], [say("done")]]]);
    const baseUrl = await startModel(Object.fromEntries(script) as Script);
    const postgres = way === "fleet" ? await sharedPostgres() : null;
    try {
      await fc.assert(
        fc.asyncProperty(payment, fc.array(step, { minLength: 5, maxLength: 5 }), async (first, rest) => {
          const state =
            postgres === null ? "sqlite:./state.db" : await postgres.database(`yes${++databases}`);
          const world = await YesProcesses.open(way, baseUrl, state);
          await world.call(first);
          expect(world.found).toEqual({ agreed: 0, others: [] });
          await world.answer(0, true);
          await world.resume(0);
          // A way by which nothing ever happens would show nothing.
          expect(world.found).toEqual({ agreed: 1, others: [] });
          for (const take of rest) await take(world);
          expect(world.found.others).toEqual([]);
        }),
        { numRuns: 1, seed: 5650 + at, endOnFailure: true },
      );
    } finally {
      await postgres?.stop();
    }
  },
);

let databases = 0;
