import { isPlain, maxDepth } from "./freeze.ts";

/**
 * Says what makes a value from outside too large to walk: "nested deeper than 64 levels" or "larger than … bytes". Null if it
 * is small enough. Reads no more than it has to, so it also ends for a circular value. Instances of classes are not entered.
 */
export function meter(value: unknown, maxBytes: number, maxLevels = maxDepth): string | null {
  const left = walk(value, maxBytes, maxLevels, { values: 0 });
  if (left >= 0) return null;
  return left === tooDeep ? `nested deeper than ${maxLevels} levels` : `larger than ${maxBytes} bytes`;
}

/** Returns the minimum size of a value as JSON, in bytes; more than `maxBytes` if it is larger or nested too deep. */
export function leastBytes(value: unknown, maxBytes: number): number {
  return measure(value, maxBytes).bytes;
}

/** Returns the minimum size of a value as JSON, and the number of values in it, which is exact if the size fits. */
export function measure(
  value: unknown,
  maxBytes: number,
): { readonly bytes: number; readonly values: number } {
  const tally = { values: 0 };
  return { bytes: maxBytes - walk(value, maxBytes, maxDepth, tally), values: tally.values };
}

const tooDeep = Number.NEGATIVE_INFINITY;

/** The number of values that a walk has seen below the value where it began. */
interface Tally {
  values: number;
}

/** Returns the bytes of `budget` that remain after a value; stops below 0. Counts minimum sizes, to accept all that fits. */
function walk(value: unknown, budget: number, levels: number, tally: Tally): number {
  if (typeof value === "string") return budget - value.length - 2;
  if (typeof value !== "object" || value === null) return budget - 1;
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value)) return budget - 2;
  if (levels === 0) return tooDeep;
  let left = budget - 2;
  if (isList) {
    for (let at = 0; at < value.length && left >= 0; at++) left = walkMember(value[at], left, levels, tally);
    return left;
  }
  for (const key in value) {
    if (left < 0) return left;
    left = walkMember((value as Record<string, unknown>)[key], left - key.length - 3, levels, tally);
  }
  return left;
}

function walkMember(member: unknown, left: number, levels: number, tally: Tally): number {
  tally.values++;
  return typeof member === "string" ? left - member.length - 2 : walk(member, left, levels - 1, tally);
}

/** Bytes of arguments that are walked without a pause. For more, the host does other work between the hops of the call. */
export const smallBytes = 32_768;
