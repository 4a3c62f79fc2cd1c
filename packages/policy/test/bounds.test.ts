import { describe, expect, test } from "vitest";
import { Copies } from "../src/flows/copies.ts";
import { decodedOf } from "../src/flows/encoded.ts";
import { identityOf, isIdentity } from "../src/flows/evidence.ts";
import { leavesOf } from "../src/flows/leaves.ts";
import { Meter, TooMuchToCompare } from "../src/flows/meter.ts";
import { Words } from "../src/flows/runs.ts";
import { formsOf } from "../src/flows/text.ts";
import { RecentMap } from "../src/recent-map.ts";
import { done } from "./flow-judge.ts";

describe("a map of a limited number of entries", () => {
  test("drops the one that was used least recently", () => {
    const map = new RecentMap<number>(2);
    let made = 0;
    const take = (key: string) => map.take(key, () => ++made);

    expect([take("a"), take("b"), take("a")]).toEqual([1, 2, 1]);
    expect(take("c")).toBe(3);
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
    map.delete("a");
    expect([map.get("a"), take("a"), map.get("c")]).toEqual([undefined, 4, 3]);
  });
});

describe("the texts and numbers of a value", () => {
  test("have their paths, in order, and keys that a person chose are texts", () => {
    const leaves = leavesOf({ a: "x", b: [1, { c_1: "y" }], "no name": true, "2x": "z" });

    expect(leaves.map(({ path, value }) => [path, value])).toEqual([
      [".a", "x"],
      [".b.0", 1],
      [".b.1.c_1", "y"],
      [".~", "no name"],
      [".~", "2x"],
      [".2x", "z"],
    ]);
    expect(leavesOf("x")).toEqual([{ path: "", value: "x", parent: undefined }]);
    expect(leavesOf(null)).toEqual([]);
  });

  test("are read to 65 levels", () => {
    const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}"x"${"]".repeat(levels)}`) as unknown;

    expect(leavesOf(nested(65))).toHaveLength(1);
    expect(leavesOf(nested(66))).toEqual([]);
  });
});

describe("what a text says in code", () => {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const hex = (text: string) => Buffer.from(text).toString("hex");

  test.each<[string, readonly string[]]>([
    [base64("hello you"), ["hello you"]],
    [`say ${base64("hello you")} now`, ["hello you"]],
    [hex("hello"), ["hello"]],
    [hex("hello").toUpperCase(), ["hello"]],
    ["a%20b", ["a b"]],
    ["%E4%BD%A0", ["你"]],
    ["%ff", []],
    ["100% of it", []],
    [hex("hi!"), []],
    [hex("hiya"), ["hiya"]],
    ["abcdefgh", []],
    ["some/path/of-it", []],
    [base64("\u0001\u0002\u0003\u0004\u0005\u0006"), []],
    [base64("a\tb\nc d"), ["a\tb\nc d"]],
    [base64(hex("hello you")), [hex("hello you"), "hello you"]],
    [base64(base64(base64("hello you"))), [base64(base64("hello you")), base64("hello you")]],
  ])("%j says %j", (text, said) => {
    expect(decodedOf(text)).toEqual(said);
  });

  test("on several lines it is read as one, and line by line", () => {
    const [one, two] = [base64("hello you"), base64("good bye!")];
    expect(decodedOf(`${one}\n${two}`)).toEqual(expect.arrayContaining(["hello you", "good bye!"]));
    expect(decodedOf(`${one.slice(0, 8)}\r\n${one.slice(8)}`)).toContain("hello you");
  });

  test("costs 128 characters of searching for each of its own", () => {
    const spent = (room: number) => () => decodedOf("plain words!", new Meter(room));
    expect(spent(12 * 128)).not.toThrow(TooMuchToCompare);
    expect(spent(12 * 128 - 1)).toThrow(TooMuchToCompare);
  });
});

describe("copies of other people's words", () => {
  const [[run]] = [...new Words("long street").runs(2)] as [[number, number]];
  const copiesOf = (foreign: readonly string[], values: readonly string[]) =>
    done(Copies.read({ length: 2, foreign, values }, new Meter()));

  test("a run of a text of theirs is one, and a whole field of a service is a value", () => {
    const meter = new Meter();
    const field = "1 long street";
    expect(copiesOf(["the long street"], []).has(run, "", meter)).toBe(true);
    expect(copiesOf(["a longer street"], []).has(run, "", meter)).toBe(false);
    expect(copiesOf([], [field]).has(run, `at ${field}, now`, meter)).toBe(false);
    expect(copiesOf([], [field]).has(run, "at long street", meter)).toBe(true);
    expect(copiesOf([], [`x\n${field}`]).has(run, `at ${field}, now`, meter)).toBe(false);
  });

  test("eight fields with one run are compared, each at the cost of the content", () => {
    const fields = Array.from({ length: 9 }, (_, at) => `${at} long street`);
    const content = fields.slice(0, 8).join("; ");
    const copies = copiesOf([], [fields.join("\n")]);

    expect(copies.has(run, content, new Meter(content.length * 8))).toBe(false);
    expect(() => copies.has(run, content, new Meter(content.length * 8 - 1))).toThrow(TooMuchToCompare);
    expect(copies.has(run, fields.slice(1).join("; "), new Meter())).toBe(true);
  });
});

test("the user's own values are known in each form, and codes without their separators", () => {
  const identity = identityOf({ identity: ["Me@X.example", "DE89 3704 0044", "1200"] });
  const isOwn = (value: string | number) => isIdentity(value, formsOf(value), identity);

  expect(["me@x.example", "DE89-3704-0044", 1200, "1,200.00"].map(isOwn)).toEqual([true, true, true, true]);
  expect(["you@x.example", "DE89-3704-0045", 12, "x"].map(isOwn)).toEqual([false, false, false, false]);
});

test("numbers are written in these forms", () => {
  expect(formsOf(1234.5)).toEqual(
    expect.arrayContaining(["1234.5", "1234.50", "1234,5", "1,234.5", "1.234,5", "1 234.50", "1'234.5"]),
  );
  expect(formsOf("0123")).toEqual(["0123", "123", "123.0", "123.00"]);
  expect(formsOf("123456789012345")).toContain("123,456,789,012,345");
  expect(formsOf("12.5")).toContain("12,5");
  expect(formsOf("12.")).toEqual(["12."]);
});
