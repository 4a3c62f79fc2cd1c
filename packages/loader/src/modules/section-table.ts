import type { Json, JsonObject } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";

interface SectionRow {
  readonly section: string;
  readonly module: string;
  /** `config`: the section is the module's config. `member`: it is one member of this config, which has the section's name. */
  readonly as: "config" | "member";
  /** Values of the section for which no module is needed. */
  readonly builtIn?: readonly string[];
}

/** The sections and the modules that receive them as config. Only this file names other packages. */
export const sectionTable: readonly SectionRow[] = [
  { section: "policy", module: "@toolmount/policy", as: "config" },
  { section: "state", module: "@toolmount/store", as: "member", builtIn: ["memory"] },
  { section: "audit", module: "@toolmount/store", as: "member", builtIn: ["off"] },
  { section: "agent", module: "@toolmount/reasoner", as: "config" },
  // Only plans in Amplifier's format have this section.
  { section: "session", module: "@toolmount/reasoner", as: "member" },
];

/** Members of sections that people often write at the top of a plan by mistake. */
const members: Readonly<Record<string, readonly string[]>> = {
  policy: ["allow", "ask", "deny", "rules", "flows", "budgets", "limits", "replace", "level", "approver"],
  agent: ["model", "instructions", "agents", "baseUrl", "apiKey"],
};

/** Returns the section of a member that people often write at the top of a plan by mistake; undefined for other names. */
export function sectionOfMember(name: string): string | undefined {
  return Object.keys(members).find((section) => members[section]!.includes(name));
}

/** The module that runs the commands of `hooks`. */
export const hookModule = "@toolmount/policy";

/** Members of a section's config that a plan must write in another section, so that each setting is written in only one way. */
export const movedMembers: readonly {
  readonly section: string;
  readonly member: string;
  readonly to: string;
}[] = [{ section: "policy", member: "commandHooks", to: "entries with a command of the section hooks:" }];

/** Keys of a `source` that is a map, each with the module that mounts such a source. */
export const schemeTable: Readonly<Record<string, string>> = { mcp: "@toolmount/mcp" };

/** Places where calls can run besides `inline`, each with the module that runs them there. */
export const runnerTable: Readonly<Record<string, string>> = {
  process: "@toolmount/workers",
  fleet: "@toolmount/workers",
  layer: "@toolmount/workers",
};

/** The modules for files and commands, each with both of its names. Their calls run in the plan's `layer`, if it has one. */
export const layerModules: readonly string[] = ["bash", "filesystem", "search"].flatMap((name) => [
  name,
  `@toolmount/tool-${name}`,
]);

/** Returns the config that a section gives its module; null if no module is needed. */
export function sectionConfig(row: SectionRow, value: Json): JsonObject | null {
  if (typeof value === "string" && row.builtIn?.includes(value)) return null;
  if (row.as === "config" && isRecord(value)) return value;
  return { [row.section]: value };
}
