import type { ToolInfo } from "../contract/tool.ts";
import type { ToolResult } from "../contract/result.ts";
import { maxDepth, NotJson, requirePlain } from "../json/freeze.ts";

type Text = (text: string) => string;

/** The members of a result that a tool fills. */
const filled = ["data", "details", "content", "warnings", "omitted", "meta"] as const;

/**
 * Masks secrets in what a tool returned; an unchanged result is the same object. It runs before the result is cut: a
 * secret that a cut divides would not be found. Throws `NotJson`.
 */
export function maskResult(result: ToolResult, text: Text): ToolResult {
  const known = new Map<object, unknown>();
  const changed = filled
    .map((key) => [key, result[key], maskTexts(result[key], text, known)] as const)
    .filter(([, before, after]) => before !== after);
  if (changed.length === 0) return result;
  return { ...result, ...Object.fromEntries(changed.map(([key, , after]) => [key, after])) };
}

/** Masks secrets in what a model reads of a tool. */
export function maskInfo<Info extends Partial<ToolInfo>>(info: Info, text: Text): Info {
  const { description, usage, summary, tags, inputSchema, outputSchema } = info;
  const shown = { description, usage, summary, tags, inputSchema, outputSchema };
  const given = Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
  return Object.freeze({ ...info, ...(maskTexts(given, text, new Map()) as Partial<Info>) });
}

/** `known`: the masked copy of each object, so that a shared object is walked once and a circle ends. */
function maskTexts(value: unknown, text: Text, known: Map<object, unknown>, depth = 0): unknown {
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return value;
  if (known.has(value)) return known.get(value);
  if (depth >= maxDepth) throw new NotJson(`is nested deeper than ${maxDepth} levels`);
  known.set(value, value);
  const masked = Array.isArray(value)
    ? maskList(value, (item) => maskTexts(item, text, known, depth + 1))
    : maskMembers(value, text, (item) => maskTexts(item, text, known, depth + 1));
  known.set(value, masked);
  return masked;
}

function maskList(list: readonly unknown[], mask: (item: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const masked = mask(list[at]);
    if (masked !== list[at]) (copy ??= [...list])[at] = masked;
  }
  return copy ?? list;
}

function maskMembers(value: object, text: Text, mask: (item: unknown) => unknown): object {
  requirePlain(value);
  const before = Object.entries(value);
  const after = before.map(([key, item]) => [text(key), mask(item)] as const);
  const isSame = after.every(([key, item], at) => key === before[at]![0] && item === before[at]![1]);
  return isSame ? value : Object.fromEntries(after);
}
