import type { ArgumentOverrides } from "../contract/host.ts";

/**
 * A tool's usage text for the arguments that a plan leaves to the model. List items about hidden arguments are removed,
 * and so are their values in JSON examples; a note names hidden arguments and changed defaults, since other sentences
 * of the text may still mention them.
 */
export function fitUsage(usage: string, overrides: ArgumentOverrides): string {
  const hidden = Object.keys(overrides).filter((name) => overrides[name]?.hidden === true);
  const defaults = Object.entries(overrides).flatMap(([name, { hidden: isHidden, default: value }]) =>
    isHidden === true || value === undefined ? [] : [`${name} is ${JSON.stringify(value)} when left out`],
  );
  if (hidden.length === 0 && defaults.length === 0) return usage;
  const lines = usage.split("\n").filter((line) => !hidden.some((name) => isItemOf(line, name)));
  const text = hidden.reduce(withoutExample, lines.join("\n"));
  const notes = [
    ...(hidden.length === 0 ? [] : [`not available: ${hidden.join(", ")} (never pass them)`]),
    ...defaults,
  ];
  return `Arguments here, whatever the text below says: ${notes.join("; ")}.\n\n${text}`;
}

/** Whether a line is a list item that describes an argument: `- limit (integer): …`. */
function isItemOf(line: string, name: string): boolean {
  const item = /^\s*[-*]\s+`?([A-Za-z0-9_.-]+)`?(?=\s|:|,|\()/.exec(line);
  return item?.[1] === name;
}

/** Removes `"name": value` from JSON in a text, where the value is a number, a text or a constant. */
function withoutExample(text: string, name: string): string {
  const key = `"${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}"`;
  const pair = `${key}\\s*:\\s*(?:-?[0-9][0-9.eE+-]*|"(?:[^"\\\\]|\\\\.)*"|true|false|null)`;
  return text
    .replaceAll(new RegExp(`,\\s*${pair}`, "g"), "")
    .replaceAll(new RegExp(`${pair}\\s*,\\s*`, "g"), "")
    .replaceAll(new RegExp(pair, "g"), "");
}
