import { nearestNames, type Json, type JsonObject, type Limits } from "@toolmount/core";
import { isRecord } from "./json.ts";
import { readIssues } from "./issues.ts";
import {
  entrySchema,
  limitsSchema,
  planSchema,
  type EntryDocument,
  type LimitsDocument,
  type ToolOverride,
} from "./plan-schema.ts";
import type { Path } from "./plan-map.ts";
import type { Reporter } from "./problems.ts";
import { laterSections, passedSections, sectionTable } from "./sections.ts";

/** One entry of a plan, checked. */
export interface PlanEntry extends EntryDocument {
  readonly section: "tools" | "hooks";
  readonly path: Path;
}

/** A plan, checked: what the loader mounts. */
export interface Plan {
  readonly version: 1 | undefined;
  readonly name: string | undefined;
  readonly entries: readonly PlanEntry[];
  /** Sections that stand for modules, as written. */
  readonly sections: Readonly<Record<string, Json>>;
  /** Bounds of every call. */
  readonly limits: Limits;
  /** Sections of a versionless plan that nobody knows. */
  readonly unknownSections: readonly string[];
}

/**
 * Checks a plan's value; what is wrong is reported, and what is well comes back. With `version:` an unknown key anywhere is a problem; in a versionless plan, which may be
 * Amplifier's, unknown sections are only listed, unless their name is near a known one. Keys that begin with `x-` are
 * left alone everywhere outside configs.
 */
export function checkPlan(value: JsonObject, reporter: Reporter): Plan {
  const known = withoutNotes(value);
  const { unknownSections, rest } = splitSections(known, reporter);
  const parsed = planSchema.safeParse(rest);
  if (!parsed.success) reportIssues(planSchema, parsed.error.issues, [], reporter);
  return {
    version: parsed.data?.version,
    name: parsed.data?.name,
    entries: [
      ...listEntries(rest["tools"], "tools", reporter),
      ...listEntries(rest["hooks"], "hooks", reporter),
    ],
    sections: pickSections(known),
    limits: checkLimits(known["policy"], reporter),
    unknownSections,
  };
}

/** A plan without its `x-` keys: those of the plan itself, of entries and of what entries say of tools. */
function withoutNotes(plan: JsonObject): JsonObject {
  const owned = new Set(["tools", "hooks"]);
  const kept = Object.entries(plan).filter(isNoNote);
  return Object.fromEntries(kept.map(([key, inner]) => [key, owned.has(key) ? dropNotes(inner) : inner]));
}

/** What stands below these keys belongs to modules. */
const opaque = new Set(["config", "source", "run"]);

function dropNotes(value: Json): Json {
  if (isList(value)) return value.map(dropNotes);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(isNoNote);
  return Object.fromEntries(kept.map(([key, inner]) => [key, opaque.has(key) ? inner : dropNotes(inner)]));
}

function isNoNote([key]: readonly [string, unknown]): boolean {
  return !key.startsWith("x-");
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

const ownKeys = Object.keys(planSchema.shape);
const moduleKeys = sectionTable.map(({ section }) => section);
const allKeys = [...ownKeys, ...moduleKeys, ...laterSections, ...passedSections];

/** Takes out what the loader's own schema does not check, and reports what nothing here builds. */
function splitSections(
  plan: JsonObject,
  reporter: Reporter,
): { unknownSections: string[]; rest: JsonObject } {
  const unknownSections: string[] = [];
  const rest: Record<string, Json> = {};
  for (const [key, value] of Object.entries(plan)) {
    if (ownKeys.includes(key)) rest[key] = value;
    else if (laterSections.includes(key)) reportLater(reporter, `section "${key}"`, [key]);
    else if (!allKeys.includes(key) && !reportUnknown(key, plan["version"], reporter))
      unknownSections.push(key);
  }
  return { unknownSections, rest };
}

function reportUnknown(key: string, version: Json | undefined, { report }: Reporter): boolean {
  const [near] = nearestNames(key, allKeys);
  if (version === undefined && near === undefined) return false;
  const hint = near === undefined ? "a key of your own begins with x-" : undefined;
  report(
    "PLAN_KEY_UNKNOWN",
    { key: key.slice(0, 100), ...(near !== undefined && { near }) },
    { path: [key], part: "key", hint },
  );
  return true;
}

/** Reports a part of the plan format that this version does not build. */
function reportLater({ report }: Reporter, what: string, path: Path): void {
  report(
    "EXTENSION_MISSING",
    { what, module: "a newer @toolmount/loader" },
    { path, part: "key", hint: "take it out of the plan" },
  );
}

/** Reports a schema's complaints about a part of the plan. */
function reportIssues(
  schema: Parameters<typeof readIssues>[0],
  issues: Parameters<typeof readIssues>[1],
  base: Path,
  { report }: Reporter,
): void {
  for (const { path, part, problem, unknownKey } of readIssues(schema, issues)) {
    const at = { path: [...base, ...path], part };
    if (unknownKey === undefined) report("PLAN_VALUE_INVALID", { problem }, at);
    else report("PLAN_KEY_UNKNOWN", unknownKey, at);
  }
}

/** The entries of a section that are well; the others are reported. */
function listEntries(value: Json | undefined, section: "tools" | "hooks", reporter: Reporter): PlanEntry[] {
  const list = value !== undefined && isList(value) ? value : [];
  return list.flatMap((item, index) => {
    const path = [section, index];
    const parsed = entrySchema.safeParse(item);
    if (!parsed.success) {
      reportIssues(entrySchema, parsed.error.issues, path, reporter);
      return [];
    }
    reportLaterParts(parsed.data, path, reporter);
    return [{ ...parsed.data, section, path }];
  });
}

function reportLaterParts(entry: EntryDocument, path: Path, reporter: Reporter): void {
  for (const key of ["uses", "wake"] as const) {
    if (entry[key] !== undefined) reportLater(reporter, `"${key}"`, [...path, key]);
  }
  for (const [tool, override] of overridesOf(entry)) {
    if (override.arguments !== undefined)
      reportLater(reporter, `"arguments"`, [...path, "tools", tool, "arguments"]);
  }
}

/** What an entry says of single tools, by the name their author gave them. */
export function overridesOf({ tools = {} }: Pick<EntryDocument, "tools">) {
  return Object.entries(tools).filter((pair): pair is [string, ToolOverride] => !Array.isArray(pair[1]));
}

/** `policy.limits`: the plan's bounds of every call, which core keeps. */
function checkLimits(policy: Json | undefined, reporter: Reporter): Limits {
  if (!isRecord(policy) || policy["limits"] === undefined) return {};
  const parsed = limitsSchema.safeParse(policy["limits"]);
  if (parsed.success) return readLimits(parsed.data);
  reportIssues(limitsSchema, parsed.error.issues, ["policy", "limits"], reporter);
  return {};
}

/** Limits as core names them; absent ones are left out. */
export function readLimits({ timeout, outputBytes, concurrent }: LimitsDocument): Limits {
  return {
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(outputBytes !== undefined && { outputBytes }),
    ...(concurrent !== undefined && { concurrent }),
  };
}

/** Sections that stand for modules, without what core itself took from them. */
function pickSections(plan: JsonObject): Record<string, Json> {
  const sections = moduleKeys.flatMap((key): [string, Json][] => {
    const value = plan[key];
    if (value === undefined || value === null) return [];
    if (key !== "policy" || !isRecord(value)) return [[key, value]];
    const rest = Object.fromEntries(Object.entries(value).filter(([member]) => member !== "limits"));
    return Object.keys(rest).length === 0 ? [] : [[key, rest]];
  });
  return Object.fromEntries(sections);
}
