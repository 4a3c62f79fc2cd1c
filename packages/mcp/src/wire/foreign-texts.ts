import { escapeDeceiving, isDeceiving } from "@toolmount/core/text";

/** Deepest nesting that is read, in levels. A host refuses a result that is deeper. */
const maxLevels = 100;

/**
 * Returns what a server sent, with hidden characters written as code points, unless the plan allows them. If there are none,
 * returns the value itself.
 */
export function withShownTexts<Value>(
  value: Value,
  { hiddenText }: { hiddenText: "refuse" | "allow" },
): Value {
  return hiddenText === "allow" || !hides(value, maxLevels) ? value : (show(value, maxLevels) as Value);
}

/** Whether a value has hidden characters. Most have none, so this saves a copy. */
function hides(value: unknown, levels: number): boolean {
  if (typeof value === "string") return isDeceiving(value);
  if (typeof value !== "object" || value === null || levels === 0) return false;
  if (Array.isArray(value)) return value.some((item) => hides(item, levels - 1));
  for (const key in value)
    if (isDeceiving(key) || hides((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
}

function show(value: unknown, levels: number): unknown {
  if (typeof value === "string") return escapeDeceiving(value);
  if (typeof value !== "object" || value === null || levels === 0) return value;
  if (Array.isArray(value)) return value.map((item) => show(item, levels - 1));
  const members = Object.entries(value).map(
    ([key, member]) => [escapeDeceiving(key), show(member, levels - 1)] as const,
  );
  return Object.fromEntries(members);
}
