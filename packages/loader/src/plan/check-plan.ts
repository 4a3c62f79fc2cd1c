import type { Json, JsonObject, Limits } from "@toolmount/core";
import { plainWords } from "@toolmount/core/schemas";
import { nearestNames } from "@toolmount/core/text";
import { isList, isRecord } from "../diagnostics/json.ts";
import type { Reporter } from "../diagnostics/problems.ts";
import { reportIssues } from "../diagnostics/schema-issues.ts";
import { movedMembers, sectionOfMember, sectionTable } from "../modules/section-table.ts";
import { amplifierSections, checkAmplifier, isAmplifierPlan, isKept, unmappedSections } from "./amplifier.ts";
import { checkEntries, inLayer, type PlanEntry } from "./check-entries.ts";
import { checkCommandHooks, type PlacedHook } from "./command-hooks.ts";
import { limitsSchema, modesSchema, planSchema, type LimitsDocument, type PlanModes } from "./schema.ts";
import { typeVariables } from "../diagnostics/typed-variables.ts";

export interface Plan {
  readonly version: 1 | undefined;
  readonly name: string | undefined;
  readonly entries: readonly PlanEntry[];
  /** Entries of `hooks` that run programs. */
  readonly commandHooks: readonly PlacedHook[];
  readonly sections: Readonly<Record<string, Json>>;
  readonly amplifier: boolean;
  /** The agents of an Amplifier plan, for the module that runs them. */
  readonly agents?: Json | undefined;
  readonly modes: PlanModes | undefined;
  readonly limits: Limits;
  /** The folder over which the layer is, as the plan writes it. Changes wait in the layer until a person keeps them. */
  readonly layer?: string | undefined;
  /** Sections of an Amplifier plan that are unknown and only logged. */
  readonly unknownSections: readonly string[];
}

/** Reports all problems of a plan, and returns its valid parts. Unknown sections are problems, except in an Amplifier plan. */
export async function checkPlan(value: JsonObject, reporter: Reporter): Promise<Plan> {
  const known = dropNotes(value);
  const amplifier = isAmplifierPlan(known);
  const { unknownSections, rest } = splitSections(known, amplifier, reporter);
  const { version, name, layer } = readFacts(rest, reporter);
  if (known["version"] !== undefined && known["tools"] === null) reportNoTools(reporter);
  if (amplifier) checkAmplifier(known, reporter);
  reportMoved(known, reporter);
  return {
    version,
    name,
    ...(layer !== undefined && { layer }),
    entries: inLayer(checkEntries(known, amplifier, reporter), layer, reporter),
    commandHooks: await checkCommandHooks(known, reporter),
    sections: pickSections(known),
    amplifier,
    agents: amplifier ? known["agents"] : undefined,
    modes: checkModes(rest["modes"], reporter),
    limits: checkLimits(known["policy"], reporter),
    unknownSections,
  };
}

function readFacts(plan: JsonObject, reporter: Reporter): Partial<Pick<Plan, "version" | "name" | "layer">> {
  const parsed = planSchema.safeParse(plan, plainWords);
  if (!parsed.success) reportIssues(planSchema, parsed.error.issues, [], reporter);
  return parsed.data ?? {};
}

/** Reports an empty `tools:`. Usually its list has a wrong indent or was commented out. */
function reportNoTools({ report }: Reporter): void {
  const problem = "tools is empty; write a list of entries, or remove the key";
  report("PLAN_VALUE_INVALID", { problem }, { path: ["tools"] });
}

/**
 * Reports members that belong in another section. If a setting could be written in two places, one could silently replace the
 * guards of the other.
 */
function reportMoved(plan: JsonObject, { report }: Reporter): void {
  for (const { section, member, to } of movedMembers) {
    const config = plan[section];
    if (!isRecord(config) || config[member] === undefined) continue;
    const problem = `${section} has no ${member}; write it as ${to}`;
    report("PLAN_VALUE_INVALID", { problem }, { path: [section, member], part: "key" });
  }
}

const moduleKeys = sectionTable.map(({ section }) => section);
const ownModuleKeys = moduleKeys.filter((key) => !amplifierSections.includes(key));
// `extends` is allowed here too, but it was already handled when the parts were read.
const planKeys = Object.keys(planSchema.shape);
const allKeys = [...planKeys, ...ownModuleKeys, "extends"];

/** Returns the loader's own keys, and the names of unknown sections that are only logged. Reports other unknown keys. */
function splitSections(
  plan: JsonObject,
  amplifier: boolean,
  reporter: Reporter,
): { unknownSections: string[]; rest: JsonObject } {
  const unknownSections: string[] = [];
  const rest: Record<string, Json> = {};
  for (const [key, value] of Object.entries(plan)) {
    if (planKeys.includes(key)) rest[key] = value;
    else if (amplifier && (amplifierSections.includes(key) || isKept(key, value))) continue;
    else if (!allKeys.includes(key) && !reportUnknown(key, amplifier, reporter)) unknownSections.push(key);
  }
  return { unknownSections, rest };
}

function reportUnknown(key: string, amplifier: boolean, { report }: Reporter): boolean {
  const isAmplifiers = amplifierSections.includes(key);
  const [near] = isAmplifiers || sectionOfMember(key) !== undefined ? [] : nearestNames(key, allKeys);
  const unmapped = Object.hasOwn(unmappedSections, key) ? unmappedSections[key] : undefined;
  if (amplifier && near === undefined && unmapped === undefined) return false;
  const ownKey = near === undefined ? "a key of your own begins with x-" : undefined;
  const section = isAmplifiers ? undefined : sectionOfMember(key);
  const home = section === undefined ? ownKey : `write it in ${section}:`;
  const hint = isAmplifiers
    ? "this is a section of Amplifier plans, which have no version; write the model and its agents in agent:"
    : (unmapped ?? home);
  const details = { key: key.slice(0, 100), ...(near !== undefined && { near }) };
  report("PLAN_KEY_UNKNOWN", details, { path: [key], part: "key", hint });
  return true;
}

/** By section, the members that the loader itself reads. */
const readElsewhere: Readonly<Record<string, readonly string[]>> = {
  policy: ["limits"],
  session: ["orchestrator", "context"],
};

/** Returns the sections that configure modules, without the members that the loader itself reads. */
function pickSections(plan: JsonObject): Record<string, Json> {
  const sections = moduleKeys.flatMap((key): [string, Json][] => {
    const value = plan[key];
    if (value === undefined || value === null) return [];
    const elsewhere = readElsewhere[key];
    if (elsewhere === undefined || !isRecord(value)) return [[key, value]];
    const rest = withoutMembers(value, elsewhere);
    return Object.keys(rest).length === 0 ? [] : [[key, rest]];
  });
  return Object.fromEntries(sections);
}

function withoutMembers(value: JsonObject, members: readonly string[]): JsonObject {
  const kept = Object.entries(value).filter(([member]) => !members.includes(member));
  return Object.fromEntries(kept);
}

/** Checks `policy.limits`, the plan's limits for every call, which core enforces. */
function checkLimits(policy: Json | undefined, reporter: Reporter): Limits {
  if (!isRecord(policy) || policy["limits"] === undefined) return {};
  const at = ["policy", "limits"];
  const first = limitsSchema.safeParse(policy["limits"], plainWords);
  const typed = typeVariables(policy["limits"], first.error?.issues ?? [], (path) =>
    reporter.isVariable([...at, ...path]),
  );
  const parsed = typed === null ? first : limitsSchema.safeParse(typed, plainWords);
  if (parsed.success) return readLimits(parsed.data);
  reportIssues(limitsSchema, parsed.error.issues, at, reporter);
  return {};
}

export function readLimits({ timeout, outputBytes, concurrent, rate }: LimitsDocument): Limits {
  return {
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(outputBytes !== undefined && { outputBytes }),
    ...(concurrent !== undefined && { concurrent }),
    ...(rate !== undefined && { rate }),
  };
}

/**
 * Returns the modes of a plan. Reports modes with the same key, or several defaults. Returns undefined for an invalid section,
 * whose problems were reported earlier.
 */
function checkModes(value: Json | undefined, { report }: Reporter): PlanModes | undefined {
  if (value === undefined) return undefined;
  const parsed = modesSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { catalog } = parsed.data;
  const wrong = (index: number, key: string, problem: string) =>
    report("PLAN_VALUE_INVALID", { problem }, { path: ["modes", "catalog", index, key] });
  for (const [index, { key }] of catalog.entries())
    if (catalog.findIndex((other) => other.key === key) < index)
      wrong(index, "key", `another mode has the key "${key}"`);
  const last = catalog.findLastIndex(({ isDefault }) => isDefault);
  if (last !== catalog.findIndex(({ isDefault }) => isDefault))
    wrong(last, "isDefault", "only one mode can be the default");
  return parsed.data;
}

/**
 * Returns a plan without the keys that begin with `x-`, which are notes: of the plan, of its entries and of settings for tools.
 */
function dropNotes(plan: JsonObject): JsonObject {
  const entryLists = new Set(["tools", "hooks", "providers"]);
  const kept = Object.entries(plan).filter(isNoNote);
  return Object.fromEntries(kept.map(([key, inner]) => [key, entryLists.has(key) ? drop(inner) : inner]));
}

const opaque = new Set(["config", "source", "run"]);

function drop(value: Json): Json {
  if (isList(value)) return value.map(drop);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(isNoNote);
  return Object.fromEntries(kept.map(([key, inner]) => [key, opaque.has(key) ? inner : drop(inner)]));
}

function isNoNote([key]: readonly [string, unknown]): boolean {
  return !key.startsWith("x-");
}
