import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { excessOf, maxKeys, maxMembers } from "../../src/json/shape.ts";
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
