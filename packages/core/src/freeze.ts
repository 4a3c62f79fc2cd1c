/** Deepest nesting of arguments and results. */
export const maxDepth = 64;

/** A value that is not JSON, or is too deep to be handled; `path` says where. */
export class NotJson extends Error {
  readonly path: (string | number)[] = [];
}

/**
 * A deeply frozen copy of a JSON value. Nothing of what was given is frozen or shared.
 *
 * Members that are `undefined` are left out. Throws {@link NotJson} for what JSON cannot hold, for `__proto__` as a
 * key, and below {@link maxDepth} levels.
 */
export function frozenCopy<Value>(value: Value, depth = 0): Value {
  if (typeof value !== "object" || value === null) return jsonScalar(value);
  if (depth >= maxDepth) throw new NotJson(`is nested deeper than ${maxDepth} levels`);
  return (Array.isArray(value) ? frozenList(value, depth) : frozenObject(value, depth)) as Value;
}

function frozenList(list: readonly unknown[], depth: number): readonly unknown[] {
  const copy: unknown[] = [];
  for (let at = 0; at < list.length; at++) copy.push(member(list[at] ?? null, at, depth));
  return Object.freeze(copy);
}

function frozenObject(value: object, depth: number): object {
  requirePlain(value);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (key === "__proto__") throw new NotJson('has a key named "__proto__"');
    const given = (value as Record<string, unknown>)[key];
    if (given !== undefined) copy[key] = member(given, key, depth);
  }
  return Object.freeze(copy);
}

function member(value: unknown, key: string | number, depth: number): unknown {
  if (typeof value === "string") return value;
  try {
    return frozenCopy(value, depth + 1);
  } catch (error) {
    if (error instanceof NotJson && error.path.length < 8) error.path.unshift(key);
    throw error;
  }
}

/** Plain objects only; those of another realm have their own Object.prototype, whose prototype is null too. */
function requirePlain(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null)
    return;
  throw new NotJson(`is a ${value.constructor?.name ?? "class instance"}, not JSON`);
}

function jsonScalar<Value>(value: Value): Value {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new NotJson(
    `is ${typeof value === "number" ? String(value) : `of type ${typeof value}`}, which JSON cannot hold`,
  );
}
