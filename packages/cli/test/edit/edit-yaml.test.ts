import { expect, test } from "vitest";
import {
  addEntry,
  addFlowLines,
  addPolicyLines,
  valueOf,
  idsOf,
  policyLines,
  removeEntryText,
} from "../../src/edit/edit-yaml.ts";

test("the ids of a plan are those of its tools and hooks, by id or module", () => {
  const text = "tools:\n  - module: a\n  - { id: b, module: c }\n  - plain\n  - {}\nhooks:\n  - module: d\n";

  expect(idsOf(text)).toEqual(["a", "b", "", "d"]);
  expect(idsOf("tools: x\n")).toEqual([]);
});

test.each<[string, string, string]>([
  [
    "a list with a comment",
    "tools: # ours\n  - module: a # one\nversion: 1\n",
    "tools: # ours\n  - module: a # one\n  - module: n\n    config:\n      b: 1\nversion: 1\n",
  ],
  [
    "a list at the margin",
    "tools:\n- module: a\n",
    "tools:\n- module: a\n- module: n\n  config:\n    b: 1\n",
  ],
  [
    "a last line without an end",
    "tools:\n  - module: a",
    "tools:\n  - module: a\n  - module: n\n    config:\n      b: 1\n",
  ],
  ["no list", "version: 1\n", "version: 1\ntools:\n  - module: n\n    config:\n      b: 1\n"],
  ["an empty list", "tools: []\n", "tools:\n  - module: n\n    config:\n      b: 1\n"],
  [
    "a list on one line",
    "tools: [{ module: a }]\n",
    "tools: [ { module: a }, { module: n, config: { b: 1 } } ]\n",
  ],
  [
    "a text of several lines",
    "tools:\n  - module: a\n    text: |\n      x\n\n# end\n",
    "tools:\n  - module: a\n    text: |\n      x\n  - module: n\n    config:\n      b: 1\n\n# end\n",
  ],
  ["an alias of another list", "hooks: &h\n  - module: a\ntools: *h\n", ""],
])("an entry is added to %s", (_, before, after) => {
  const added = addEntry(before, "tools", { module: "n", config: { b: 1 }, as: undefined } as never);

  if (after !== "") expect(added).toBe(after);
  expect(idsOf(added)).toContain("n");
});

test("an entry of the other section does not change the first", () => {
  expect(addEntry("tools:\n  - module: a\n", "hooks", { module: "n" })).toBe(
    "tools:\n  - module: a\nhooks:\n  - module: n\n",
  );
});

const three =
  "tools:\n  # first\n  - module: a # one\n  - id: b\n    module: x\n\n  - module: c\nhooks: [{ module: d }]\n";

test.each<[string, string | undefined]>([
  ["a", "tools:\n  # first\n  - id: b\n    module: x\n\n  - module: c\nhooks: [{ module: d }]\n"],
  ["b", "tools:\n  # first\n  - module: a # one\n\n  - module: c\nhooks: [{ module: d }]\n"],
  ["c", "tools:\n  # first\n  - module: a # one\n  - id: b\n    module: x\n\nhooks: [{ module: d }]\n"],
  ["d", "tools:\n  # first\n  - module: a # one\n  - id: b\n    module: x\n\n  - module: c\nhooks: []\n"],
  ["x", undefined],
  ["e", undefined],
])("the entry %s is removed, and all else stays as it is", (id, after) => {
  expect(removeEntryText(three, id)).toBe(after);
});

test.each([
  ["tools: # a - b\n- # one - of two\n  module: a\n- module: z\n", "tools: # a - b\n- module: z\n"],
  ["tools:\n- &my-anchor\n  module: a\n- module: z\n", "tools:\n- module: z\n"],
  ["tools: !!seq\n- &my-anchor { module: a }\n- ? module\n  : z\n", "tools: !!seq\n- ? module\n  : z\n"],
  // The dash and the entry are lines apart: the list is printed again.
  ["tools:\n-\n  # see - b\n  module: a\n- module: z # last\n", "tools:\n  - module: z # last\n"],
])("a dash in a comment or an anchor of the entry is no other entry: %j", (before, after) => {
  expect(removeEntryText(before, "a")).toBe(after);
});

test("of one entry an empty list stays", () => {
  expect(removeEntryText("tools:\n  - module: a\n", "a")).toBe("tools: []\n");
  expect(removeEntryText("tools:\n- module: a\n- - module: x\n", "a")).toBe("tools:\n- - module: x\n");
});

test.each<[string, string]>([
  ["version: 1\n", "version: 1\npolicy:\n  allow:\n    - a(*)\n    - b\n"],
  ["policy: strict\n", "policy:\n  allow:\n    - a(*)\n    - b\n"],
  ["policy:\n  allow: none\n", "policy:\n  allow:\n    - a(*)\n    - b\n"],
  [
    "policy: # ours\n  ask: [x]\n  allow:\n    - y # why\n",
    "policy:\n  # ours\n  ask: [x]\n  allow:\n    - y # why\n    - a(*)\n    - b\n",
  ],
  ["tools:\n- module: a\npolicy: {}\n", "tools:\n- module: a\npolicy: { allow: [ a(*), b ] }\n"],
])("lines are added to the policy of %j", (before, after) => {
  const added = addPolicyLines(before, "allow", ["a(*)", "b"]);

  expect(added).toBe(after);
  expect(policyLines(added, "allow").slice(-2)).toEqual(["a(*)", "b"]);
});

test("a policy without a list has no lines of it", () => {
  expect(policyLines("version: 1\n", "allow")).toEqual([]);
  expect(policyLines("policy:\n  allow: x\n", "allow")).toEqual([]);
});

const lines = {
  results: [{ tool: "find", fields: { id: "structured" } }],
  into: [{ tool: "send", from: ["user"] }],
};
const written =
  "policy:\n  flows:\n    results:\n      - tool: find\n        fields: { id: structured }\n    into:\n      - tool: send\n        from: [ user ]\n";

test.each<[string, string]>([
  ["version: 1\n", `version: 1\n${written}`],
  ["policy:\n  flows: on\n", written],
  ["policy:\n  flows:\n    results: x\n", written],
  [
    "policy:\n  flows:\n    into:\n      - tool: pay # why\n",
    "policy:\n  flows:\n    into:\n      - tool: pay # why\n      - tool: send\n        from: [ user ]\n    results:\n      - tool: find\n        fields: { id: structured }\n",
  ],
])("lines are added to the flows of %j", (before, after) => {
  expect(addFlowLines(before, lines)).toBe(after);
});

test.each([
  ["version: 1\n", "version: 1\npolicy:\n  flows: on\n"],
  ["policy:\n  flows:\n    results: []\n", "policy:\n  flows:\n    results: []\n"],
])("without lines, the flows of %j are on", (before, after) => {
  expect(addFlowLines(before, { results: [], into: [] })).toBe(after);
});

test("lines for the policy leave every other line as it is, however its lists are spaced", () => {
  const before = `tools:
  - module: files
    config: { allowed_read_paths: [./notes], allowed_write_paths: [ ./out ] }
policy: {deny: ["a(*)"], level: standard}
`;
  const added = addPolicyLines(before, "allow", ["read_*"]);

  expect(added.split("\n").slice(0, 3)).toEqual(before.split("\n").slice(0, 3));
  expect(valueOf(added)).toMatchObject({ policy: { deny: ["a(*)"], allow: ["read_*"] } });
  expect(addPolicyLines('policy:\n  deny: ["( a )", "(a)"]\n', "ask", ["[ b ]"])).toContain("[ b ]");
});
