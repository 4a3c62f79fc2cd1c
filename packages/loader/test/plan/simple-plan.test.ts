import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { parsePlan } from "../../src/plan/parse-yaml.ts";
import { maxPlanBytes } from "../../src/diagnostics/source-text.ts";
import { readSimplePlan } from "../../src/plan/parse-simple-yaml.ts";
import { createPlanText } from "../../src/diagnostics/source-text.ts";

const root = join(import.meta.dirname, "../../../..");

/** Whether a text is read by the simple reader; throws when it reads it otherwise than the parser of the whole language. */
function agrees(written: string): boolean {
  const text = createPlanText("plan.yaml", written);
  const simple = readSimplePlan(text, maxPlanBytes);
  if (simple === undefined) return false;
  const parsed = parsePlan(text);
  expect(parsed, written).toMatchObject({ ok: true });
  if (!parsed.ok) return false;
  expect(simple.value, written).toStrictEqual(parsed.value);
  expect(JSON.stringify(simple.value), written).toBe(JSON.stringify(parsed.value));
  const places = (map: typeof simple.map) =>
    new Map([...map].map(([at, { key, value }]) => [at, { key, value }]));
  expect(places(simple.map), written).toEqual(places(parsed.map));
  return true;
}

const plan = `# a plan
version: 1
name: coding # for coding
tools:
  - module: filesystem
    config: { allowed_read_paths: [.., ./out], "depth": 3, deep: [true, null, {}] }
    prefix: 'it''s_'

  - module: "@acme/weather-tool"   # of acme
    source: npm:@acme/weather-tool@^2
    required: false
    config:
      api_key: "\${WEATHER_KEY}"
      url: https://example.com/a#b
      lines:
      - one thing
      - "two \\"things\\""
policy:
  limits: { timeout: 15000 }
`;

test("a plan as people write them is read without the parser of the whole language, with the same places", () => {
  expect(agrees(plan)).toBe(true);
});

test("every plan of the repository is read as the whole parser reads it", async () => {
  const names = (await readdir(join(root, "mount-plans"))).filter((name) => name.endsWith(".yaml"));
  for (const name of names) agrees(await readFile(join(root, "mount-plans", name), "utf8"));
  expect(names.length).toBeGreaterThan(2);
});

test.each([
  "",
  "a",
  "- a",
  "a: 1\na: 2",
  "a: b: c",
  "a: &x 1\nb: *x",
  "a: !!str 1",
  "a: |\n  b",
  "a: >\n  b",
  "a: b\n  c",
  "a:\n",
  "a: # none",
  "a:\n  b: 1\n c: 2",
  "a: 1\n b: 2",
  "a:\tb",
  "---\na: 1",
  "a: 1\n...",
  "<<: {}",
  "__proto__: 1",
  "a: 1e3",
  "a: 0x1",
  "a: .inf",
  "a: 1_000",
  "a: -0",
  "a: 9007199254740993",
  "a: [1,, 2]",
  "a: [b: c]",
  "a: {b}",
  "a: {b:c}",
  'a: "b\\x41"',
  'a: "b\nc"',
  "? a\n: b",
  "a: @b",
  "a: `b`",
  "a: %b",
  "a: 'b' c",
  "a: [b]c",
  "null: 1",
  "a: {b: 1",
  "a: [\n1]",
  "\ufeffa: 1",
  "a: \u0085b",
  "a: 1\n\n\n- b",
  "a:\n- 1\n - 2",
  "- a: 1",
  " a: 1",
  "a:\n\n",
])("a text that is not simple is left to the whole parser: %j", (text) => {
  expect(readSimplePlan(createPlanText("plan.yaml", text), maxPlanBytes)).toBeUndefined();
});

const runs = process.env["TOOLMOUNT_LONG"] === "1" ? 200_000 : 4_000;
const leaf = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.boolean(),
  fc.integer(),
  fc.constant(null),
  fc.constantFrom("1.0", "true", "~", "./a", "a: b", "a #b", "- a", "0x1f", "1e3", "2026-01-01", "a'b"),
);
const value = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 6 }), tie("node"), { maxKeys: 3 }),
  ),
})).node;

test("whatever value is written as YAML is read alike, or left to the whole parser", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("a", "tools", "b-c", "d/e", "x~y"), value, { minKeys: 1 }),
      fc.boolean(),
      (object, flow) => {
        agrees(stringify(object, flow ? { collectionStyle: "flow" } : {}));
      },
    ),
    { numRuns: runs / 4 },
  );
});

test("whatever becomes of a plan by a slip of the hand is read alike, or left to the whole parser", () => {
  const piece = fc.constantFrom(
    " ",
    "  ",
    "\n",
    "\n  ",
    "\n- ",
    "- ",
    ":",
    ": ",
    "#",
    " #",
    "'",
    '"',
    "{",
    "}",
    "[",
    "]",
    ",",
    ", ",
    "a",
    "1",
    ".",
    "-",
    "+",
    "~",
    "|",
    ">",
    "&",
    "*",
    "!",
    "?",
    "%",
    "@",
    "`",
    "\\",
    "<<: ",
    "a: ",
    "0",
    "e",
    "_",
    "$",
    "é",
    "\t",
    "null",
    "true",
    "\r",
    "/",
    "(",
    "=",
  );
  const slip = fc.tuple(
    fc.nat(plan.length),
    fc.integer({ min: 0, max: 6 }),
    fc.array(piece, { maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(slip, { minLength: 1, maxLength: 3 }), (slips) => {
      agrees(
        slips.reduce((text, [at, cut, put]) => text.slice(0, at) + put.join("") + text.slice(at + cut), plan),
      );
    }),
    { numRuns: runs },
  );
});

test("whatever is put together of YAML's signs is read alike, or left to the whole parser", () => {
  const piece = fc.constantFrom(
    "a",
    "b",
    "key",
    ": ",
    ":",
    "\n",
    "\n",
    "\n  ",
    "\n    ",
    "- ",
    "-",
    " ",
    "  ",
    "#",
    " # c",
    "{",
    "}",
    "[",
    "]",
    ", ",
    ",",
    "'",
    '"',
    "1",
    "0",
    ".",
    "..",
    "./x",
    "~",
    "null",
    "true",
    "x: y",
    "-1",
    "+1",
    "1.5",
    "1a",
    "10ab",
    "a:\n  ",
    "- a: ",
    "$",
    "\\",
    "/",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => void agrees(`a: ${pieces.join("")}`)),
    { numRuns: runs },
  );
});

test("a long run of spaces, of lines or of signs is read, or left, without backtracking", () => {
  for (const run of [" ", "\n", " \n", "#\n", "a ", "-", "[", "{", "'", ", ", ":", "x"]) {
    const long = run.repeat(200_000 / run.length);
    for (const text of [`a: x${long}y`, `a: [${long}`, `a:${long}- b`, `- ${long}`])
      readSimplePlan(createPlanText("plan.yaml", text), maxPlanBytes);
  }
  const spaces = createPlanText("plan.yaml", `a: x${" ".repeat(200_000)}y`);
  expect(readSimplePlan(spaces, maxPlanBytes)).toBeUndefined();
});
