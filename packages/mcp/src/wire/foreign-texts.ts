import { escapeDeceiving } from "@toolmount/core/hidden";

/** Levels that are read. A host refuses a result that is deeper. */
const maxLevels = 100;

/**
 * What a server sent, with characters that people do not see written as code points, unless the plan allows them; the value
 * itself where it has none.
 */
export function withShownTexts<Value>(
  value: Value,
  { hiddenText }: { hiddenText: "refuse" | "allow" },
): Value {
  return hiddenText === "allow" ? value : (show(value, maxLevels) as Value);
}

function show(value: unknown, levels: number): unknown {
  if (typeof value === "string") return escapeDeceiving(value);
  if (typeof value !== "object" || value === null || levels === 0) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => show(item, levels - 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const members = Object.entries(value).map(
    ([key, member]) => [escapeDeceiving(key), show(member, levels - 1), key, member] as const,
  );
  const isSame = members.every(([key, member, oldKey, old]) => key === oldKey && member === old);
  return isSame ? value : Object.fromEntries(members.map(([key, member]) => [key, member]));
}
