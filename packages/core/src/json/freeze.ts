import { maxKeys } from "./shape.ts";

/** Deepest allowed nesting of arguments and results, in levels. */
export const maxDepth = 64;

/** Thrown for a value that is not JSON or is nested too deep. `path` is the place in the value. */
export class NotJson extends Error {
  readonly path: (string | number)[] = [];
}

/**
 * Returns a deeply frozen copy of a JSON value. The given value is neither frozen nor shared.
 *
 * Members that are `undefined` are left out. Throws {@link NotJson} for values that JSON cannot hold, for `__proto__`
 * as a key, for an object of more than {@link maxKeys} members, and below {@link maxDepth} levels.
 */
export function frozenCopy<Value>(value: Value, depth = 0): Value {
  if (typeof value !== "object" || value === null) return jsonScalar(value);
  if (depth >= maxDepth) throw new NotJson(`is nested deeper than ${maxDepth} levels`);
  return (Array.isArray(value) ? frozenList(value, depth) : frozenObject(value, depth)) as Value;
}

/** Freezes an object that only the caller holds. If it has deeper members, which may be shared, returns a frozen copy. */
export function freezeOwn<Value extends object>(value: Value): Value {
  let keys = 0;
  for (const key in value) {
    const member: unknown = value[key];
    const isScalar = typeof member === "string" || typeof member === "boolean" || Number.isFinite(member);
    if (!isScalar || ++keys > maxKeys) return frozenCopy(value);
  }
  return Object.freeze(value);
}

function frozenList(list: readonly unknown[], depth: number): readonly unknown[] {
  const copy: unknown[] = [];
  let at = 0;
  try {
    for (; at < list.length; at++) copy.push(frozenCopy(list[at] ?? null, depth + 1));
  } catch (error) {
    throw atMember(error, at);
  }
  return Object.freeze(copy);
}

function frozenObject(value: object, depth: number): object {
  requirePlain(value);
  const copy: Record<string, unknown> = {};
  let key = "";
  let keys = 0;
  try {
    // A plain object has only enumerable own keys, and `for in` reads them without making a list.
    for (key in value) {
      if (key === "__proto__") throw new NotJson('may not be named "__proto__"');
      if (++keys > maxKeys) throw new NotJson(`is in an object of more than ${maxKeys} members`);
      const given = (value as Record<string, unknown>)[key];
      if (typeof given === "string" || typeof given === "boolean") copy[key] = given;
      else if (given !== undefined) copy[key] = frozenCopy(given, depth + 1);
    }
  } catch (error) {
    throw atMember(error, key);
  }
  return Object.freeze(copy);
}

function atMember(error: unknown, key: string | number): unknown {
  if (error instanceof NotJson && error.path.length < 8) error.path.unshift(key);
  return error;
}

export function requirePlain(value: object): void {
  if (isPlain(value)) return;
  const name = value.constructor?.name ?? "class instance";
  throw new NotJson(`is a ${name}, not JSON${value instanceof Date ? " (write its toISOString())" : ""}`);
}

/** Whether an object is plain. In another realm, its prototype is that realm's Object.prototype, whose prototype is also null. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function jsonScalar<Value>(value: Value): Value {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new NotJson(
    `is ${typeof value === "number" ? String(value) : `of type ${typeof value}`}, which JSON cannot hold`,
  );
}
