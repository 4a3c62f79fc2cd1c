import fc from "fast-check";
import { expect, test } from "vitest";
import { UnorderedList } from "../../src/scheduling/time.ts";

test("holds exactly the items that joined and have not left, each at its own place", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 60 }), (steps) => {
      const items = Array.from({ length: 10 }, () => ({ place: -1 }));
      const list = new UnorderedList<{ place: number }>();
      const expected = new Set<{ place: number }>();
      for (const step of steps) {
        const item = items[step]!;
        if (expected.delete(item)) list.remove(item);
        else {
          expected.add(item);
          list.add(item);
        }
        expect(list.size).toBe(expected.size);
      }
      expect(new Set(list.items())).toEqual(expected);
      for (const [place, item] of list.items().entries()) expect(item.place).toBe(place);
      for (const item of items) {
        expect(item.place === -1).toBe(!expected.has(item));
        if (!expected.has(item)) list.remove(item);
      }
      expect(list.size).toBe(expected.size);
    }),
  );
});
