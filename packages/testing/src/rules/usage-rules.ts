import type { RuleProblem, ToolSubject } from "@toolmount/core/validation";
import { isNative, type ToolRule } from "./tool-subject.ts";

const of = (subject: ToolSubject, problem: string): RuleProblem => ({
  where: `tools.${subject.name}.usage`,
  problem,
});

function usageOf({ info }: ToolSubject): string {
  return info?.usage ?? "";
}

function declared({ info }: ToolSubject): readonly string[] {
  return Object.keys(info?.inputSchema["properties"] ?? {});
}

/** Returns the lines under a heading of a usage text, up to the next heading. */
function sectionOf(usage: string, heading: string): readonly string[] {
  const lines = usage.split("\n");
  const start = lines.findIndex((line) => line.trim().toLowerCase().replace(/:$/, "") === heading);
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => headings.includes(line.trim().toLowerCase().replace(/:$/, "")));
  return end < 0 ? rest : rest.slice(0, end);
}

const headings = ["primary purpose", "rules", "arguments", "error codes", "good usage", "bad usage"];

/** Yields problems for arguments that the usage text omits, and for arguments in it that the schema does not have. */
function* mismatches(subject: ToolSubject): Generator<RuleProblem> {
  const usage = usageOf(subject);
  if (usage === "") return;
  const names = declared(subject);
  for (const name of names)
    if (!new RegExp(`(?<![\\w$])${escape(name)}(?![\\w$])`).test(usage))
      yield of(subject, `it does not mention the argument "${name}"`);
  for (const line of sectionOf(usage, "arguments")) {
    const named = /^\s*[-*] `?([A-Za-z_][\w.-]*)`?\s*(?:\(|:)/.exec(line)?.[1];
    if (named !== undefined && !names.includes(named))
      yield of(subject, `it has an argument "${named}", which the schema does not have`);
  }
  for (const line of sectionOf(usage, "good usage")) yield* unknownKeys(subject, line, names);
}

function* unknownKeys(subject: ToolSubject, line: string, names: readonly string[]): Generator<RuleProblem> {
  const text = /\{.*\}/.exec(line)?.[0];
  if (text === undefined) return;
  let example: unknown;
  try {
    example = JSON.parse(text);
  } catch {
    return;
  }
  for (const key of Object.keys(example as object))
    if (!names.includes(key))
      yield of(subject, `a good example has "${key}", which the schema does not have`);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The checks of usage texts of native tools. Tools of other contracts have their own profiles. */
export const usageRules: readonly ToolRule[] = [
  {
    id: "usage_present",
    severity: "warning",
    why: "usage texts make the guidance in the system prompt",
    fix: "add usage: purpose, rules, arguments, error codes, good and bad usage",
    *check(subject) {
      if (isNative(subject) && usageOf(subject).trim() === "") yield of(subject, "it is missing");
    },
  },
  {
    id: "usage_in_step",
    severity: "warning",
    why: "guidance that contradicts the schema causes wrong calls",
    fix: "name every argument of the schema, and no other",
    *check(subject) {
      if (isNative(subject)) yield* mismatches(subject);
    },
  },
];
