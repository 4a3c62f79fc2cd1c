import type { Json, JsonObject } from "@toolmount/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeParts } from "../../src/plan/merge-parts.ts";
import { parsePlan } from "../../src/plan/parse-yaml.ts";
import type { PlanPart } from "../../src/plan/read-parts.ts";
import { pathKey, type Path, type PlanMap } from "../../src/diagnostics/positions.ts";
import { createPlanText } from "../../src/diagnostics/source-text.ts";

// Each scalar of a document is different, so that a place that belongs to another value is noticed.
const ids = fc.constantFrom("a", "b", "c");
const shapes = fc.constantFrom("scalar", "list", "map", "deep");
const config = fc.dictionary(fc.constantFrom("x", "y", "z/~"), shapes, { maxKeys: 3 });
const module = fc.record(
  {
    module: ids,
    id: ids,
    config,
    exclude: fc.array(ids, { maxLength: 3 }),
    source: fc.boolean(),
    remove: fc.constant(true),
  },
  { requiredKeys: ["module"] },
);
const rule = fc.record({ tools: ids, answer: fc.constantFrom("allow", "deny", "ask") });
const documents = fc.record(
  {
    name: fc.boolean(),
    replace: fc.subarray(["policy.rules", "policy.deny"]),
    policy: fc.record(
      { deny: fc.array(ids, { maxLength: 3 }), rules: fc.array(rule, { maxLength: 3 }), level: fc.boolean() },
      { requiredKeys: [] },
    ),
    tools: fc.array(module, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

let scalars = 0;
const scalar = () => `s${++scalars}`;

function valueOf(shape: string): Json {
  if (shape === "list") return [scalar(), { in: scalar() }];
  if (shape === "map") return { one: scalar(), two: scalar() };
  return shape === "deep" ? { one: { two: [scalar()] } } : scalar();
}

type Drawn = typeof documents extends fc.Arbitrary<infer Value> ? Value : never;

function write({ name, policy, tools, replace }: Drawn): JsonObject {
  const { deny, rules, level } = policy ?? {};
  return {
    ...(name === true && { name: scalar() }),
    ...(replace !== undefined && replace.length > 0 && { replace }),
    ...(policy !== undefined && {
      policy: { ...(deny && { deny }), ...(rules && { rules }), ...(level === true && { level: scalar() }) },
    }),
    ...(tools !== undefined && { tools: tools.map(writeModule) }),
  };
}

function writeModule({ exclude, source, config: members, ...rest }: NonNullable<Drawn["tools"]>[number]) {
  return {
    ...rest,
    ...(source === true && { source: { "x-any": scalar() } }),
    ...(members && {
      config: Object.fromEntries(Object.entries(members).map(([key, shape]) => [key, valueOf(shape)])),
    }),
    ...(exclude && { tools: { exclude } }),
  };
}

function partOf(document: JsonObject, index: number): PlanPart {
  const file = `${index}.json`;
  const parsed = parsePlan(createPlanText(file, JSON.stringify(document, undefined, 1)));
  if (!parsed.ok) throw new Error("it did not parse");
  return { role: "base", file, folder: "/", value: parsed.value, map: parsed.map };
}

function leaves(value: Json, path: Path = []): (readonly [Path, Json])[] {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (inner.length === 0) return [[path, value]];
  const step = (key: string) => [...path, Array.isArray(value) ? Number(key) : key];
  return inner.flatMap(([key, one]) => leaves(one, step(key)));
}

function pathsOf(value: Json, path: Path = []): string[] {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [pathKey(path), ...inner.flatMap(([key, one]) => pathsOf(one, [...path, key]))];
}

/** The text at the place of a value. */
function writtenAt(map: PlanMap, path: Path, length: number): string | undefined {
  const mark = map.get(pathKey(path));
  return mark?.text.text.slice(mark.value, mark.value + length);
}

test("each value of merged parts is written at its place, and no place is left of a value that is gone", () => {
  fc.assert(
    fc.property(fc.array(documents, { minLength: 2, maxLength: 4 }), (drawn) => {
      const parts = drawn.map((document, index) => partOf(write(document), index));
      const { value, map, replaced } = mergeParts({ parts, problems: [] });

      for (const [path, leaf] of leaves(value)) {
        if (path.length === 0 || typeof leaf !== "string") continue;
        const text = JSON.stringify(leaf);
        expect(writtenAt(map, path, text.length), pathKey(path)).toBe(text);
      }
      // A list that a part dropped keeps its own place, which the report of that part shows.
      const dropped = replaced.map(({ name }) => pathKey(name.split(".")));
      const known = new Set([...pathsOf(value), ...dropped]);
      expect([...map.keys()].filter((key) => !known.has(key))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
