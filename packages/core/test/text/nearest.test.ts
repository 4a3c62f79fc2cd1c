import fc from "fast-check";
import { expect, test } from "vitest";
import { nearestNames } from "../../src/text/nearest.ts";

const tools = ["read_file", "write_file", "list_directory", "web_fetch"];

test.each([
  ["read_fil", ["read_file"]],
  ["raed_file", ["read_file"]],
  ["ReadFile", ["read_file"]],
  ["read-file", ["read_file"]],
  ["functions.read_file", ["read_file"]],
  ["default_api:read_file", ["read_file"]],
  ["read_file<|channel|>commentary", ["read_file"]],
  ["toolz", []],
  ["", []],
])("the name nearest to %j is %j", (written, meant) => {
  expect(nearestNames(written, tools)).toEqual(meant);
});

test("two swapped letters are one edit, and so near enough for a short name; two swaps are two", () => {
  expect(nearestNames("raed", ["read"])).toEqual(["read"]);
  expect(nearestNames("wbe", ["web"])).toEqual(["web"]);
  expect(nearestNames("abcd", ["badc"])).toEqual([]);
  expect(nearestNames("abab", ["caba"])).toEqual([]);
});

test("the nearest name is first, and at most three are returned", () => {
  expect(nearestNames("config", ["confix", "config1", "configg", "konfig", "config"])).toEqual([
    "config",
    "config1",
    "configg",
  ]);
});

test("a name is nearest to itself", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 40 }), (name) => {
      expect(nearestNames(name, ["something else entirely", name])[0]).toBe(name);
    }),
  );
});

test("near is one edit for each four characters, and a name of more than 128 has no near one", () => {
  expect(nearestNames("abcdefgh", ["abcdefxx", "abcdxxxx"])).toEqual(["abcdefxx"]);
  expect(nearestNames("abcdefg", ["abcdexx"])).toEqual([]);
  expect(nearestNames("a".repeat(128), [`${"a".repeat(128)}b`])).toHaveLength(1);
  expect(nearestNames("a".repeat(129), ["a".repeat(129)])).toEqual([]);
});

test("names of one distance are in the order of the alphabet, and each is named once", () => {
  expect(nearestNames("tool", ["toolb", "toola", "toola", "tooly", "toolx"])).toEqual([
    "toola",
    "toolb",
    "toolx",
  ]);
});
