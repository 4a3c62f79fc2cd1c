import { plainWords } from "@toolmount/core/schemas";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { copyJson, isExact, maxPlanDepth, membersOf } from "../../src/diagnostics/json.ts";
import type { Path } from "../../src/diagnostics/positions.ts";
import { readIssues } from "../../src/diagnostics/schema-issues.ts";

describe("a plan that code gives", () => {
  const problemOf = (value: unknown) => {
    const copied = copyJson(value as never);
    return copied.ok ? undefined : [copied.path, copied.problem];
  };
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

  test("is copied as JSON, without what is undefined", () => {
    const given = { a: [1, "x", true, null, 1.5], b: { c: undefined, d: 2 ** 53 - 1 } };
    const copied = copyJson(given);

    expect(copied).toEqual({ ok: true, value: { a: [1, "x", true, null, 1.5], b: { d: 2 ** 53 - 1 } } });
    expect(problemOf(nested(maxPlanDepth + 1))).toBeUndefined();
  });

  test.each<[unknown, Path, string]>([
    [{ a: [() => 1] }, ["a", 0], "a[0]: a plan is plain data; this is a function"],
    [{ a: 1n }, ["a"], "a: a plan is plain data; this is a bigint"],
    [{ a: Number.NaN }, ["a"], "a: JSON cannot hold this number exactly"],
    [{ a: 2 ** 53 }, ["a"], "a: JSON cannot hold this number exactly"],
    [{ a: { constructor: 1 } }, ["a"], 'a: the key "constructor" is refused'],
    [{ prototype: 1 }, [], ': the key "prototype" is refused'],
    [JSON.parse('{"__proto__":1}'), [], ': the key "__proto__" is refused'],
    [
      nested(34),
      Array(33).fill("a"),
      `${Array(33).fill("a").join(".")}: maps and lists nest deeper than 32 levels`,
    ],
  ])("%o is refused at %j", (value, path, problem) => {
    expect(problemOf(value)).toEqual([path, problem]);
  });

  test("has members in maps and lists alone", () => {
    expect([membersOf({ a: 1 }), membersOf([1]), membersOf("x"), membersOf(null)]).toEqual([
      [["a", 1]],
      [[0, 1]],
      [],
      [],
    ]);
    expect([1.5, 2 ** 53, -(2 ** 53), Number.POSITIVE_INFINITY, 0].map(isExact)).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
  });
});

describe("the issues of a schema", () => {
  const schema = z.strictObject({
    name: z.string().min(2),
    port: z.number().optional(),
    list: z.array(z.strictObject({ colour: z.string() })).optional(),
    any: z.record(z.string(), z.strictObject({ size: z.number() })).optional(),
    one: z.union([z.strictObject({ left: z.number() }), z.strictObject({ right: z.number() })]).optional(),
  });
  const issuesOf = (value: unknown) => {
    const { issues } = schema.safeParse(value, plainWords).error!;
    return readIssues(schema, issues).map(
      ({ path, part, problem }) => `${path.join("/")} ${part}: ${problem}`,
    );
  };

  test.each<[unknown, readonly string[]]>([
    [{}, ['name value: "name" is missing']],
    [{ name: "ab", nam: 1 }, ['nam key: unknown key "nam"; did you mean "name"?']],
    [
      { name: "ab", q: 1, prt: 2 },
      ['q key: unknown key "q"', 'prt key: unknown key "prt"; did you mean "port"?'],
    ],
    [
      { name: "ab", list: [{ colour: "x", color: 1 }] },
      ['list/0/color key: unknown key "color"; did you mean "colour"?'],
    ],
    [
      { name: "ab", any: { x: { size: 1, sizes: 1 } } },
      ['any/x/sizes key: unknown key "sizes"; did you mean "size"?'],
    ],
    [{ name: "ab", one: { left: 1, lef: 1 } }, ['one/lef key: unknown key "lef"; did you mean "left"?']],
    [{ name: "ab", ["x".repeat(200)]: 1 }, [`${"x".repeat(200)} key: unknown key "${"x".repeat(100)}"`]],
  ])("of %j", (value, issues) => {
    expect(issuesOf(value)).toEqual(issues);
  });

  test("of a value that is wrong as a whole, and of very many keys", () => {
    const text = z.string();
    expect(readIssues(text, text.safeParse(7, plainWords).error!.issues)).toMatchObject([
      { path: [], part: "value" },
    ]);
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`k${at}`, 1]));
    expect(issuesOf({ name: "ab", ...many })).toHaveLength(50);
  });
});
