// How members of foreign JSON are read, each by itself. Null is an absent member. A reader returns undefined for a value that
// it cannot read; what is left out, or taken for something else, is one sentence.
import { isRecord, meter, quoteChanged } from "@toolmount/core/json";
import type { Note } from "../wire/shapes.ts";

export type Members = Readonly<Record<string, unknown>>;

/** Most levels of a message. Code that walks a value, or writes it as JSON again, has a stack for so many. */
const maxLevels = 1_000;

/** Why a message is not walked: "nested deeper than 1000 levels". Null for one that is. */
export function depthProblem(message: unknown): string | null {
  return meter(message, Number.POSITIVE_INFINITY, maxLevels);
}

/** Reads a value that is not null; undefined where it cannot. */
export type Read = (value: unknown, note: Note) => unknown;

export const text: Read = (value) => {
  if (typeof value === "string") return value;
  return depthProblem(value) === null ? JSON.stringify(value) : undefined;
};
export const record: Read = (value) => (isRecord(value) ? value : undefined);
export const number: Read = (value) => (typeof value === "number" ? value : undefined);
export const flag: Read = (value) =>
  typeof value === "boolean"
    ? value
    : ({ true: true, false: false, 1: true, 0: false } as Members)[String(value)];
export const oneOf =
  (...words: readonly string[]): Read =>
  (value) =>
    words.includes(value as string) ? value : undefined;
export const matching =
  (pattern: RegExp): Read =>
  (value) =>
    typeof value === "string" && pattern.test(value) ? value : undefined;

/** An object of these members; those in `needed` it must have. Others are kept as they are. */
export function shape(members: Readonly<Record<string, Read>>, needed: readonly string[] = []): Read {
  return (value, note) => {
    if (!isRecord(value)) return undefined;
    const read: Record<string, unknown> = {};
    for (const [name, given] of Object.entries(value)) {
      const taken = Object.hasOwn(members, name) && given !== null ? members[name]!(given, note) : given;
      if (taken === undefined && given !== undefined) note(`its ${name} is ${kindOf(given)}; left out`);
      if (taken !== undefined && !(given === null && Object.hasOwn(members, name))) read[name] = taken;
    }
    return needed.every((name) => read[name] !== undefined) ? read : undefined;
  };
}

/** A list whose items are judged alone; one item need not be in a list. */
export function listOf(what: string, of: Read): Read {
  return (value, note) => {
    const items = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    return items.flatMap((item, at) => {
      const name =
        isRecord(item) && typeof item["name"] === "string" ? `"${item["name"].slice(0, 100)}"` : at + 1;
      const problem = depthProblem(item);
      const taken =
        item === null || problem !== null
          ? undefined
          : of(item, (sentence) => note(`${what} ${name}: ${sentence}`));
      if (taken === undefined)
        note(`${what} ${name}: it is ${problem ?? "not what the protocol describes"}; left out`);
      return taken === undefined ? [] : [taken];
    });
  };
}

export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object"
    ? "an object"
    : `${typeof value === "string" ? "the text" : "the value"} ${JSON.stringify(value).slice(0, 50)}`;
}

export function withoutNulls(given: Members): Members {
  const kept = Object.entries(given).filter(
    // Since 2026 the structured content of a result may be null.
    ([name, value]) => value !== null || (name === "structuredContent" && "resultType" in given),
  );
  return kept.length === Object.keys(given).length ? given : Object.fromEntries(kept);
}

/** Parses a text, also behind words that were printed before it on the same line. Numbers of results keep their digits. */
export function parse(written: string, onChanged: (member: string) => void): unknown {
  const exact = written.includes('"structuredContent"')
    ? quoteChanged(written, isStructured, onChanged)
    : written;
  const start = exact.search(/[{[]\s*"/);
  return tryParse(exact) ?? (start < 0 ? undefined : tryParse(withoutNaN(exact.slice(start))));
}

export function tryParse(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}

/** Python writes numbers that JSON does not have. */
function withoutNaN(written: string): string {
  return written.replaceAll(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (found) =>
    found.startsWith('"') ? found : "null",
  );
}

function isStructured(path: readonly (string | number)[]): boolean {
  const [result, content] = typeof path[0] === "number" ? path.slice(1) : path;
  return result === "result" && content === "structuredContent";
}
