import type { Policy, ToolInfo } from "@toolmount/core";
import type { Level } from "./config.ts";

/**
 * Returns the policy of a level. Any allow rule removes the question of the level. `autonomous` and `cautious` ask nothing in
 * addition to what tools and rules ask; `standard` asks about tools that change something or do not say; `paranoid` asks about
 * everything.
 */
export function createLevel(level: Level): Policy {
  return {
    name: `level ${level}`,
    prepare(tool) {
      const reason = reasonOf(level, tool);
      return reason === null
        ? null
        : () => ({ answer: "ask", because: "level", rule: `level ${level}`, reason });
    },
  };
}

function reasonOf(level: Level, { name, category, consequenceLevel }: ToolInfo): string | null {
  if (level === "autonomous" || level === "cautious") return null;
  if (level === "paranoid") return `every call is asked about at level paranoid`;
  if (category === undefined || consequenceLevel === undefined)
    return `"${name}" does not say what it may do`;
  return category === "read" ? null : `"${name}" is of category ${category}`;
}
