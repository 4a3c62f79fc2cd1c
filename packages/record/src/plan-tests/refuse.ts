import { ToolmountError } from "@toolmount/core";
import { isRecord } from "@toolmount/core/json";
import type { OpenedPlan } from "@toolmount/loader";

/** Throws `PLAN_VALUE_INVALID` for a place within one item of a section. */
export type Refuse = (problem: string, ...path: string[]) => never;

/** Creates the function that refuses a value within one item of `tests:`, with its line. */
function createRefuse(plan: OpenedPlan, index: number): Refuse {
  return (problem, ...path) => {
    const at = plan.position("tests", index, ...path) ?? plan.position("tests", index);
    const where = at === undefined ? `tests, item ${index + 1}` : `${at.file}:${at.line}:${at.column}`;
    throw new ToolmountError("PLAN_VALUE_INVALID", { problem: `${where}: ${problem}`, ...at });
  };
}

/** Reads an optional text. */
export function readText(value: unknown, key: string, refuse: Refuse): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return refuse(`${key} is a text`, key);
}

/** Refuses a key that is neither known nor a note. A note begins with `x-`. */
export function requireKnown(
  map: Record<string, unknown>,
  known: readonly string[],
  refuse: Refuse,
  ...path: string[]
): void {
  const stray = Object.keys(map).find((key) => !known.includes(key) && !key.startsWith("x-"));
  if (stray !== undefined) refuse(`unknown key "${stray}"; there are ${known.join(", ")}`, ...path, stray);
}

const kinds = ["call", "replay", "prompt"] as const;

/** Returns the items of one kind in the plan's `tests:`: calls, recorded files, or prompts for `toolmount test prompts`. */
export function listItems(plan: OpenedPlan, kind: (typeof kinds)[number]): TestItem[] {
  const listed: readonly unknown[] = Array.isArray(plan.written["tests"]) ? plan.written["tests"] : [];
  return listed.flatMap((item, index) => {
    const refuse = createRefuse(plan, index);
    const found = isRecord(item) ? kinds.filter((known) => known in item) : [];
    if (!isRecord(item) || found.length !== 1)
      return refuse("a test is a map with one of call, replay and prompt");
    return found[0] === kind ? [{ item, index, refuse }] : [];
  });
}

interface TestItem {
  readonly item: Record<string, unknown>;
  readonly index: number;
  readonly refuse: Refuse;
}
