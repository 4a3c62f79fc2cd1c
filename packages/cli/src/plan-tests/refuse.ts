import { ToolmountError } from "@toolmount/core";
import type { OpenedPlan } from "@toolmount/loader";

/** Throws `PLAN_VALUE_INVALID` at a place below one item of a section. */
export type Refuse = (problem: string, ...path: string[]) => never;

/** Refuses what one item of `tests:` or `evals:` says, at its line. */
export function createRefuse(plan: OpenedPlan, section: string, index: number): Refuse {
  return (problem, ...path) => {
    const at = plan.position(section, index, ...path) ?? plan.position(section, index);
    const where = at === undefined ? `${section}, item ${index + 1}` : `${at.file}:${at.line}:${at.column}`;
    throw new ToolmountError("PLAN_VALUE_INVALID", { problem: `${where}: ${problem}`, ...at });
  };
}

/** A text, or nothing. */
export function readText(value: unknown, key: string, refuse: Refuse): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return refuse(`${key} is a text`, key);
}

/** Refuses a key that is neither known nor a note, which begins with `x-`. */
export function requireKnown(
  map: Record<string, unknown>,
  known: readonly string[],
  refuse: Refuse,
  ...path: string[]
): void {
  const stray = Object.keys(map).find((key) => !known.includes(key) && !key.startsWith("x-"));
  if (stray !== undefined) refuse(`unknown key "${stray}"; there are ${known.join(", ")}`, ...path, stray);
}

/** Whether a value is a map. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
