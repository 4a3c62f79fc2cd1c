import type { Json, JsonObject, Limits } from "@toolmount/core";
import { nearestNames } from "@toolmount/core/nearest";
import { isRecord } from "../diagnostics/json.ts";
import { readIssues } from "../diagnostics/schema-issues.ts";
import {
  entrySchema,
  limitsSchema,
  modesSchema,
  planSchema,
  type EntryDocument,
  type LimitsDocument,
  type ToolOverride,
} from "./schema.ts";
import type { Path } from "../diagnostics/positions.ts";
import type { Reporter } from "../diagnostics/problems.ts";
import { amplifierSections, isAmplifierPlan, listWritten, type EntrySection } from "./amplifier.ts";
import type { PlanModes } from "../mount/modes-module.ts";
import { sectionTable } from "../modules/section-table.ts";

/** One entry of a plan, checked. */
export interface PlanEntry extends EntryDocument {
  readonly section: EntrySection;
  readonly required: boolean;
  readonly path: Path;
}

/** A plan, checked: what the loader mounts. */
export interface Plan {
  readonly version: 1 | undefined;
  readonly name: string | undefined;
  readonly entries: readonly PlanEntry[];
  /** Sections that stand for modules, as written. */
  readonly sections: Readonly<Record<string, Json>>;
  /** Whether it is one of Amplifier's plans, which say more in other words. */
  readonly amplifier: boolean;
  readonly modes: PlanModes | undefined;
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
  const amplifier = isAmplifierPlan(known);
  const { unknownSections, rest } = splitSections(known, amplifier, reporter);
  const parsed = planSchema.safeParse(rest);
  if (!parsed.success) reportIssues(planSchema, parsed.error.issues, [], reporter);
  if (amplifier) checkAmplifier(known, reporter);
  return {
    version: parsed.data?.version,
    name: parsed.data?.name,
    entries: listEntries(known, amplifier, reporter),
    sections: pickSections(known, amplifier),
    amplifier,
    modes: checkModes(rest["modes"], reporter),
    limits: checkLimits(known["policy"], reporter),
    unknownSections,
  };
}

/** Shapes that the schema of our own plans does not know. Source: Amplifier's structural validation of mount plans. */
function checkAmplifier(plan: JsonObject, { report }: Reporter): void {
  const wrong = (path: Path, problem: string) => void report("PLAN_VALUE_INVALID", { problem }, { path });
  const { providers, agents } = plan;
  if (providers !== undefined && providers !== null && !isList(providers))
    wrong(["providers"], "providers is a list of modules");
  if (agents !== undefined && agents !== null && !isRecord(agents)) wrong(["agents"], "agents is a map");
  for (const key of ["orchestrator", "context"])
    if (plan[key] !== undefined && plan[key] !== null && !isRecord(plan[key]))
      wrong([key], `${key} is a map with "config"`);
  for (const [index, provider] of (isList(providers ?? null)
    ? (providers as readonly Json[])
    : []
  ).entries()) {
    if (!isRecord(provider) || provider["instance_id"] !== undefined || provider["id"] !== undefined)
      continue;
    const same = (other: Json, at: number) =>
      at < index &&
      isRecord(other) &&
      other["module"] === provider["module"] &&
      other["instance_id"] === undefined;
    if ((providers as readonly Json[]).some(same))
      wrong(["providers", index], "one use of a module may leave out instance_id, not two");
  }
}

function checkModes(value: Json | undefined, { report }: Reporter): PlanModes | undefined {
  const parsed = modesSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const keys = new Map<string, number>();
  for (const [index, { key }] of parsed.data.catalog.entries()) {
    if (keys.has(key))
      report(
        "PLAN_VALUE_INVALID",
        { problem: `another mode has the key "${key}"` },
        { path: ["modes", "catalog", index, "key"] },
      );
    keys.set(key, index);
  }
  const second = parsed.data.catalog.findLastIndex(({ isDefault }) => isDefault);
  if (second !== parsed.data.catalog.findIndex(({ isDefault }) => isDefault))
    report(
      "PLAN_VALUE_INVALID",
      { problem: "only one mode is the default" },
      { path: ["modes", "catalog", second, "isDefault"] },
    );
  return parsed.data;
}

/** A plan without its `x-` keys: those of the plan itself, of entries and of what entries say of tools. */
function withoutNotes(plan: JsonObject): JsonObject {
  const owned = new Set(["tools", "hooks", "providers"]);
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
/** `extends` was followed before. */
const allKeys = [...ownKeys, ...moduleKeys, "extends"];

/** Takes out what the loader's own schema does not check, and reports what nobody knows. */
function splitSections(
  plan: JsonObject,
  amplifier: boolean,
  reporter: Reporter,
): { unknownSections: string[]; rest: JsonObject } {
  const unknownSections: string[] = [];
  const rest: Record<string, Json> = {};
  for (const [key, value] of Object.entries(plan)) {
    if (ownKeys.includes(key)) rest[key] = value;
    else if (amplifier && amplifierSections.includes(key)) continue;
    else if (!allKeys.includes(key) && !reportUnknown(key, plan["version"], reporter))
      unknownSections.push(key);
  }
  return { unknownSections, rest };
}

function reportUnknown(key: string, version: Json | undefined, { report }: Reporter): boolean {
  const [near] = nearestNames(key, allKeys);
  if (version === undefined && near === undefined) return false;
  const hint = amplifierSections.includes(key)
    ? "this is a section of Amplifier's plans, which have no version"
    : near === undefined
      ? "a key of your own begins with x-"
      : undefined;
  report(
    "PLAN_KEY_UNKNOWN",
    { key: key.slice(0, 100), ...(near !== undefined && { near }) },
    { path: [key], part: "key", hint },
  );
  return true;
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

/**
 * The entries that are well; the others are reported. Of Amplifier's plans only orchestrator and context are required
 * unless an entry says so.
 */
function listEntries(plan: JsonObject, amplifier: boolean, reporter: Reporter): PlanEntry[] {
  const written = listWritten(plan);
  if (written.length > maxEntries) return reportTooMany(written[maxEntries]!.path, reporter);
  return written.flatMap(({ section, value, path }) => {
    const parsed = entrySchema.safeParse(value);
    if (!parsed.success) {
      reportIssues(entrySchema, parsed.error.issues, path, reporter);
      return [];
    }
    const entry = parsed.data;
    if (entry.remove === true) return reportNothingBelow(path, reporter);
    const required = entry.required ?? (!amplifier || section === "orchestrator" || section === "context");
    const id = entry.id ?? entry.instance_id;
    const wake = entry.wake ?? readWake(plan["wake"]);
    return [
      {
        ...entry,
        section,
        path,
        required,
        ...(id !== undefined && { id }),
        ...(wake !== undefined && { wake }),
      },
    ];
  });
}

/** Most entries that a plan may have. */
const maxEntries = 1000;

function reportTooMany(path: Path, { report }: Reporter): [] {
  report("PLAN_TOO_LARGE", { problem: `a plan has at most ${maxEntries} entries` }, { path });
  return [];
}

function reportNothingBelow(path: Path, { report }: Reporter): [] {
  report(
    "PLAN_VALUE_INVALID",
    { problem: "there is no layer below with an entry to take away" },
    { path: [...path, "remove"] },
  );
  return [];
}

function readWake(value: Json | undefined): EntryDocument["wake"] {
  const parsed = entrySchema.shape.wake.safeParse(value);
  return parsed.success ? parsed.data : undefined;
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
export function readLimits({ timeout, outputBytes, concurrent, rate }: LimitsDocument): Limits {
  return {
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(outputBytes !== undefined && { outputBytes }),
    ...(concurrent !== undefined && { concurrent }),
    ...(rate !== undefined && { rate }),
  };
}

/** Sections that stand for modules, without what core itself took from them. */
function pickSections(plan: JsonObject, amplifier: boolean): Record<string, Json> {
  const sections = moduleKeys.flatMap((key): [string, Json][] => {
    const value = plan[key];
    if (value === undefined || value === null) return [];
    if (key === "session" && amplifier) return [[key, withoutMembers(value, ["orchestrator", "context"])]];
    if (key !== "policy" || !isRecord(value)) return [[key, value]];
    const rest = withoutMembers(value, ["limits"]);
    return Object.keys(rest).length === 0 ? [] : [[key, rest]];
  });
  return Object.fromEntries(sections);
}

function withoutMembers(value: Json, members: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(value as JsonObject).filter(([member]) => !members.includes(member)),
  );
}
