import type { Json, JsonObject } from "@toolmount/core";
import { showPath, type Path } from "./positions.ts";

/** How deep the maps and lists of a plan may be nested. */
export const maxPlanDepth = 32;

/** Keys through which a later merge could reach an object's prototype. */
export const refusedKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Tests whether a value is an object that JSON would write with braces. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Tests whether a value is a list. Unlike `Array.isArray`, it keeps the type of the items. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Returns the members of a map or a list, with their keys or indices; of any other value, an empty list. */
export function membersOf(value: Json): readonly (readonly [string | number, Json])[] {
  if (isList(value)) return value.map((inner, index) => [index, inner] as const);
  return isRecord(value) ? Object.entries(value) : [];
}

/** Tests whether a number can be written as JSON and, if it is an integer, is exact in JavaScript. */
export function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

type Copied<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly path: Path; readonly problem: string };

/** Copies an object as JSON: own keys, without those whose value is `undefined`, at most {@link maxPlanDepth} deep. */
export function copyJson(value: Readonly<Record<string, unknown>>): Copied<JsonObject> {
  try {
    return { ok: true, value: copyValue(value, []) as JsonObject };
  } catch (error) {
    if (error instanceof NotJson) return { ok: false, path: error.path, problem: error.message };
    throw error;
  }
}

class NotJson extends Error {
  readonly path: Path;

  constructor(path: Path, problem: string) {
    super(`${showPath(path)}: ${problem}`);
    this.path = path;
  }
}

function copyValue(value: unknown, path: Path): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number")
    return isExact(value) ? value : refuse(path, "JSON cannot hold this number exactly");
  if (typeof value !== "object") return refuse(path, `a plan is plain data; this is a ${typeof value}`);
  if (path.length > maxPlanDepth)
    return refuse(path, `maps and lists nest deeper than ${maxPlanDepth} levels`);
  if (Array.isArray(value)) return value.map((item, index) => copyValue(item, [...path, index]));
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const refused = members.find(([key]) => refusedKeys.has(key));
  if (refused !== undefined) return refuse(path, `the key ${JSON.stringify(refused[0])} is refused`);
  return Object.fromEntries(members.map(([key, inner]) => [key, copyValue(inner, [...path, key])]));
}

function refuse(path: Path, problem: string): never {
  throw new NotJson(path, problem);
}

export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
