import { nearestNames, type Limits, type ToolDefinition, type ToolShape } from "@toolmount/core";
import { offeredName } from "./offered-name.ts";
import { overridesOf, readLimits, type PlanEntry } from "./plan.ts";
import type { Path } from "./plan-map.ts";

/** What of an entry shapes its tools. */
export type Shaping = Pick<PlanEntry, "tools" | "prefix" | "override" | "limits">;

/** Shapes the tools that one entry's module mounts, and knows afterwards which of its words met no tool. */
export interface Selection {
  readonly shapeTool: (tool: ToolDefinition) => ToolShape | null;
  /** Names the entry gives that no tool of the module has, with their places below the entry. */
  unmet(): readonly { readonly path: Path; readonly part: "key" | "value"; readonly problem: string }[];
}

/**
 * Reads an entry's `include`, `exclude`, `prefix`, `limits` and what it says of single tools, by the names their author
 * gave them. A tool's own limits come before the entry's, these before the plan's. `as` is the whole new name; a
 * prefix is not put before it.
 */
export function createSelection(entry: Shaping, planLimits: Limits, runner: string | undefined): Selection {
  const seen = new Set<string>();
  const overrides = new Map(overridesOf(entry));
  return {
    shapeTool(tool) {
      seen.add(tool.name);
      const name = offeredName(entry, tool.name);
      if (name === null) return null;
      const { limits, description } = overrides.get(tool.name) ?? {};
      return {
        name,
        override: entry.override,
        limits: { ...planLimits, ...readLimits(entry.limits ?? {}), ...readLimits(limits ?? {}) },
        ...(runner !== undefined && { runner }),
        ...(description !== undefined && { definition: redescribe(tool, description) }),
      };
    },
    unmet: () =>
      wordsOf(entry)
        .filter(({ name }) => !seen.has(name))
        .map(({ name, path, part }) => ({ path, part, problem: missing(name, seen) })),
  };
}

function redescribe(tool: ToolDefinition, description: string): ToolDefinition {
  return { ...tool, name: tool.name, schema: tool.schema, description, execute: tool.execute.bind(tool) };
}

function wordsOf({ tools = {} }: Shaping): { name: string; path: Path; part: "key" | "value" }[] {
  const listed = (["include", "exclude"] as const).flatMap((key) =>
    (tools[key] ?? []).map((name, index) => ({ name, path: ["tools", key, index], part: "value" as const })),
  );
  const named = overridesOf({ tools }).map(([name]) => ({
    name,
    path: ["tools", name],
    part: "key" as const,
  }));
  return [...listed, ...named];
}

function missing(name: string, seen: ReadonlySet<string>): string {
  const [near] = nearestNames(name, seen);
  const known = [...seen].slice(0, 20).join(", ") || "none";
  return `no tool of this module is called "${name}"; ${near === undefined ? `it has: ${known}` : `did you mean "${near}"?`}`;
}
