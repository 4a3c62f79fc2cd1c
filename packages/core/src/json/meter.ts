import { isPlain, maxDepth } from "./freeze.ts";
import { isRecord } from "./json.ts";

/**
 * Says what makes a foreign value too large to walk: "nested deeper than 64 levels" or "larger than … bytes". Null for
 * one that is small enough. Reads no more than it has to, so a circle ends, too. Instances of classes are not entered.
 */
export function meter(value: unknown, maxBytes: number, maxLevels = maxDepth): string | null {
  const left = remaining(value, maxBytes, maxLevels);
  if (left >= 0) return null;
  return left === tooDeep ? `nested deeper than ${maxLevels} levels` : `larger than ${maxBytes} bytes`;
}

/** The least bytes that a value takes as JSON; more than `maxBytes` as soon as it is more, or nested too deep. */
export function leastBytes(value: unknown, maxBytes: number): number {
  return maxBytes - remaining(value, maxBytes, maxDepth);
}

const tooDeep = Number.NEGATIVE_INFINITY;

/** Bytes of `budget` that a value leaves; below 0 it stops. Counts the least that JSON takes, so what fits is never refused. */
function remaining(value: unknown, budget: number, levels: number): number {
  if (typeof value === "string") return budget - value.length - 2;
  if (typeof value !== "object" || value === null) return budget - 1;
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value)) return budget - 2;
  if (levels === 0) return tooDeep;
  let left = budget - 2;
  // Keys of a list, too: one with holes has more places than members.
  for (const key in value) {
    if (left < 0) return left;
    const member: unknown = (value as Record<string, unknown>)[key];
    if (!isList) left -= key.length + 3;
    left = typeof member === "string" ? left - member.length - 2 : remaining(member, left, levels - 1);
  }
  return left;
}

/** Most values that arguments may have: each is looked at, copied, masked and stored, whatever its size is. */
export const mostValues = 100_000;

/** Whether a value has more values below it than {@link mostValues}. `bytes`: those of its JSON; each value has one. */
export function hasManyValues(value: unknown, bytes: number): boolean {
  if (bytes < mostValues) return false;
  const open: unknown[] = [value];
  for (let seen = 0, next = open.pop(); next !== undefined; next = open.pop()) {
    const members: unknown[] = Object.values(next as object);
    seen += members.length;
    if (seen > mostValues) return true;
    for (const member of members) if (isRecord(member) || Array.isArray(member)) open.push(member);
  }
  return false;
}
