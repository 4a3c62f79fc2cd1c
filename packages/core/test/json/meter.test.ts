import { expect, test } from "vitest";
import { leastBytes, meter } from "../../src/json/meter.ts";

test.each<[unknown, number]>([
  ["", 2],
  ["abc", 5],
  [1, 1],
  [123, 1],
  [true, 1],
  [null, 1],
  [undefined, 1],
  [{}, 2],
  [[], 2],
  [new Date(0), 2],
  [{ a: 1 }, 7],
  [{ ab: "cd" }, 11],
  [[1, "ab"], 7],
  [[[], {}], 6],
  [{ a: { b: [null] } }, 15],
])("the value %j takes at least so many bytes as JSON: %i", (value, bytes) => {
  expect(leastBytes(value, 1_000)).toBe(bytes);
  expect([meter(value, bytes), meter(value, bytes - 1)]).toEqual([null, `larger than ${bytes - 1} bytes`]);
});

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

test("a value may be nested as deep as its caller says, and 64 levels otherwise", () => {
  expect([meter(nested(64), 1_000), meter(nested(65), 1_000)]).toEqual([
    null,
    "nested deeper than 64 levels",
  ]);
  expect([meter(nested(2), 1_000, 2), meter(nested(3), 1_000, 2)]).toEqual([
    null,
    "nested deeper than 2 levels",
  ]);
  expect(leastBytes(nested(65), 1_000)).toBe(Infinity);
});

test("a circle, and a list with holes, are too large and end", () => {
  const circle: unknown[] = [];
  circle.push(circle);
  const holes: unknown[] = [];
  holes.length = 1_000_000;

  expect(meter(circle, 1_000)).toBe("nested deeper than 64 levels");
  expect(meter(circle, 20)).toBe("larger than 20 bytes");
  expect(meter(holes, 10)).toBeNull();
});
