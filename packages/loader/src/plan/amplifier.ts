import type { Json, JsonObject } from "@toolmount/core";
import { isList, isRecord } from "../diagnostics/json.ts";
import type { Path } from "../diagnostics/positions.ts";
import type { Reporter } from "../diagnostics/problems.ts";

export type EntrySection = "orchestrator" | "context" | "providers" | "tools" | "hooks";

/** A module specification as the plan writes it. */
export interface WrittenEntry {
  readonly section: EntrySection;
  readonly value: Json;
  readonly path: Path;
}

/** Sections that only plans in Amplifier's format have. */
export const amplifierSections: readonly string[] = [
  "session",
  "orchestrator",
  "context",
  "providers",
  "agents",
];

/** The problem of a bundle that was given in another way than as a file. */
export const bundleProblem =
  "this is a bundle of Amplifier; give it as a file, bundle.md or, without a text, bundle.yaml";

/**
 * Sections of Amplifier that have no counterpart, each with advice. They are reported as problems, because ignoring them could
 * lose a restriction.
 */
export const unmappedSections: Readonly<Record<string, string>> = {
  bundle: bundleProblem,
  includes: bundleProblem,
  spawn: "write what sub-agents do not get in settings.exclude_tools of tool-delegate",
};

/** Tests whether a section `spawn` only asks for what is already so: sub-agents do not get the tool that starts sub-agents. */
export function isKept(section: string, value: Json): boolean {
  if (section !== "spawn" || !isRecord(value)) return false;
  const { exclude_tools: tools = [], ...others } = value;
  const isOwn = (name: Json) => typeof name === "string" && /^(tool-)?(delegate|task)$/.test(name);
  return Object.keys(others).length === 0 && isList(tools) && tools.every(isOwn);
}

/**
 * Tests whether a plan has Amplifier's format: it has no `version`, but a session with parts, or another section of Amplifier.
 */
export function isAmplifierPlan(plan: JsonObject): boolean {
  if (plan["version"] !== undefined) return false;
  const { session } = plan;
  const inSession =
    isRecord(session) && (session["orchestrator"] !== undefined || session["context"] !== undefined);
  return (
    inSession || amplifierSections.some((section) => section !== "session" && plan[section] !== undefined)
  );
}

/**
 * Returns the entries of a plan as they are written, in the order in which Amplifier loads them. Source:
 * MOUNT_PLAN_SPECIFICATION, _session_init.py.
 */
export function listWritten(plan: JsonObject): WrittenEntry[] {
  const { session } = plan;
  const amplifier = isAmplifierPlan(plan);
  const single = (section: "orchestrator" | "context"): WrittenEntry[] => {
    const value = isRecord(session) ? session[section] : undefined;
    if (!amplifier || value === undefined || value === null) return [];
    const named = typeof value === "string" ? { module: value } : value;
    const whole = withId(withConfig(named, plan[section]));
    return [{ section, value: whole, path: ["session", section] }];
  };
  const list = (section: "providers" | "tools" | "hooks"): WrittenEntry[] => {
    const value = plan[section];
    if (!isList(value)) return [];
    const translate = amplifier ? withId : (item: Json) => item;
    return value.map((item, index) => ({ section, value: translate(item), path: [section, index] }));
  };
  const providers = amplifier ? list("providers") : [];
  return [...single("orchestrator"), ...single("context"), ...providers, ...list("tools"), ...list("hooks")];
}

function withConfig(named: Json, section: Json | undefined): Json {
  const config = isRecord(section) ? section["config"] : undefined;
  if (!isRecord(named) || !isRecord(config)) return named;
  const own = named["config"];
  return { ...named, config: { ...config, ...(isRecord(own) ? own : {}) } };
}

/** Renames `instance_id`, Amplifier's name of an entry's id, to `id`. */
function withId(entry: Json): Json {
  if (!isRecord(entry) || entry["instance_id"] === undefined) return entry;
  const { instance_id: id, ...rest } = entry;
  return { id, ...rest };
}

/** Checks the sections that only Amplifier plans have. Source: Amplifier's structural validation of mount plans. */
export function checkAmplifier(plan: JsonObject, { report }: Reporter): void {
  const wrong = (path: Path, problem: string) => void report("PLAN_VALUE_INVALID", { problem }, { path });
  const isGiven = (key: string) => plan[key] !== undefined && plan[key] !== null;
  const { providers, agents } = plan;
  if (isGiven("providers") && !isList(providers)) wrong(["providers"], "providers is a list of modules");
  if (isGiven("agents") && !isRecord(agents)) wrong(["agents"], "agents is a map");
  for (const key of ["orchestrator", "context"])
    if (isGiven(key) && !isRecord(plan[key])) wrong([key], `${key} is a map with "config"`);
  for (const index of isList(providers) ? findUnnamed(providers) : [])
    wrong(["providers", index], "only one use of a module may omit instance_id");
  for (const { agent, module } of toolsOfAgents(plan))
    wrong(
      ["agents", agent],
      `the agent ${agent} has ${module}, which is no tool of the plan; add it to tools`,
    );
  for (const [index, provider] of isList(providers) ? providers.entries() : []) {
    const other = otherSource(provider);
    if (other !== null)
      wrong(["providers", index, "source"], `its source is "${other}", which is another module`);
  }
}

/**
 * Finds tools of agents that the plan does not mount. They are a problem, because an agent can only have tools of its session.
 */
function toolsOfAgents({ agents, tools }: JsonObject): readonly { agent: string; module: string }[] {
  const modules = new Set(modulesOf(tools));
  return Object.entries(isRecord(agents) ? agents : {}).flatMap(([agent, given]) =>
    modulesOf(isRecord(given) ? given["tools"] : undefined)
      .filter((module) => !modules.has(module))
      .map((module) => ({ agent, module })),
  );
}

function modulesOf(entries: Json | undefined): readonly string[] {
  return (isList(entries) ? entries : []).flatMap((entry) => {
    const module = isRecord(entry) ? entry["module"] : entry;
    return typeof module === "string" ? [module] : [];
  });
}

/**
 * Returns the name of the provider in a source if the module has another name, because the module's key would then be sent to the
 * wrong server. Otherwise null.
 */
function otherSource(provider: Json): string | null {
  const { module, source } = isRecord(provider) ? provider : {};
  if (typeof module !== "string" || typeof source !== "string") return null;
  const [, named] = /\b(provider-[a-z0-9-]+)/.exec(source) ?? [];
  return named === undefined || module.endsWith(named) ? null : named;
}

/** Returns the indices of providers without an id whose module an earlier provider without an id already uses. */
function findUnnamed(providers: readonly Json[]): number[] {
  const unnamed = providers.map((provider) => {
    const isUnnamed =
      isRecord(provider) && provider["instance_id"] === undefined && provider["id"] === undefined;
    return isUnnamed ? provider["module"] : undefined;
  });
  return [...unnamed.keys()].filter(
    (index) => unnamed[index] !== undefined && unnamed.indexOf(unnamed[index]) < index,
  );
}

const pythonSource =
  /^git\+(?:https|ssh):\/\/(?:git@)?github\.com\/(?:[\w.-]+\/amplifier-(?:module|bundle)-|microsoft\/amplifier-)/;

type Foreign =
  /** A package of toolmount takes its place, whether it is installed or not. */
  | { readonly kind: "package"; readonly names: readonly string[]; readonly hint: string }
  /** It is a part of the session, which `@toolmount/reasoner` replaces. */
  | { readonly kind: "reasoner" };

/** Returns what takes the place of a module in an Amplifier plan; undefined for a module that is mounted as it is written. */
export function mapForeign(section: EntrySection, module: string, source: unknown): Foreign | undefined {
  const python = typeof source === "string" && pythonSource.test(source);
  if (source !== undefined && !python) return undefined;
  if (!/^[A-Za-z0-9_-]+$/.test(module)) return undefined;
  if (section !== "tools" && section !== "hooks") return { kind: "reasoner" };
  const written = module.replace(/^(?:tool|hooks?)-/, "");
  const short = section === "tools" && written === "mode" ? "modes" : written;
  const kind = section === "tools" ? "tool" : "hooks";
  return {
    kind: "package",
    names: [`@toolmount/${kind}-${short}`, `toolmount-${kind}-${short}`],
    hint: `it is a Python module, and neither @toolmount/${kind}-${short} nor toolmount-${kind}-${short} is installed; remove the entry, or add a source of your own`,
  };
}
