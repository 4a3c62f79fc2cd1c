import type { Limits, ToolDefinition, ToolShape } from "@toolmount/core";
import { kindOf, nearestNames } from "@toolmount/core/text";
import type { PlanLock } from "../plan/lock-file.ts";
import { choosesTool, offeredName, type Choosable } from "./offered-name.ts";
import { readLimits } from "../plan/check-plan.ts";
import { overridesOf, type PlanEntry } from "../plan/check-entries.ts";
import type { Path } from "../diagnostics/positions.ts";
import type { Reporter } from "../diagnostics/problems.ts";

/**
 * Maximum number of bytes of an internal tool's result if the plan sets none. It is high, because the result is data for a
 * client, which is useless if it is cut.
 */
const internalBytes = 64 * 1024 * 1024;

export interface Selection {
  readonly shapeTool: (tool: ToolDefinition) => ToolShape | null;
  reportUnmatched(reporter: Reporter): void;
}

/**
 * Creates the changes that an entry makes to its module's tools. The entry uses the author's names of the tools. A limit that
 * is set for the tool takes precedence over that of the entry, and the entry's over that of the plan.
 */
export function createSelection(
  entry: PlanEntry,
  planLimits: Limits,
  runner: string | undefined,
  lock?: PlanLock,
): Selection {
  const seen = new Map<string, Choosable>();
  const overrides = new Map(overridesOf(entry));
  return {
    shapeTool(tool) {
      if (tool.status !== "internal") seen.set(tool.name, tool);
      const name = offeredName(entry, tool);
      if (name === null) return null;
      const { limits, description, arguments: shapes } = overrides.get(tool.name) ?? {};
      return {
        name,
        override: entry.override,
        limits: {
          ...(tool.status === "internal" && { outputBytes: internalBytes }),
          ...planLimits,
          ...readLimits(entry.limits ?? {}),
          ...readLimits(limits ?? {}),
        },
        ...(lock !== undefined && { lockedAs: lock.tools[name]?.digest ?? null }),
        ...(runner !== undefined && { runner }),
        ...(description !== undefined && { definition: redescribe(tool, description) }),
        ...(shapes !== undefined && { arguments: shapes }),
        ...(entry.uses !== undefined && { uses: entry.uses }),
      };
    },
    reportUnmatched: (reporter) => reportUnmatched(entry, [...seen.values()], reporter),
  };
}

/** Returns a tool with another description. The author's summary is left out, because it fits only the author's description. */
function redescribe(tool: ToolDefinition, description: string): ToolDefinition {
  const { summary: _, ...rest } = tool;
  return { ...rest, name: tool.name, schema: tool.schema, description, execute: tool.execute.bind(tool) };
}

/** Reports names and patterns of an entry that match none of its module's tools. */
export function reportUnmatched(
  { path, tools = {} }: PlanEntry,
  known: readonly Choosable[],
  { report }: Reporter,
): void {
  const names = known.map(({ name }) => name);
  const complain = (item: string, at: Path, part: "key" | "value") =>
    report(
      "PLAN_VALUE_INVALID",
      { problem: missing(item, names) },
      { path: [...path, "tools", ...at], part },
    );
  for (const key of ["include", "exclude"] as const)
    for (const [index, item] of (tools[key] ?? []).entries())
      if (!known.some((tool) => choosesTool(item, tool))) complain(item, [key, index], "value");
  for (const [name] of overridesOf({ tools })) if (!names.includes(name)) complain(name, [name], "key");
}

function missing(item: string, names: readonly string[]): string {
  const known = names.slice(0, 20).join(", ") || "none";
  const [kind, word] = kindOf(item) ?? [];
  if (kind !== undefined) return `no tool of this module has the ${kind} "${word}"; it has: ${known}`;
  if (/[*?]/.test(item)) return `no tool of this module fits "${item}"; it has: ${known}`;
  const [near] = nearestNames(item, names);
  return `no tool of this module is called "${item}"; ${near === undefined ? `it has: ${known}` : `did you mean "${near}"?`}`;
}
