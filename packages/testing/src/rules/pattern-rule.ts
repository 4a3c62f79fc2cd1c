import { createRequire } from "node:module";
import type { checkSync as CheckSync } from "recheck";
import { problemOf, textsOf, type ToolRule } from "./tool-subject.ts";

/** Longest pattern that is analyzed, in characters. */
const maxPatternLength = 2_000;

/** Limits of the analysis. Most count steps and not time, so that a verdict does not depend on the machine's load. */
const effort = {
  attackLimit: 10_000_000,
  maxGenerationSize: 30,
  maxIteration: 3,
  attackTimeout: null,
  incubationTimeout: null,
  timeout: 30_000,
};

/**
 * Finds patterns of a schema for which JavaScript's matcher can take exponential time. The library recheck analyses them, in
 * its build without binaries, which is bundled with this package and loaded only when a schema has a pattern.
 */
export const patternRule: ToolRule = {
  id: "schema_pattern",
  severity: "warning",
  why: "with a pattern of exponential cost, one argument can stop the host",
  fix: "write the pattern so that each text matches in only one way",
  *check(subject) {
    const { inputSchema, outputSchema } = textsOf(subject);
    for (const { path, pattern } of patternsOf({ inputSchema, outputSchema }, [])) {
      const problem = judgePattern(pattern);
      if (problem !== null)
        yield problemOf(subject, path, `${problem}: ${JSON.stringify(pattern.slice(0, 120))}`);
    }
  },
};

/** Returns the problem of a regular expression; null if matching it takes no exponential time. */
export function judgePattern(pattern: string): string | null {
  const flags = ["u", ""].find((candidate) => isRegExp(pattern, candidate));
  if (flags === undefined) return "is not a regular expression";
  if (pattern.length > maxPatternLength)
    return `has more than ${maxPatternLength} characters, too many to analyze`;
  const { checkSync } = createRequire(import.meta.url)("#recheck") as {
    readonly checkSync: typeof CheckSync;
  };
  const verdict = checkSync(pattern, flags, effort);
  if (verdict.status === "unknown") return `cannot be analyzed (${verdict.error.kind})`;
  return verdict.status === "vulnerable" && verdict.complexity.type === "exponential"
    ? "can take exponential time to match"
    : null;
}

function isRegExp(pattern: string, flags: string): boolean {
  try {
    void new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

function* patternsOf(
  node: unknown,
  path: readonly string[],
): Generator<{ readonly path: string; readonly pattern: string }> {
  if (typeof node !== "object" || node === null || path.length > 40) return;
  const isPropertyTable = path.at(-1) === "properties" && path.at(-2) !== "properties";
  for (const [key, member] of Object.entries(node)) {
    const at = [...path, key];
    if (path.at(-1) === "patternProperties") yield { path: at.join("."), pattern: key };
    if (key === "pattern" && typeof member === "string" && !isPropertyTable)
      yield { path: at.join("."), pattern: member };
    yield* patternsOf(member, at);
  }
}
