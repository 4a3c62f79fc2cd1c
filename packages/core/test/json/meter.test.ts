import { expect, test } from "vitest";
import { data } from "../../src/index.ts";
import { leastBytes, measure, meter } from "../../src/json/meter.ts";
import { mostValues } from "../../src/json/shape.ts";
import { tool, world } from "../world.ts";

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
  expect(meter(holes, 10)).toBe("larger than 10 bytes");
});

const rest = (count: number) =>
  Object.fromEntries(Array.from({ length: (count - 1) % 3 }, (_, at) => [`rest${at}`, at]));

test.each([
  ["a list of lists", (count: number) => ({ a: Array.from({ length: count - 1 }, () => []) })],
  [
    "members of many objects",
    (count: number) => ({
      a: Array.from({ length: (count - 1) / 3 }, () => ({ b: 1, c: 2 })),
      ...rest(count),
    }),
  ],
  ["a list of numbers", (count: number) => ({ a: Array.from({ length: count - 1 }, () => 1) })],
])("arguments have at most so many values, as an object and as text: %s", async (_, make) => {
  const ran: string[] = [];
  const { host } = world([tool((given) => data(ran.push(Object.keys(given)[0]!)))], {
    limits: { argumentBytes: 8_000_000 },
  });
  const [most, more] = [make(mostValues), make(mostValues + 1)];
  expect([measure(most, 1e9).values, measure(more, 1e9).values]).toEqual([mostValues, mostValues + 1]);
  for (const given of [more, JSON.stringify(more)])
    expect((await host.call({ name: "probe", arguments: given })).result).toMatchObject({
      code: "INVALID_ARGUMENTS",
      error: expect.stringContaining("more than 50000 values") as string,
    });
  expect(ran).toEqual([]);
  expect((await host.call({ name: "probe", arguments: JSON.stringify(most) })).status).toBe("ok");
});
