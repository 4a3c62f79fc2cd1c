import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { excessOf, hasWideObject, maxKeys, maxMembers, remainingMembers } from "../../src/json/shape.ts";
import { data } from "../../src/index.ts";
import { tool, world } from "../world.ts";

const wide = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
const tooWide = `an object of more than ${maxKeys} members`;

describe("the shape of a JSON text", () => {
  test.each([
    ["an object with most members", wide(maxKeys), null],
    ["one member more", wide(maxKeys + 1), tooWide],
    ["a wide object inside others", { a: [[{ b: wide(maxKeys + 1) }]] }, tooWide],
    ["many narrow objects", Array.from({ length: 90_000 }, () => ({ a: 1, b: { c: 2 } })), null],
    ["two objects side by side", [wide(maxKeys), wide(maxKeys)], null],
    ["a list of numbers", Array.from({ length: maxMembers }, () => 1), null],
    ["a longer list", Array.from({ length: maxMembers + 2 }, () => 1), `more than ${maxMembers} members`],
    ["text that looks like members", { text: '{"a":1,"b\\":2},'.repeat(maxKeys * 5) }, null],
    ["keys that look like members", { ['":,{'.repeat(maxKeys * 5)]: 1 }, null],
  ])("%s", (_, value, excess) => {
    expect(excessOf(JSON.stringify(value))).toBe(excess);
  });

  test("a wide object is found inside of any number of others", () => {
    const inside = (depth: number, value: unknown) =>
      `${'{"a":'.repeat(depth)}${JSON.stringify(value)}${"}".repeat(depth)}`;
    expect(excessOf(inside(15_000, 1))).toBeNull();
    expect(excessOf(inside(15_000, wide(maxKeys + 1)))).toBe(tooWide);
  });

  test.each([
    ["before", wide(maxKeys), ""],
    ["after", {}, `,${JSON.stringify(wide(maxKeys)).slice(1, -1)}`],
  ])("members %s an inner object count for the outer one", (_, first, rest) => {
    const text = (inner: string) =>
      `${JSON.stringify(first).slice(0, -1)},"k":${inner}${rest}}`.replace("{,", "{");

    expect(excessOf(text('{"a":{"b":[{}]}}'))).toBe(tooWide);
  });

  test("objects on a path of a thousand and one are counted apart up to the thousandth", () => {
    const members = (count: number) => JSON.stringify(wide(count)).slice(1, -1);
    const at = (depth: number, count: number) =>
      `${'{"a":'.repeat(depth)}{${members(count)},"z":{"y":{}}}${"}".repeat(depth)}`;

    expect([998, 999].map((depth) => excessOf(at(depth, maxKeys)))).toEqual([tooWide, tooWide]);
    expect([998, 999].map((depth) => excessOf(at(depth, maxKeys - 1)))).toEqual([null, null]);
  });

  test("the shortest text that is counted has five characters for each member", () => {
    const most = `{${Array.from({ length: maxKeys }, () => '"":0').join(",")}}`;

    expect(excessOf(`{${Array.from({ length: maxKeys + 1 }, () => '"":0').join(",")}}`)).toBe(tooWide);
    expect([most.length, excessOf(most)]).toEqual([maxKeys * 5 + 1, null]);
  });

  test.each(['"', '\\"', "\\\\", '\\\\\\"', ":,{}", ""])(
    "the string of %j hides nothing after it",
    (inner) => {
      const isOpen = inner === '"';
      const text = `[${isOpen ? '"x"' : `"${inner}"`},${JSON.stringify(wide(maxKeys + 1))}]`;

      expect(excessOf(text)).toBe(tooWide);
    },
  );

  test("strings of any content are skipped, and the object after them is counted", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 20 }), (texts) => {
        const padding = "x".repeat(maxKeys * 5);
        expect(excessOf(JSON.stringify({ texts, padding }))).toBeNull();
        expect(excessOf(JSON.stringify({ texts, after: wide(maxKeys + 1) }))).toBe(tooWide);
      }),
      { numRuns: 50 },
    );
  });

  test("a text that is no JSON ends, too", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", ",", ":", "[") }), (text) => {
        excessOf(text.repeat(2_000));
      }),
      { numRuns: 50 },
    );
  });
});

test.each<[unknown, number, number, boolean]>([
  [1, 1, 1, false],
  ["text", 0, 0, false],
  [null, 1, 1, false],
  [[], 3, 3, false],
  [[1, null, "a"], 3, 0, false],
  [{ a: 1, b: [1, 2], c: null }, 5, 0, false],
  [{ a: 1, b: [1, 2], c: null }, 4, -1, false],
  [{ a: [1, 2, 3, 4], b: [1, 2] }, 5, -1, false],
  [[[1], [1]], 1, -1, false],
  [wide(maxKeys), maxKeys, 0, false],
  [wide(maxKeys + 1), maxKeys, -1, true],
  [[1, [wide(maxKeys + 1)]], maxKeys + 5, 1, true],
  [{ a: { b: wide(maxKeys + 1) } }, maxKeys + 3, 0, true],
  [Array.from({ length: maxKeys + 1 }, () => 1), maxKeys + 1, 0, false],
])("what the members of a value leave of a budget: case %#", (value, budget, left, isWide) => {
  expect([remainingMembers(value, budget), hasWideObject(value)]).toEqual([left, isWide]);
});

test("arguments of a model with too many members are refused before they are parsed", async () => {
  const { host } = world([tool(() => data("ran"))]);

  const outcome = await host.call({ name: "probe", arguments: JSON.stringify(wide(maxKeys + 1)) });

  expect(outcome).toMatchObject({ status: "invalid", result: { code: "INVALID_ARGUMENTS" } });
  expect(outcome.result.error).toContain(tooWide);
});

test.each([
  ["flat", (count: number) => wide(count)],
  ["inside a list", (count: number) => ({ list: [wide(count)] })],
])("arguments that are an object, %s, have as many members as a text may have", async (_, given) => {
  const { host } = world([tool(() => data("ran"))]);
  const most = await host.call({ name: "probe", arguments: given(maxKeys) });
  const more = await host.call({ name: "probe", arguments: given(maxKeys + 1) });

  expect([most.status, more.status]).toEqual(["ok", "invalid"]);
  expect(more.result.error).toContain(tooWide);
});

test("a value of a session's state that is too wide is refused, and the one before it stays", async () => {
  const { host } = world([
    tool(({ count }, { session }) => {
      session.set("rows", wide(count as number));
      return data("kept");
    }),
  ]);
  const set = (count: number) => host.call({ name: "probe", arguments: { count } }, { sessionId: "s" });

  expect(await set(3)).toMatchObject({ status: "ok" });
  expect(await set(maxKeys + 1)).toMatchObject({ status: "failed" });
  expect(host.session("s").state.get("rows")).toEqual(wide(3));
});
