import { describe, expect, test } from "vitest";
import { config } from "../src/index.ts";
import { compactCode, findWord, formsOf, hasCode, hostOf, normalize } from "../src/flows/text.ts";

describe("a value in a text", () => {
  test.each([
    ["  Ada \u00A0 Lovelace\t", "ada lovelace"],
    ["Ａｄａ", "ada"],
    ["a\u200Bd\u00ADa\uFEFF", "ada"],
    ["two  blanks", "two blanks"],
    ["a\nb", "a b"],
  ])("%j is compared as %j", (text, compared) => {
    expect(normalize(text)).toBe(compared);
  });

  test.each([
    ["ada", "write to ada.", 9],
    ["ada", "adam and ada", 9],
    ["ada", "adam", -1],
    ["ada", "xada", -1],
    ["ada", "", -1],
    ["", "ada", -1],
    ["a@b.co", "to a@b.co, now", 3],
    ["a@b.co", "a@b.co.", 0],
    ["a@b.co", "a@b.co.uk", -1],
    ["a@b.co", "x-a@b.co", -1],
    ["a@b.co", "x.a@b.co", -1],
    ["a@b.co", "(.a@b.co)", 2],
    ["b.co", "x.b.co", -1],
    ["b.co", "a@b.co", -1],
    ["b.co", "b.co/path", -1],
    ["b.co", "b.co?q", -1],
    ["b.co", "b.co#q", -1],
    ["b.co", "b.co-x", -1],
    ["b.co", "see b.co/", 4],
    ["b.co", "https://b.co", 8],
    ["b.co", "x/b.co", -1],
    ["/home/ada/", "in /home/ada/ now", 3],
    ["/home/ada/", "/home/ada/x", -1],
    ["#general", "in #general", 3],
  ])("%j is a word of %j at %i", (value, text, at) => {
    expect(findWord(value, text)).toBe(at);
  });
});

describe("the forms of a value", () => {
  test.each<[string | number, readonly string[]]>([
    ["Ada", ["ada"]],
    ["#General", ["#general", "general"]],
    ["@Ada", ["@ada", "ada"]],
    ["https://www.A.example/x/", ["https://www.a.example/x/", "a.example/x", "www.a.example/x"]],
    ["a.example", ["a.example", "www.a.example"]],
    ["#", ["#"]],
    ["", []],
    [1e21, ["1e+21"]],
  ])("of %j are %j", (value, forms) => {
    expect(formsOf(value)).toEqual(forms);
  });

  test("a number is written with and without marks of thousands and parts", () => {
    expect(formsOf(1234)).toEqual(
      expect.arrayContaining(["1234", "1,234", "1.234", "1 234", "1'234", "1234.0", "1234.00", "1,234.00"]),
    );
    expect(formsOf(999)).toEqual(["999", "999.0", "999.00"]);
    expect(formsOf(1_234_567)).toContain("1,234,567");
    expect(formsOf(0.5)).toEqual(["0.5", "0.50", "0,5"]);
    expect(formsOf("+12")).toEqual(expect.arrayContaining(["+12", "12", "12.00"]));
    expect(formsOf("1234567890123456")).toEqual(["1234567890123456"]);
  });
});

describe("a code", () => {
  test.each([
    ["DE89 3704 0044", "de8937040044"],
    ["+49 (30) 1234-567", "+49301234567"],
    ["AB12345", "ab12345"],
    ["AB1234", null],
    ["abcdefg", null],
    ["AB12-34-5", "ab12345"],
    ["AB12x3456", "ab12x3456"],
    ["123x456", null],
    ["a@1234567", null],
  ])("%j without separators is %j", (value, code) => {
    expect(compactCode(value)).toBe(code);
  });

  test.each([
    ["ab12345", "the number ab-12 345 is", true],
    ["ab12345", "xab12345", false],
    ["ab12345", "ab123456", false],
    ["+4930123", "call +49 30/123", true],
    ["+4930123", "call 4930123", false],
  ])("%s is in %j with whatever separators: %s", (code, text, expected) => {
    expect(hasCode(code, text)).toBe(expected);
  });
});

test.each([
  ["https://www.a.example:80/x?y#z", "a.example"],
  ["a.example", "a.example"],
  ["http://a.example#z", "a.example"],
  ["ada", null],
  ["a b.example", null],
])("the host of %j is %j", (text, host) => {
  expect(hostOf(text)).toBe(host);
});

describe("the section flows", () => {
  test("on means only what tools declare, and a section has the same defaults", () => {
    const empty = { identity: [], mcpUsers: [], words: {}, results: [], into: [] };

    expect(config.parse({ flows: "on" }).flows).toEqual(empty);
    expect(config.parse({ flows: {} }).flows).toEqual(empty);
    expect(config.parse({ flows: { into: [{ match: {} }] } }).flows?.into).toEqual([
      { match: {}, from: ["user", "identity", "trusted", "contact", "structured"], else: "ask" },
    ]);
  });

  test.each([
    { results: [{ match: {} }] },
    { results: [{ match: {}, trust: "ours" }] },
    { into: [{ match: {}, from: ["others"] }] },
    { into: [{ match: {}, from: [] }] },
    { into: [{ match: { category: "change" } }] },
    { into: [{ match: { tool: [] } }] },
    { into: [{ match: {}, else: "stop" }] },
    { words: { send: [] } },
    { identity: [""] },
  ])("%j is refused", (flows) => {
    expect(config.safeParse({ flows }).success).toBe(false);
  });

  test.each([
    { results: [{ match: { tool: "x" }, trust: "contact" }] },
    { results: [{ match: { server: ["x", "y"] }, fields: { "*.a": "identity" } }] },
    { results: [{ match: {}, audience: "user" }] },
    { results: [{ match: {}, trust: "_meta.ifc" }] },
    { into: [{ match: { category: ["unclassified", "side_effect"], tag: "x" }, audience: "user" }] },
    { into: [{ match: {}, audience: ["to"], intent: [["send"], ["mail", "post"]], else: "deny" }] },
    { into: [{ match: {}, from: ["shownLink", "lastPart"] }] },
  ])("%j is a section", (flows) => {
    expect(config.safeParse({ flows }).error).toBeUndefined();
  });
});
