import { expect, test } from "vitest";
import { CallBundle, keyOf } from "../../src/sessions/bundle.ts";

const approved = [
  { tool: "pay", arguments: { to: "ada", sum: 1 }, asks: ["the tool asks"] },
  { tool: "mail", arguments: {}, asks: [] },
];
const bundle = () => new CallBundle({ digest: "d", by: "ada" }, approved, new Set([keyOf("run", { n: 1 })]));
const asks = (...reasons: string[]) => reasons.map((reason) => ({ reason })) as never;

test("the calls of an approved list pass in their order, each once, whatever the order of their arguments", () => {
  const list = bundle();

  expect([list.digest, list.by, list.left]).toEqual(["d", "ada", 2]);
  expect(list.take("pay", { sum: 1, to: "ada" }, asks("the tool asks"))).toBeNull();
  expect(list.left).toBe(1);
  expect(list.take("run", { n: 1 }, asks("anything"))).toBeNull();
  expect(list.left).toBe(1);
  expect(list.take("mail", {}, asks())).toBeNull();
  expect(list.take("mail", {}, asks())).toBe("the approved list has no further call");
  expect(list.left).toBe(0);
});

test("a deviation from the list says what the next call is, and takes nothing from it", () => {
  const list = bundle();

  expect(list.take("pay", { to: "eve", sum: 1 }, asks())).toBe(
    'the next call of the approved list is "pay" with other arguments',
  );
  expect(list.take("mail", {}, asks())).toBe('the next call of the approved list is "pay"');
  expect(list.take("run", { n: 2 }, asks())).toBe('the next call of the approved list is "pay"');
  expect(list.take("pay", { to: "ada", sum: 1 }, asks("the tool asks", "the plan asks"))).toBe(
    "the approved list did not say that it asks: the plan asks",
  );
  expect(list.left).toBe(2);
});

test("a call that an earlier process made is passed over, and only that one", () => {
  const list = bundle();
  list.pass("mail");
  expect(list.left).toBe(2);
  list.pass("pay");
  list.pass("pay");

  expect(list.left).toBe(1);
  expect(list.take("mail", {}, asks())).toBeNull();
});
