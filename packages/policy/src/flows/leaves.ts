import type { Json } from "@toolmount/core";

/** A text or number in a JSON value, with its path, for example `.0.sender`. The path of the value itself is empty. */
export interface Leaf {
  readonly path: string;
  readonly value: string | number;
  /** The record or list that contains the value. */
  readonly parent: Json | undefined;
}

/** Deepest level that is walked. The host has already checked the depth of results and arguments. */
const maxLevels = 64;

/** Calls `visit` for each text and number. Keys that are not identifiers count as texts, because a person chose them. */
export function walk(value: unknown, visit: (leaf: Leaf) => void): void {
  step(value, "", undefined, 0, visit);
}

function step(
  value: unknown,
  path: string,
  parent: unknown,
  level: number,
  visit: (leaf: Leaf) => void,
): void {
  if (typeof value === "string" || typeof value === "number")
    return visit({ path, value, parent: parent as Json | undefined });
  if (typeof value !== "object" || value === null || level > maxLevels) return;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) step(value[at], `${path}.${at}`, value, level + 1, visit);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (!isIdentifier(key)) visit({ path: `${path}.~`, value: key, parent: value as Json });
    step(member, `${path}.${key}`, value, level + 1, visit);
  }
}

/** A value that decides where an effect goes, with its path. */
interface ControlLeaf {
  readonly path: string;
  readonly value: string | number;
}

/**
 * Returns every value of a control argument: texts, numbers, booleans as text, and the keys of maps, which a caller
 * chooses like values. `schema` says which keys are names of members.
 */
export function controlLeaves(given: unknown, schema: unknown, path = "", level = 0): readonly ControlLeaf[] {
  if (typeof given === "boolean") return isDefault(given, schema) ? [] : [{ path, value: String(given) }];
  if (typeof given === "string" || typeof given === "number") return [{ path, value: given }];
  if (typeof given !== "object" || given === null || level > maxLevels) return [];
  const below = (key: string, value: unknown, of: unknown) =>
    controlLeaves(value, of, `${path}.${key}`, level + 1);
  if (Array.isArray(given))
    return given.flatMap((one, at) => below(String(at), one, memberOf(schema, "items")));
  const named = memberOf(schema, "properties");
  return Object.entries(given).flatMap(([key, value]) => {
    const own = isRecord(named) && Object.hasOwn(named, key) ? named[key] : undefined;
    const isName = own !== undefined || (schema === undefined && isIdentifier(key));
    if (isName) return below(key, value, own);
    return [
      { path: `${path}.~`, value: key },
      ...below(key, value, memberOf(schema, "additionalProperties")),
    ];
  });
}

function isIdentifier(key: string): boolean {
  return /^[A-Za-z_]\w*$/.test(key);
}

function isDefault(given: boolean, schema: unknown): boolean {
  return isRecord(schema) && schema["default"] === given;
}

/** Returns a member of a schema; undefined if the schema is not an object. */
export function memberOf(schema: unknown, name: string): unknown {
  return isRecord(schema) ? schema[name] : undefined;
}

/** Returns the texts and numbers of a value, in order. */
export function leavesOf(value: unknown): readonly Leaf[] {
  const leaves: Leaf[] = [];
  walk(value, (leaf) => leaves.push(leaf));
  return leaves;
}

/** Returns the texts and numbers of the arguments `names`, in order. */
export function valuesOf(
  names: readonly string[],
  given: Readonly<Record<string, unknown>>,
): readonly (string | number)[] {
  const own = names.filter((name) => Object.hasOwn(given, name));
  return own.flatMap((name) => leavesOf(given[name]).map(({ value }) => value));
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
