import type { Json, JsonObject } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";

interface SectionRow {
  readonly section: string;
  readonly module: string;
  /** `config`: the section is the module's config. `member`: it is one member of it, named as the section. */
  readonly as: "config" | "member";
  /** Values for which core alone is enough. */
  readonly builtIn?: readonly string[];
}

/** Sections, and the modules that get them as config. Only this table names other packages. */
export const sectionTable: readonly SectionRow[] = [
  { section: "policy", module: "@toolmount/policy", as: "config" },
  { section: "state", module: "@toolmount/store", as: "member", builtIn: ["memory"] },
  { section: "audit", module: "@toolmount/store", as: "member", builtIn: ["off"] },
  { section: "agent", module: "@toolmount/reasoner", as: "config" },
  // Of Amplifier's plans.
  { section: "session", module: "@toolmount/reasoner", as: "member" },
];

/** Members of sections that people look for at the top of a plan. */
const members: Readonly<Record<string, readonly string[]>> = {
  policy: ["allow", "ask", "deny", "rules", "flows", "budgets", "limits", "replace", "level", "approver"],
  agent: ["model", "instructions", "agents", "baseUrl", "apiKey"],
};

/** The section that has a member of this name. */
export function sectionOfMember(name: string): string | undefined {
  return Object.keys(members).find((section) => members[section]!.includes(name));
}

/** The module that runs the commands of `hooks`. */
export const hookModule = "@toolmount/policy";

/** Members of a section's config that a plan writes elsewhere, and where: nothing has two spellings. */
export const movedMembers: readonly {
  readonly section: string;
  readonly member: string;
  readonly to: string;
}[] = [{ section: "policy", member: "commandHooks", to: "entries with a command of the section hooks:" }];

/** Schemes of a source that is a map, and the module that mounts such a source. */
export const schemeTable: Readonly<Record<string, string>> = { mcp: "@toolmount/mcp" };

/** Places where calls may run, besides `inline`, and the module that runs them there. */
export const runnerTable: Readonly<Record<string, string>> = {
  process: "@toolmount/workers",
  fleet: "@toolmount/workers",
  layer: "@toolmount/workers",
};

/** The modules for files and commands, under both of their names: with `layer` in a plan they run in the layer. */
export const layerModules: readonly string[] = ["bash", "filesystem", "search"].flatMap((name) => [
  name,
  `@toolmount/tool-${name}`,
]);

/** The config that a section gives its module; null when core alone is enough. */
export function sectionConfig(row: SectionRow, value: Json): JsonObject | null {
  if (typeof value === "string" && row.builtIn?.includes(value)) return null;
  if (row.as === "config" && isRecord(value)) return value;
  return { [row.section]: value };
}
