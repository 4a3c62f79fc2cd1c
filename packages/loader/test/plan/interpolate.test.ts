import fc from "fast-check";
import { expect, test } from "vitest";
import { interpolate, type Environment } from "../../src/plan/interpolate.ts";
import { parsePlan } from "../../src/plan/parse-yaml.ts";
import { createPlanText } from "../../src/diagnostics/source-text.ts";

function fill(value: string, env: Environment) {
  return interpolate({ value }, new Map(), env);
}

test.each([
  { text: "${NAME}", filled: "Ann" },
  { text: "to ${NAME}, from ${OTHER}", filled: "to Ann, from Bob" },
  { text: "${GONE:-default}", filled: "default" },
  { text: "${EMPTY:-default}", filled: "default" },
  { text: "${EMPTY}", filled: "" },
  { text: "${GONE:-}", filled: "" },
  { text: "${GONE:-a:-b c}", filled: "a:-b c" },
  { text: "$${NAME}", filled: "${NAME}" },
  { text: "$$${NAME}", filled: "$${NAME}" },
  { text: "$NAME costs 5$", filled: "$NAME costs 5$" },
  { text: "${NESTED}", filled: "${NAME}" },
])("AMP-N10: $text becomes $filled", ({ text, filled }) => {
  const env = { NAME: "Ann", OTHER: "Bob", EMPTY: "", NESTED: "${NAME}" };

  expect(fill(text, env)).toMatchObject({ value: { value: filled }, problems: [] });
});

test("AMP-N10: values at any depth are filled, keys are not, and other values stay what they are", () => {
  const plan = { "${A}": [{ deep: ["${A}", 1, true, null] }] };

  expect(interpolate(plan, new Map(), { A: "x" }).value).toEqual({
    "${A}": [{ deep: ["x", 1, true, null] }],
  });
});

test("a missing variable is named at its place, and so are all others", () => {
  const parsed = parsePlan(createPlanText("plan.yaml", "a: 1\nb: to ${FIRST} and ${SECOND}\n"));
  if (!parsed.ok) throw new Error("it did not parse");

  expect(interpolate(parsed.value, parsed.map, {}).problems).toMatchObject([
    { code: "VARIABLE_MISSING", details: { variable: "FIRST" }, line: 2, column: 7, path: "b" },
    { code: "VARIABLE_MISSING", details: { variable: "SECOND" }, line: 2, column: 20, path: "b" },
  ]);
});

test.each([
  "${}",
  "${ NAME }",
  "${1A}",
  "${NAME",
  "${NAME:+x}",
  "${NAME-x}",
  "${A:-${B}}",
  "${file:./secret}",
  "${toString}x${__proto__}",
])("%s is refused or missing, never taken from somewhere else", (text) => {
  expect(fill(text, { NAME: "Ann" }).problems).not.toEqual([]);
});

test("no problem and no masked text ever holds a variable's value", () => {
  const env = { TOKEN: "hunter2-secret", LONGER: "hunter2-secret-and-more" };
  const { mask, problems } = fill("${TOKEN} ${LONGER} ${GONE}", env);

  expect(JSON.stringify(problems)).not.toContain("hunter2");
  expect(mask("it said hunter2-secret-and-more, then hunter2-secret")).toBe(
    "it said ${LONGER}, then ${TOKEN}",
  );
});

test("a text without ${ is never changed, and escaping keeps any text", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const plain = text.replaceAll(/\$\{+/g, "$"); // all braces of "${{", or a new "${" is left
      expect(fill(plain, {}).value).toEqual({ value: plain });
      expect(fill(`$\${${text.replaceAll("$", "")}}`, {}).value).toEqual({
        value: `\${${text.replaceAll("$", "")}}`,
      });
    }),
  );
});

test("what a variable holds comes through unchanged, whatever it is", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (value, around) => {
      const beside = around.replaceAll("$", "");
      expect(fill(`${beside}\${A}${beside}`, { A: value }).value).toEqual({
        value: `${beside}${value}${beside}`,
      });
    }),
  );
});
