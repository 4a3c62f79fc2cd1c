import { isDeepStrictEqual } from "node:util";

/** Maximum number of differences of a state that are reported, because a wrong state may differ in thousands of places. */
const mostDifferences = 10;

/**
 * Returns where the end state of a world differs from the wanted state, one sentence for each place, at most ten. Members that
 * `wanted` does not name may be anything, unless `isWhole`. A list is compared as a whole.
 */
export function judgeState(wanted: unknown, state: unknown, isWhole = false): string[] {
  const found = differencesOf(wanted, state, [], isWhole);
  const rest = found.length - mostDifferences;
  return rest > 0 ? [...found.slice(0, mostDifferences), `… and ${rest} more`] : found;
}

function differencesOf(wanted: unknown, is: unknown, path: readonly string[], isWhole: boolean): string[] {
  if (isDeepStrictEqual(wanted, is)) return [];
  if (!isRecord(wanted) || !isRecord(is))
    return [`the state at ${path.join(".") || "its root"} is ${show(is)}, not ${show(wanted)}`];
  const keys = new Set([...Object.keys(wanted), ...(isWhole ? Object.keys(is) : [])]);
  return [...keys].flatMap((key) => differencesOf(own(wanted, key), own(is, key), [...path, key], isWhole));
}

function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
