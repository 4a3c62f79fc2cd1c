import type { ArgumentOverrides } from "../contract/host.ts";

/** Removes what a usage text says about hidden arguments. Adds notes about these and about the plan's defaults. */
export function fitUsage(usage: string, overrides: ArgumentOverrides): string {
  const hidden = Object.keys(overrides).filter((name) => overrides[name]?.hidden === true);
  const defaults = Object.entries(overrides).flatMap(([name, { hidden: isHidden, default: value }]) =>
    isHidden === true || value === undefined ? [] : [`${name} is ${JSON.stringify(value)} when left out`],
  );
  if (hidden.length === 0 && defaults.length === 0) return usage;
  const isMention = mentions(hidden);
  const lines = usage
    .split("\n")
    .filter((line) => !hidden.some((name) => isItemOf(line, name)))
    .map((line) => withoutMentions(line, isMention))
    .filter((line) => line !== null);
  const text = hidden.reduce(withoutExample, lines.join("\n"));
  const notes = [
    ...(hidden.length === 0 ? [] : [`not available: ${hidden.join(", ")} (never pass them)`]),
    ...defaults,
  ];
  return `Arguments here, whatever the text below says: ${notes.join("; ")}.\n\n${text}`;
}

function isItemOf(line: string, name: string): boolean {
  const item = /^\s*[-*]\s+`?([A-Za-z0-9_.-]+)`?(?=\s|:|,|\()/.exec(line);
  return item?.[1] === name;
}

/** Returns a test whether a clause mentions one of these names. A plain word after an article, as in "the limit", does not. */
function mentions(names: readonly string[]): (clause: string) => boolean {
  const patterns = names.map((name) => {
    const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const article = /^[a-z]+$/.test(name) ? "(?<!\\b(?:the|a|an|no|any|its|this|that|each|every)\\s)" : "";
    return new RegExp(`${article}(?<![\\w.-])${escaped}(?![\\w-])`, "i");
  });
  return (clause) => patterns.some((pattern) => pattern.test(clause));
}

const clauseEnds = /(?<=[.;])\s+|,\s+(?=(?:or|and|but|so)\s)/;

/** Removes the clauses of a line that mention a hidden argument; null if nothing remains. Lines with examples stay. */
function withoutMentions(line: string, isMention: (clause: string) => boolean): string | null {
  if (line.includes("{") || !isMention(line)) return line;
  const [, head = "", body = ""] = /^(\s*(?:[-*]\s+)?(?:[A-Z][A-Z0-9_]+:\s+)?)(.*)$/.exec(line) ?? [];
  const clauses = body.split(clauseEnds).map((clause) => clause.trim());
  const kept = clauses.filter((clause) => !isMention(clause));
  if (kept.length === 0) return null;
  return head + asSentence(kept);
}

function asSentence(clauses: readonly string[]): string {
  const text = clauses.reduce((before, clause) =>
    /[.;]$/.test(before) ? `${before} ${clause}` : `${before}, ${clause}`,
  );
  return `${text.replace(/^(?:or|and|but|so)\s+/, "").replace(/[.;,]$/, "")}.`;
}

/** Removes `"name": value` from JSON in a text, if the value is a number, a text or a constant. */
function withoutExample(text: string, name: string): string {
  const key = `"${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}"`;
  const pair = `${key}\\s*:\\s*(?:-?[0-9][0-9.eE+-]*|"(?:[^"\\\\]|\\\\.)*"|true|false|null)`;
  return text
    .replaceAll(new RegExp(`,\\s*${pair}`, "g"), "")
    .replaceAll(new RegExp(`${pair}\\s*,\\s*`, "g"), "")
    .replaceAll(new RegExp(pair, "g"), "");
}
