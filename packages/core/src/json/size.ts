import { maxDepth, NotJson, requirePlain } from "./freeze.ts";

/**
 * Walks a JSON value until more than `budget` is used up, and gives back what is left: below 0 when it does not fit.
 *
 * Text counts three times its length, the most its UTF-8 can take, so what fits surely fits. Throws `NotJson` for what
 * JSON cannot hold and for nesting below `maxDepth` levels, cycles included.
 */
export function walkWithin(value: unknown, budget: number, depth = 0): number {
  switch (typeof value) {
    case "string":
      return budget - value.length * 3 - 2;
    case "boolean":
      return budget - 5;
    case "number":
      if (!Number.isFinite(value)) throw new NotJson(`is ${value}, which JSON cannot hold`);
      return budget - 12;
    case "object":
      return value === null ? budget - 4 : walkObject(value, budget, depth);
    case "undefined":
      return budget;
    case "bigint":
    case "function":
    case "symbol":
    default:
      throw new NotJson(`is of type ${typeof value}, which JSON cannot hold`);
  }
}

function walkObject(value: object, budget: number, depth: number): number {
  if (depth >= maxDepth) throw new NotJson(`is nested deeper than ${maxDepth} levels`);
  let left = budget - 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = walkWithin(value[at], left - 1, depth + 1);
    return left;
  }
  requirePlain(value);
  for (const key in value) {
    if (left < 0) return left;
    left = walkWithin((value as Record<string, unknown>)[key], left - key.length - 4, depth + 1);
  }
  return left;
}
