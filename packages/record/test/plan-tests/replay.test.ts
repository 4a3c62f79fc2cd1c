import { dirname, join } from "node:path";
import { openHost } from "@toolmount/loader";
import { testPlan } from "@toolmount/record";
import { expect, test } from "vitest";
import { planWith } from "../support/pay-plan.ts";

/** Records a payment to each under a policy, answered by a person who lets only the first one pass. */
async function recorded(rules: object) {
  const { file, options } = await planWith(rules, [{ replay: "calls.tape" }]);
  const approver = ({ arguments: given }: { readonly arguments: object }) => ({
    decision: JSON.stringify(given).includes("ann") ? ("approve" as const) : ("deny" as const),
    by: "ada",
  });
  const host = await openHost(file, { ...options, approver, record: join(dirname(file), "calls.tape") });
  for (const to of ["ann", "thief"]) await host.call({ name: "pay", arguments: { to } });
  await host.close();
  return { file, options };
}

const asks = { ask: ["pay"] };

test("recorded calls are made again with the answers that people gave then", async () => {
  const { file, options } = await recorded(asks);
  const { replays, passed } = await testPlan(file, options);

  expect(replays.map(({ calls, problems }) => [calls, problems])).toEqual([[2, []]]);
  expect(passed).toBe(true);
});

test("a plan that answers otherwise now fails, and says which call", async () => {
  const tape = join(dirname((await recorded(asks)).file), "calls.tape");
  const { file, options } = await planWith({ deny: ["pay"] }, [{ replay: tape }]);
  const { replays, passed } = await testPlan(file, options);

  expect(replays[0]!.problems.join("\n")).toContain("pay");
  expect(passed).toBe(false);
});

test("a tape that is not there is a problem of its test", async () => {
  const { file, options } = await planWith({}, [{ replay: "gone.tape" }]);
  const { replays, passed } = await testPlan(file, options);

  expect(replays).toMatchObject([{ calls: 0, problems: [expect.stringMatching(/^gone\.tape: .*ENOENT/)] }]);
  expect(passed).toBe(false);
});
