import type { Json, JsonObject } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";
import { entryKeys } from "./known-keys.ts";
import type { EntryDocument } from "./schema.ts";

// Most plans are made of few keys with plain values, which are read here. All else is for the schema, which also says
// what is wrong: to load it with its library takes a tenth of a start. A test compares the two.

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === "string";
const isName: Test = (value) => typeof value === "string" && value.length >= 1 && value.length <= 128;
const isFlag: Test = (value) => typeof value === "boolean";
const isMap: Test = (value) => isRecord(value) && !Object.hasOwn(value, "__proto__");
const isWake: Test = (value) => value === "start" || value === "call";
const isListOr: Test = (value) => value === null || Array.isArray(value);

const planTests: Readonly<Record<string, Test>> = {
  $schema: isText,
  version: (value) => value === 1,
  name: (value) => typeof value === "string" && value.length <= 200,
  description: isText,
  tools: isListOr,
  hooks: isListOr,
  wake: isWake,
  tests: (value) => Array.isArray(value) && value.every(isMap),
};

const entryTests: Readonly<Record<string, Test>> = {
  module: isName,
  id: isName,
  source: isName,
  required: isFlag,
  config: (value) => value === null || isMap(value),
  override: isFlag,
  wake: isWake,
};

/** Whether every key of a plan is usual. Then the plan is valid, and the schema returns it as it is. */
export function isUsualPlan(plan: JsonObject): boolean {
  return passes(plan, planTests);
}

/** An entry as the schema returns it; undefined for one that is not usual. */
export function readUsualEntry(value: Json): EntryDocument | undefined {
  if (!isRecord(value) || value["module"] === undefined || !passes(value, entryTests)) return undefined;
  const members = entryKeys.flatMap((key): [string, unknown][] => {
    const member = value[key];
    if (key === "override") return [[key, member ?? false]];
    if (member === undefined) return [];
    return [[key, isRecord(member) ? { ...member } : member]];
  });
  return Object.fromEntries(members) as unknown as EntryDocument;
}

function passes(map: object, tests: Readonly<Record<string, Test>>): boolean {
  return Object.entries(map).every(([key, value]) => Object.hasOwn(tests, key) && tests[key]!(value));
}
