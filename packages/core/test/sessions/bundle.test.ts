import { expect, test } from "vitest";
import { grantForCall } from "../../src/pending/grant.ts";
import { CallBundle, type RehearsedFacts } from "../../src/sessions/bundle.ts";

const call = (tool: string, given: object): RehearsedFacts => ({
  tool,
  definition: "d",
  arguments: given as Record<string, unknown>,
  sessionId: "s",
  userId: undefined,
});
const granted = (facts: RehearsedFacts, ...reasons: string[]) => ({
  grant: grantForCall(facts, { id: "i", by: "ada", at: 1, expiresAt: 9 }),
  asks: reasons,
});
const approved = [granted(call("pay", { to: "ada", sum: 1 }), "the tool asks"), granted(call("mail", {}))];
const harmless = [granted(call("run", { n: 1 }), "the plan asks")];
const bundle = () => {
  const list = new CallBundle({ digest: "d", by: "ada" }, approved, harmless);
  const take = (tool: string, given: object, reasons: never, facts: object = {}, now = 2) =>
    list.take({ ...call(tool, given), ...facts }, reasons, now);
  return { list, take };
};
const asks = (...reasons: string[]) => reasons.map((reason) => ({ reason })) as never;

test("the calls of an approved list pass in their order, each once, whatever the order of their arguments", () => {
  const { list, take } = bundle();

  expect([list.digest, list.by, list.left]).toEqual(["d", "ada", 2]);
  expect(take("pay", { sum: 1, to: "ada" }, asks("the tool asks"))).toMatchObject({ by: "ada" });
  expect(list.left).toBe(1);
  expect(take("run", { n: 1 }, asks("the plan asks"))).toMatchObject({ by: "ada" });
  expect(list.left).toBe(1);
  expect(take("mail", {}, asks())).toMatchObject({ by: "ada" });
  expect(take("mail", {}, asks())).toBe("the approved list has no further call");
  expect(list.left).toBe(0);
});

test("a deviation from the list says what the next call is, and takes nothing from it", () => {
  const { list, take } = bundle();

  expect(take("pay", { to: "eve", sum: 1 }, asks())).toBe(
    'the next call of the approved list is "pay" with other arguments',
  );
  expect(take("mail", {}, asks())).toBe('the next call of the approved list is "pay"');
  expect(take("run", { n: 2 }, asks())).toBe('the next call of the approved list is "pay"');
  expect(take("pay", { to: "ada", sum: 1 }, asks("the tool asks", "the plan asks"))).toBe(
    "the approved list did not say that it asks: the plan asks",
  );
  expect(list.left).toBe(2);
});

test("a grant that an earlier run spent is passed over, and only that one", () => {
  const { list, take } = bundle();
  list.passTo(0);
  expect(list.left).toBe(2);
  list.passTo(1);
  list.passTo(1);
  list.passTo(0);

  expect(list.left).toBe(1);
  expect(take("mail", {}, asks())).toMatchObject({ by: "ada" });
});

test.each<[string, object, number, string]>([
  ["of a changed tool", { definition: "e" }, 2, "the tool changed"],
  ["of another session", { sessionId: "t" }, 2, "it is for another session"],
  ["of another user", { userId: "u" }, 2, "it is for another user"],
  ["after its time", {}, 9, "it has expired"],
])("a call %s is not covered by the list", (_, facts, now, problem) => {
  const { list, take } = bundle();

  for (const [tool, given] of [
    ["pay", { to: "ada", sum: 1 }],
    ["run", { n: 1 }],
  ] as const)
    expect(take(tool, given, asks(), facts, now)).toMatch(
      tool === "pay"
        ? `the approved list does not cover it: ${problem}`
        : 'the next call of the approved list is "pay"',
    );
  expect(list.left).toBe(2);
});

test("what changed nothing in the rehearsal, and asks for another reason than then, is not covered", () => {
  expect(bundle().take("run", { n: 1 }, asks("another rule asks"))).toBe(
    'the next call of the approved list is "pay"',
  );
});
