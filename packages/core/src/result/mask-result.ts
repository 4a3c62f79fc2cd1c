import type { ToolInfo } from "../contract/tool.ts";
import type { ToolResult } from "../contract/result.ts";
import { maxDepth, NotJson, requirePlain } from "../json/freeze.ts";

type Text = (text: string) => string;

/** The members of a result that a tool fills. */
const filled = ["data", "details", "content", "warnings", "omitted", "meta"] as const;

/**
 * Masks secrets in what a tool returned. An unchanged result is returned as the same object. This runs before the result is
 * cut, because a secret that a cut divides would not be found. Throws `NotJson`.
 */
export function maskResult(result: ToolResult, text: Text): ToolResult {
  const mask = new Mask(text);
  const changed = filled
    .map((key) => [key, result[key], mask.of(result[key])] as const)
    .filter(([, before, after]) => before !== after);
  if (changed.length === 0) return result;
  return { ...result, ...Object.fromEntries(changed.map(([key, , after]) => [key, after])) };
}

/** Masks secrets in the texts and schemas of a tool that a model reads. */
export function maskInfo<Info extends Partial<ToolInfo>>(info: Info, text: Text): Info {
  const { description, usage, summary, tags, inputSchema, outputSchema } = info;
  const shown = { description, usage, summary, tags, inputSchema, outputSchema };
  const given = Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
  return Object.freeze({ ...info, ...(new Mask(text).of(given) as Partial<Info>) });
}

/** Masks the texts of one value. */
class Mask {
  readonly #text: Text;
  /** The masked copy of each object, so that a shared object is walked once and a circular value ends. */
  readonly #known = new Map<object, unknown>();

  constructor(text: Text) {
    this.#text = text;
  }

  of(value: unknown, depth = 0): unknown {
    if (typeof value === "string") return this.#text(value);
    if (typeof value !== "object" || value === null) return value;
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (depth >= maxDepth) throw new NotJson(`is nested deeper than ${maxDepth} levels`);
    // Empty lists and objects are not remembered: with hundreds of thousands of them, that would take most of the time.
    if (Array.isArray(value)) return value.length === 0 ? value : this.#list(value, depth + 1);
    requirePlain(value);
    const keys = Object.keys(value);
    return keys.length === 0
      ? value
      : this.#members(value as Readonly<Record<string, unknown>>, keys, depth + 1);
  }

  #list(list: readonly unknown[], depth: number): readonly unknown[] {
    this.#known.set(list, list);
    let copy: unknown[] | undefined;
    for (let at = 0; at < list.length; at++) {
      const masked = this.of(list[at], depth);
      if (masked !== list[at]) (copy ??= [...list])[at] = masked;
    }
    if (copy !== undefined) this.#known.set(list, copy);
    return copy ?? list;
  }

  #members(value: Readonly<Record<string, unknown>>, keys: readonly string[], depth: number): object {
    this.#known.set(value, value);
    let isSame = true;
    const members = keys.map((key) => {
      const item = value[key];
      const [name, masked] = [this.#text(key), this.of(item, depth)];
      isSame &&= name === key && masked === item;
      return [name, masked] as const;
    });
    if (isSame) return value;
    const copy = Object.fromEntries(members);
    this.#known.set(value, copy);
    return copy;
  }
}
