import type { Approval, Tool } from "../shapes.ts";

/** Maximum number of characters of a question's sentence. */
const maxSentence = 120;

/**
 * Returns a sentence about what a call would do. It is the tool author's `question`; without one, it is made from the tool's
 * name and at most three arguments: those that decide what the tool touches or, if there are none, short ones.
 */
export function sentenceOf(
  { tool: name, arguments: given }: Pick<Approval, "tool" | "arguments">,
  tool?: Tool,
): string {
  const template = tool?.question;
  const text = template === undefined ? plainSentence(name, given, tool?.control) : fill(template, given);
  return text.length <= maxSentence ? text : `${text.slice(0, maxSentence - 1).trimEnd()}…`;
}

type Arguments = Approval["arguments"];

/** Fills `{name}` in a template with an argument; `{name:2}` is a number with two decimals. */
function fill(template: string, given: Arguments): string {
  return oneLine(
    template.replaceAll(/\{([\w-]+)(?::(\d))?\}/g, (_, name: string, decimals?: string) =>
      textOf(given[name], decimals === undefined ? undefined : Number(decimals)),
    ),
  );
}

function plainSentence(name: string, given: Arguments, control: readonly string[] = []): string {
  const named = control.filter((key) => given[key] !== undefined);
  const keys = named.length > 0 ? named : Object.keys(given).filter((key) => isShort(given[key]));
  const values = keys.slice(0, 3).map((key) => oneLine(textOf(given[key])));
  return [wordsOf(name), values.filter(Boolean).join(", ")].filter(Boolean).join(" ");
}

function isShort(value: unknown): boolean {
  return typeof value === "string" ? value !== "" && value.length <= 60 : typeof value === "number";
}

function textOf(value: unknown, decimals?: number): string {
  if (typeof value === "number")
    return value.toLocaleString("en-US", {
      minimumFractionDigits: decimals ?? 0,
      maximumFractionDigits: decimals ?? 20,
    });
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Returns the name of a tool as words: `send_money` becomes "Send money". */
function wordsOf(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the first line that is neither empty nor a comment, with `…` if the text has more lines. */
function oneLine(text: string): string {
  const lines = text.trim().split(/\r?\n/);
  const first = lines.find((line) => line.trim() !== "" && !/^\s*#/.test(line)) ?? lines[0]!;
  return lines.length === 1 ? first : `${first.trim()} …`;
}

/** Returns one line with the tool, the reason and the user. */
export function lineOf({ tool, reasons, info: { userId } }: Approval): string {
  return [tool, reasons[0]?.reason, userId].filter((part) => part !== undefined && part !== "").join(" · ");
}
