import type { Json } from "@toolmount/core";
import { isList, isRecord } from "./json.ts";
import { pathKey, type Path, type PlanMap } from "./positions.ts";

/** By plan, the paths at which the whole text is one variable. */
const wholes = new WeakMap<PlanMap, Set<string>>();

/** Remembers that the text at a path of a plan is one variable and nothing else, such as `${PORT}`. */
export function noteVariable(map: PlanMap, path: Path): void {
  const known = wholes.get(map) ?? new Set();
  wholes.set(map, known.add(pathKey(path)));
}

/** Tests whether the text at a path of a plan is one variable and nothing else. */
export function isVariable(map: PlanMap, path: Path): boolean {
  return wholes.get(map)?.has(pathKey(path)) === true;
}

interface Issue {
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  /** The issues of each branch of a union, as Zod has them. */
  readonly errors?: unknown;
}

/**
 * A variable always has a text as its value, but a schema may want a number or a boolean. So texts that a schema refused, and
 * that are one variable and nothing else, are read as the number or boolean that they look like. Returns the value with these
 * changes; null if nothing changed.
 */
export function typeVariables<Value extends Json>(
  value: Value,
  issues: readonly Issue[],
  isWhole: (path: Path) => boolean,
): Value | null {
  let typed: Json = value;
  for (const path of issues.flatMap((issue) => pathsOf(issue, []))) {
    const read = isWhole(path) ? readTyped(valueAt(value, path)) : undefined;
    if (read !== undefined) typed = replaceAt(typed, path, read);
  }
  return typed === value ? null : (typed as Value);
}

function pathsOf({ path = [], errors }: Issue, base: Path): readonly Path[] {
  const here = [...base, ...path.map((part) => keyOf(typeof part === "object" ? part.key : part))];
  const branches = Array.isArray(errors) ? (errors as readonly (readonly Issue[])[]).flat() : [];
  return [here, ...branches.flatMap((issue) => pathsOf(issue, here))];
}

function keyOf(part: PropertyKey): string | number {
  return typeof part === "number" ? part : String(part);
}

/** Reads a number in the form of JSON that JavaScript holds exactly, or a boolean. Undefined for other texts. */
function readTyped(text: Json | undefined): number | boolean | undefined {
  if (text === "true" || text === "false") return text === "true";
  if (typeof text !== "string" || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? undefined : number;
}

function valueAt(value: Json | undefined, [key, ...rest]: Path): Json | undefined {
  if (key === undefined) return value;
  if (!isRecord(value) && !isList(value)) return undefined;
  return Object.hasOwn(value, key)
    ? valueAt((value as Readonly<Record<string, Json>>)[key], rest)
    : undefined;
}

function replaceAt(value: Json, [key, ...rest]: Path, by: Json): Json {
  if (key === undefined) return by;
  if (isList(value)) return value.map((item, at) => (at === key ? replaceAt(item, rest, by) : item));
  const inner = (value as Readonly<Record<string, Json>>)[key]!;
  return { ...(value as object), [key]: replaceAt(inner, rest, by) };
}
