// Readers for the members of JSON that a server or client sent; a wrong member does not affect the others. Null counts as
// absent. A reader returns undefined for a value that it cannot read; `note` gets a sentence about each value that is left out
// or read as something else.
import { isRecord, meter, quoteChanged } from "@toolmount/core/json";
import type { Note } from "../wire/shapes.ts";
import { withUnknownInMeta } from "../wire/unknown-members.ts";

/** How important a message of a log is, by MCP; the last is the most important. */
export const logLevels = "debug info notice warning error critical alert emergency".split(" ");

export type Members = Readonly<Record<string, unknown>>;

/** Deepest nesting of a message, in levels. The stack is large enough to walk such a value and to write it as JSON. */
const maxLevels = 1_000;

/** Returns why a message is not walked: "nested deeper than 1000 levels". Null for a message that may be walked. */
export function depthProblem(message: unknown): string | null {
  return meter(message, Number.POSITIVE_INFINITY, maxLevels);
}

/** A reader of a value that is not null. It returns undefined for a value that it cannot read. */
export type Read = (value: unknown, note: Note) => unknown;

export const text: Read = (value) => {
  if (typeof value === "string") return value;
  return depthProblem(value) === null ? JSON.stringify(value) : undefined;
};
/** Maximum number of characters without width that are dropped from a text. More could carry a message, and the tool is refused. */
const mostWithoutWidth = 8;

/**
 * Reads a text for people and models. The few characters without width that come with a text from a web page are dropped,
 * because the host would refuse the whole tool for one.
 */
export const prose: Read = (value, note) => {
  const read = text(value, note);
  if (typeof read !== "string") return read;
  const seen = read.replaceAll(/[\u200b\u2060\ufeff]/g, "");
  const count = read.length - seen.length;
  if (count === 0 || count > mostWithoutWidth) return read;
  note(
    `it has a text with hidden characters (${count} without width), ${JSON.stringify(seen.slice(0, 50))}; they are left out`,
  );
  return seen;
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

/** Reads an object with these members; it must have those in `needed`. Other members are kept as they are. */
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

/** Reads an item of a list like {@link shape}. Members that the protocol does not have are moved into its `_meta`. */
export function itemOf(
  members: Readonly<Record<string, Read>>,
  needed: readonly string[] = [],
  others: readonly string[] = [],
): Read {
  const read = shape(members, needed);
  const isKnown = (name: string) => Object.hasOwn(members, name) || others.includes(name);
  return (value, note) => {
    const taken = read(value, note);
    return isRecord(taken) ? withUnknownInMeta(taken, isKnown) : undefined;
  };
}

/** Reads a list, each item by itself. A value that is not a list counts as the only item of one. */
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

/**
 * Parses a JSON text, even if other words were printed before it on the same line. A number in a structured result that
 * JavaScript would change is read as a text, and `onChanged` gets its place.
 */
export function parse(written: string, onChanged: (member: string) => void): unknown {
  const exact = written.includes('"structuredContent"')
    ? quoteChanged(written, isStructured, onChanged)
    : written;
  const start = exact.search(/[{[]\s*"/);
  return tryParse(exact) ?? (start < 0 ? undefined : tryParse(withoutNaN(exact.slice(start))));
}

/** Finds the id in a text that could not be parsed; undefined if it has none. */
export function idIn(unparsed: string): string | number | undefined {
  const written = /"id"\s*:\s*("[^"\\]{0,100}"|\d{1,15})/.exec(unparsed)?.[1];
  return written === undefined ? undefined : (JSON.parse(written) as string | number);
}

export function tryParse(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}

/** Replaces numbers that JSON does not have, but Python writes, by null. */
function withoutNaN(written: string): string {
  return written.replaceAll(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (found) =>
    found.startsWith('"') ? found : "null",
  );
}

function isStructured(path: readonly (string | number)[]): boolean {
  const [result, content] = typeof path[0] === "number" ? path.slice(1) : path;
  return result === "result" && content === "structuredContent";
}
