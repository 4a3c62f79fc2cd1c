import { expect, test } from "vitest";
import fc from "fast-check";
import { shortIds } from "../../src/screen/short-ids.ts";
import { findByPrefix } from "../../src/options/find-by-prefix.ts";

test("an id is shown by its first 8 characters, or as many as no other id begins with", () => {
  const twins = [`${"a".repeat(12)}${"b".repeat(20)}`, `${"a".repeat(12)}${"c".repeat(20)}`];
  expect(shortIds(["0123456789abcdef0123456789abcdef"])("0123456789abcdef0123456789abcdef")).toBe("01234567");
  expect(twins.map(shortIds(twins))).toEqual([`${"a".repeat(12)}b`, `${"a".repeat(12)}c`]);
});

test("an id that a person chose is shown whole", () => {
  expect(shortIds(["invoices-of-november"])("invoices-of-november")).toBe("invoices-of-november");
});

test("what is shown of an id finds it again", () => {
  const id = fc.stringMatching(/^[ab]{32}$/);
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 6 }), (ids) => {
      const short = shortIds(ids);
      for (const one of ids) expect(findByPrefix(short(one), ids)).toBe(one);
    }),
  );
});
