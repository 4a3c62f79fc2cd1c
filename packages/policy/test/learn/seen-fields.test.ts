import type { Json, ToolInfo, ValueOrigin } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import type { RecordedSession, RecordedStep } from "../../src/index.ts";
import { candidatesFor, leastApprovals, valuesOf, type Candidate } from "../../src/learn/candidates.ts";
import { fieldsOf, globOf, piecesOf, recordsOf } from "../../src/learn/seen-fields.ts";
import { step } from "../recorded-steps.ts";

test.each([
  ["", "", null],
  [".0", "*", null],
  [".0.1", "*", null],
  [".id", "*.id", "id"],
  [".0.id", "*.id", "id"],
  [".id.0", "*.id.*", "id"],
  [".id.0.1", "*.id.*", "id"],
  [".a.b", "*.b", "b"],
  [".a.x-1", "*.a.*", "a"],
  [".a.~", "*.a.*", "a"],
])("the path %j is of the field %j", (path, glob, last) => {
  expect(globOf(path)).toEqual({ glob, last });
});

test.each<[string | number, readonly string[]]>([
  [7, ["7"]],
  ["one", ["one"]],
  ["one\ntwo", ["one", "two"]],
  ["id: 7, x: 8", ["id", "7", "x", "8"]],
  [" one \n\n", ["one"]],
  ["a,b c:d", ["a,b c:d"]],
  ["", []],
])("%j has the values %j", (value, pieces) => {
  expect(piecesOf(value)).toEqual(pieces);
});

const sessionOf = (...steps: RecordedStep[]): RecordedSession => ({ id: "s", steps });
const read = (value: Json, more: Partial<RecordedStep> = {}): RecordedStep => ({
  ...step("look", {}, "Look.", { value }),
  ...more,
});

describe("what the values of a field look like", () => {
  test.each([
    [["a@x.example", "b@x.example"], "contact"],
    [["+49 30 1234", "+49 (30) 99/88.77"], "contact"],
    [["DE89 3704 0044 0532 0130 00", "GB33BUKB20201555555555"], "contact"],
    [["a@x.example", "+49 30 1234"], "contact"],
    [["ORDER-11", "ORDER-12"], "structured"],
    [["2026-05-05", "2026-05-06T10:00:30Z"], "structured"],
    [["2026-05-05 10:00", "x_1"], "structured"],
    [["a/b", "c/d"], "structured"],
    [["7", "8"], "structured"],
    [["x".repeat(99) + 1, "y".repeat(99) + 1], "structured"],
    [["x".repeat(100) + 1, "y1"], null],
    [["ORDER-11", "a@x.example"], null],
    [["Emma", "Ivanhoe"], null],
    [["two words", "ORDER-1"], null],
    [["https://x.example/1", "https://x.example/2"], null],
    [["www.x.example/1", "www.x.example/2"], null],
    [["ORDER-11", "ORDER-11"], null],
    [["ORDER-11"], null],
    [["+49 30", "+49 31"], null],
  ])("%j are %s", (values, trust) => {
    const fields = fieldsOf([sessionOf(read(values.map((id) => ({ id }))))], []);
    expect([...fields.values()]).toEqual([{ tool: "look", glob: "*.id", name: " id", trust }]);
  });

  test("fields are named by the module that mounted the tool, and a list without keys by the tool", () => {
    const tools = [{ name: "look", owner: "shop" }] as unknown as ToolInfo[];
    const named = (value: Json) => [...fieldsOf([sessionOf(read(value))], tools).values()];

    expect(named({ id: 1 })).toMatchObject([{ glob: "*.id", name: "shop id" }]);
    expect(named([1, 2])).toEqual([{ tool: "look", glob: "*", name: "shop look's", trust: "structured" }]);
    expect(named("text")).toEqual([]);
    expect(named({ ["a".repeat(198)]: 1 })).toHaveLength(1);
    expect(named({ ["a".repeat(199)]: 1 })).toEqual([]);
  });

  test.each<[string, Partial<RecordedStep>]>([
    ["failed", { isError: true }],
    ["was denied", { outcome: "denied" }],
  ])("a call that %s shows no field", (_title, more) => {
    const session = sessionOf(read({ id: "A-1" }, more));
    expect(fieldsOf([session], []).size).toBe(0);
    expect(recordsOf([sessionOf(read({ mail: "me@x.example" }, more))], ["me@x.example"]).size).toBe(0);
    const seen = {
      fields: fieldsOf([sessionOf(read([{ id: "A-1" }, { id: "A-2" }]))], []),
      records: new Set<string>(),
    };
    expect(valuesOf(session, seen).size).toBe(0);
  });
});

describe("a record of the user", () => {
  const isRecord = (value: Json, more: Partial<RecordedStep> = {}, again: Json = value) =>
    recordsOf([sessionOf(read(value, more), read(again, more))], ["ME@x.example"]).has("look");

  test.each<[string, boolean, Json, Partial<RecordedStep>?]>([
    ["has a value that the plan names as the user's", true, { mail: "me@x.example", n: 1, ok: true }],
    ["has no such value", false, { mail: "Ada" }],
    ["has another address", false, { mail: "me@x.example", other: "eve@x.example" }],
    ["has a list", false, { mail: "me@x.example", list: [] }],
    ["has an empty member", false, { mail: "me@x.example", list: null }],
    ["is a list", false, ["me@x.example"]],
    ["is a text", false, "me@x.example"],
    ["is nothing", false, null],
    ["was chosen by arguments", false, { mail: "me@x.example" }, { arguments: { id: 1 } }],
  ])("%s: %s", (_title, expected, value, more) => {
    expect(isRecord(value, more)).toBe(expected);
  });

  test("is the same each time, but for its numbers", () => {
    expect(isRecord({ mail: "me@x.example", n: 1 }, {}, { mail: "me@x.example", n: 2 })).toBe(true);
    expect(isRecord({ mail: "me@x.example", a: "x" }, {}, { mail: "me@x.example", a: "y" })).toBe(false);
    expect(isRecord({ mail: "me@x.example" }, {}, ["me@x.example"])).toBe(false);
  });
});

describe("what could explain a value", () => {
  const orders = read([{ id: "A-1" }, { id: "A-2" }]);
  const act = (given: object) => ({ ...step("act", {}, "Act."), arguments: given as never });
  const origin = (argument: string, isAccepted = false) =>
    ({ argument, value: "", origin: "untrusted", isAccepted }) as ValueOrigin;
  const keysOf = (steps: RecordedStep[], at: number, origins: ValueOrigin[], records: string[] = []) => {
    const session = sessionOf(...steps);
    const seen = { fields: fieldsOf([sessionOf(orders)], []), records: new Set(records) };
    return candidatesFor(origins, { session, at }, valuesOf(session, seen), seen).map(({ key }) => key);
  };
  const sources = ["source lastPart", "source shownLink", "source whole"];

  test.each<[string, object, readonly string[]]>([
    ["a field that has it", { to: "a-1" }, [" id structured"]],
    ["a field that has its last part", { to: "ada/A-1" }, [" id structured"]],
    ["a field that has the last part of a path of Windows", { to: "ada\\A-1" }, [" id structured"]],
    ["no field", { to: "B-1" }, []],
    ["no field, since it is no text", { to: true }, []],
  ])("%s: %j", (_title, given, fields) => {
    expect(keysOf([orders, act(given)], 1, [origin("to")])).toEqual([...fields, ...sources]);
  });

  test("neither a later result, nor a value that is accepted already", () => {
    const call = act({ to: "A-1" });
    expect(keysOf([call, orders], 0, [origin("to")])).toEqual(sources);
    expect(keysOf([orders, call], 1, [origin("to", true)])).toEqual(sources);
    expect(keysOf([orders, call], 1, [])).toEqual(sources);
  });

  test("the user's own record, where it was read before", () => {
    const call = act({ to: "A-1" });
    expect(keysOf([orders, call], 1, [], ["look"])).toEqual(["record look", ...sources]);
    expect(keysOf([call, orders], 0, [], ["look"])).toEqual(sources);
  });

  test.each<[Partial<Candidate>, number]>([
    [{ source: "whole" }, 1],
    [{ field: {} as never, trust: "contact" }, 1],
    [{ field: {} as never, trust: "structured" }, 2],
    [{ record: "look" }, 2],
  ])("%j needs %i approvals", (candidate, count) => {
    expect(leastApprovals({ key: "", ...candidate } as Candidate)).toBe(count);
  });
});
