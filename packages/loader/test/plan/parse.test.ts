import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { parsePlan } from "../../src/plan/parse-yaml.ts";
import { maxPlanBytes } from "../../src/diagnostics/source-text.ts";
import { findPosition } from "../../src/diagnostics/positions.ts";
import { createPlanText } from "../../src/diagnostics/source-text.ts";

const parse = (text: string) => parsePlan(createPlanText("plan.yaml", text));

test("a plan is plain data that knows where it was written", () => {
  const parsed = parse("tools:\n  - module: web\n    config: { depth: 2, deep: [true, ~, 1.5] }\n");

  if (!parsed.ok) throw new Error("it did not parse");
  expect(parsed.value).toEqual({ tools: [{ module: "web", config: { depth: 2, deep: [true, null, 1.5] } }] });
  expect(findPosition(parsed.map, ["tools", 0, "config", "deep", 2])).toEqual({
    file: "plan.yaml",
    line: 3,
    column: 41,
  });
});

test("a single value may be used twice by an alias", () => {
  expect(parse("root: &root ./here\ntools: [{ module: x, config: { a: *root } }]")).toMatchObject({
    ok: true,
    value: { tools: [{ config: { a: "./here" } }] },
  });
});

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const many = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join("");

test.each([
  { what: "nothing", text: "", code: "PLAN_SYNTAX" },
  { what: "only a comment", text: "# a plan\n", code: "PLAN_SYNTAX" },
  { what: "a list", text: "- module: web\n", code: "PLAN_SYNTAX" },
  { what: "a single text", text: "tools", code: "PLAN_SYNTAX" },
  { what: "a tab in the indentation", text: "tools:\n \t- x\n", code: "PLAN_SYNTAX" },
  { what: "an unclosed list", text: "tools: [a, b\n", code: "PLAN_SYNTAX" },
  { what: "two documents", text: "tools: []\n---\ntools: []\n", code: "PLAN_SYNTAX" },
  { what: "a zero byte", text: "tools: \0", code: "PLAN_SYNTAX" },
  { what: "a key that is there twice", text: "x: 1\ny: 2\nx: 3\n", code: "PLAN_SYNTAX" },
  { what: "a key that is there twice, once in quotes", text: 'x: 1\n"x": 2\n', code: "PLAN_SYNTAX" },
  { what: "a key that is a list", text: "? [a]\n: b\n", code: "PLAN_SYNTAX" },
  { what: "an empty key", text: "? \n: b\n", code: "PLAN_SYNTAX" },
  { what: "a key with an anchor", text: "&a x: 1\n*a : 2\n", code: "PLAN_SYNTAX" },
  { what: "a key __proto__", text: "tools: []\n__proto__: { polluted: 1 }\n", code: "PLAN_SYNTAX" },
  { what: "a deep key __proto__", text: "a: [{ b: { __proto__: { polluted: 1 } } }]\n", code: "PLAN_SYNTAX" },
  { what: "a quoted key __proto__", text: 'a: { "__proto__": 1 }\n', code: "PLAN_SYNTAX" },
  { what: "an escaped key __proto__", text: 'a: { "\\u005f_proto__": 1 }\n', code: "PLAN_SYNTAX" },
  {
    what: "a key constructor",
    text: "a: { constructor: { prototype: { polluted: 1 } } }\n",
    code: "PLAN_SYNTAX",
  },
  { what: "a key prototype", text: "a: { prototype: 1 }\n", code: "PLAN_SYNTAX" },
  { what: "a merge key", text: "a: { <<: { b: 1 } }\n", code: "PLAN_SYNTAX" },
  {
    what: "a merge of an alias, in YAML 1.1",
    text: "%YAML 1.1\n---\na: &a { b: 1 }\nc: { <<: *a }\n",
    code: "PLAN_SYNTAX",
  },
  { what: "an alias of a list", text: "a: &a [1]\nb: [*a]\n", code: "PLAN_SYNTAX" },
  { what: "an alias of a map", text: "a: &a { b: 1 }\nc: *a\n", code: "PLAN_SYNTAX" },
  { what: "an alias of nothing", text: "a: *gone\n", code: "PLAN_SYNTAX" },
  { what: "a circle of maps", text: "tools: &s { x: *s }\n", code: "PLAN_SYNTAX" },
  { what: "a circle of lists", text: "tools: &s [*s]\n", code: "PLAN_SYNTAX" },
  {
    what: "a billion laughs",
    text: `a: &a [1, 2]\n${many(9, (index) => `${"bcdefghij"[index]}: &${"bcdefghij"[index]} [*${"abcdefghi"[index]}, *${"abcdefghi"[index]}]\n`)}`,
    code: "PLAN_SYNTAX",
  },
  { what: "a function by tag", text: 'a: !!js/function "x"\n', code: "PLAN_SYNTAX" },
  { what: "a private tag", text: "a: !mine x\n", code: "PLAN_SYNTAX" },
  { what: "bytes by tag", text: "a: !!binary aGk=\n", code: "PLAN_SYNTAX" },
  { what: "a set by tag", text: "a: !!set { b }\n", code: "PLAN_SYNTAX" },
  { what: "an ordered map by tag", text: "a: !!omap [b: 1]\n", code: "PLAN_SYNTAX" },
  { what: "a time by tag", text: "a: !!timestamp 2020-01-01\n", code: "PLAN_SYNTAX" },
  { what: "not a number", text: "a: .nan\n", code: "PLAN_SYNTAX" },
  { what: "infinity", text: "a: -.inf\n", code: "PLAN_SYNTAX" },
  { what: "a number that overflows", text: "a: 1e400\n", code: "PLAN_SYNTAX" },
  { what: "an integer of 400 digits", text: `a: ${"9".repeat(400)}\n`, code: "PLAN_SYNTAX" },
  { what: "an integer beyond 2^53", text: "a: 9007199254740993\n", code: "PLAN_SYNTAX" },
  { what: "33 lists in one another", text: `a: ${nested(33)}`, code: "PLAN_TOO_LARGE" },
  { what: "20,000 lists in one another", text: `a: ${nested(20_000)}`, code: "PLAN_TOO_LARGE" },
  { what: "100,000 open lists", text: "[".repeat(100_000), code: "PLAN_TOO_LARGE" },
  { what: "100,000 open block lists", text: "- ".repeat(100_000), code: "PLAN_TOO_LARGE" },
  { what: "100,000 complex keys", text: "? ".repeat(100_000), code: "PLAN_TOO_LARGE" },
  {
    what: "60 maps in one another",
    text: many(60, (index) => `${" ".repeat(index)}a:\n`),
    code: "PLAN_TOO_LARGE",
  },
  {
    what: "more bytes than a plan may have",
    text: `a: "${"x".repeat(maxPlanBytes)}"`,
    code: "PLAN_TOO_LARGE",
  },
  {
    what: "fewer characters, but more bytes",
    text: `a: "${"é".repeat(maxPlanBytes / 2)}"`,
    code: "PLAN_TOO_LARGE",
  },
])("$what is refused with its place", ({ text, code }) => {
  const parsed = parse(text);

  if (parsed.ok) throw new Error("the plan was accepted");
  expect(parsed.problems[0]).toMatchObject({ code, file: "plan.yaml", line: expect.any(Number) as number });
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test.each([
  ["20,000 keys in one map", many(20_000, (index) => `k${index}: 1\n`)],
  ["80,000 times the same key", "a:\n".repeat(80_000)],
  ["80,000 anchors of one value", `a: ${"&a ".repeat(80_000)}`],
  ["130,000 values in one list", `a: [${"x,".repeat(130_000)}]`],
  ["a comment of 130,000 lines", "#\n".repeat(130_000)],
  ["200,000 quotes", "'".repeat(200_000)],
])("%s take less than five seconds of CPU time", (_, text) => {
  const start = process.cpuUsage();
  parse(text);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(5000);
});

test("of 80,000 problems in one plan, the first hundred are reported and the rest is not read", () => {
  const parsed = parse("a:\n".repeat(80_000));

  if (parsed.ok) throw new Error("the plan was accepted");
  expect(parsed.problems).toHaveLength(101);
  expect(parsed.problems.at(-1)?.message).toContain("only the first 100 problems are reported");
});

test("any JSON comes back as it was written, as JSON and as YAML", () => {
  const refused = new Set(["__proto__", "constructor", "prototype", "<<"]);
  const key = fc.string().filter((name) => !refused.has(name) && !/"|\/\/|\/\*/.test(name));
  const { tree } = fc.letrec((tie) => ({
    leaf: fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.integer(),
      fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
    ),
    tree: fc.oneof({ maxDepth: 4 }, tie("leaf"), fc.array(tie("tree")), fc.dictionary(key, tie("tree"))),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, tree), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      expect(parse(JSON.stringify(plain))).toMatchObject({ ok: true });
      const json = createPlanText("plan.json", JSON.stringify(plain, null, 1));
      expect(parsePlan(json)).toMatchObject({ ok: true, value: plain });
      expect(parse(stringify(plain, { aliasDuplicateObjects: false }))).toMatchObject({ ok: true });
      const parsed = parse(JSON.stringify(plain, null, 1));
      expect(parsed.ok && parsed.value).toEqual(plain);
    }),
  );
});

test("whatever the text is, the answer is a plan or problems with a place, and never a throw", () => {
  const fragment = fc.constantFrom(
    "a",
    ":",
    " ",
    "\n",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "&x",
    "*x",
    "!!t",
    "'",
    '"',
    "#",
    "|",
    ">",
    "\t",
    "? ",
    "---",
    "%",
    "0x",
    "\u{1F600}",
    "\r",
  );
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 60 }), (fragments) => {
      const parsed = parse(fragments.join(""));
      const problems = parsed.ok ? [] : parsed.problems;
      expect(problems.filter(({ line, frame }) => line === undefined || frame === undefined)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test.each([
  [
    "version: 1\ntools:\n  - module: a\n   config: 1\n",
    "4:4 line 4 begins with 3 spaces, but the keys of line 3 begin after 4 spaces",
  ],
  [
    "tools:\n  - module: a\n  config: 1\n",
    "3:3 line 3 begins with 2 spaces, but the keys of line 2 begin after 4 spaces",
  ],
  [
    "tools:\n  - module: a\n      config: 1\n",
    "3:7 line 3 begins with 6 spaces, but the keys of line 2 begin after 4 spaces",
  ],
  [
    "tools:\n- module: a\n config: 1\n",
    "3:2 line 3 begins with 1 space, but the keys of line 2 begin after 2 spaces",
  ],
  [
    "tools:\n  - module: a # one\n\n  # two\n   config: 1\n",
    "5:4 line 5 begins with 3 spaces, but the keys of line 2 begin after 4 spaces",
  ],
  ["a:\n  - b\n  c: 1\n", "3:3 line 3 begins with 2 spaces, but the keys of line 2 begin after 4 spaces"],
  ["a:\n    b: 1\n  c: 2\n", "3:3 line 3 begins with 2 spaces, but the keys of line 2 begin after 4 spaces"],
  [
    "tools:\n  - a: 1\n    b:\n      - c\n     d: 1\n",
    "5:6 line 5 begins with 5 spaces, but the keys of line 4 begin after 8 spaces",
  ],
  ["x: 1\n  y: 2\n", "2:3 line 2 begins with 2 spaces, but the keys of line 1 begin after 0 spaces"],
  [
    "list:\n  - - a\n   - b\n",
    "3:4 line 3 begins with 3 spaces, but the keys of line 2 begin after 6 spaces",
  ],
  ["a: [1, 2\nb: 3\n", "1:4 the [ of line 1 is not closed; add ]"],
  ["a: { b: 1\nc: 2\n", "1:4 the { of line 1 is not closed; add }"],
  ['a: ["x]", \'y\', { b: "\\"" }\nname: z\n', "1:4 the [ of line 1 is not closed; add ]"],
  ['name: "abc\nversion: 1\n', '1:7 the " of line 1 is not closed; add " at the end of the text'],
  ["name: 'abc\nversion: 1\n", "1:7 the ' of line 1 is not closed; add ' at the end of the text"],
  ["a: # [\n  b: {\n", "2:6 the { of line 2 is not closed; add }"],
  ["tools:\n\t- module: a\n", "2:1 this line begins with a tab; indent with spaces"],
  ["name: foo: bar\n", "1:7 this value contains a colon and a space; put the value in quotes"],
  ["name\nversion: 1\n", "1:1 this line is not a key with a value; write name: value"],
  ["name: @x\n", '1:7 a value cannot begin with this character; put the value in quotes: "@x"'],
  ["config: { max: ${N} }\n", '1:16 in braces or brackets a variable is written in quotes: "${N}"'],
  ["tools: [${A:-b}, c]\n", '1:9 in braces or brackets a variable is written in quotes: "${A:-b}"'],
  [
    "version: 1\n<<<<<<< HEAD\ntools: []\n=======\ntools: [a]\n>>>>>>> x\n",
    "2:1 the file has a merge conflict; keep one side, and remove the lines of <, = and >",
  ],
  ['name: @x"y\n', "1:7 a value cannot begin with this character; put the value in quotes"],
])("the problem of %j says which line to change, and how", (text, problem) => {
  const parsed = parse(text);

  if (parsed.ok) throw new Error("the plan was accepted");
  expect(parsed.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
    problem,
  ]);
});
