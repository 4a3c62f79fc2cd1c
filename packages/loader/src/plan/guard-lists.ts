import type { Json, JsonObject } from "@toolmount/core";
import { isList, isRecord } from "../diagnostics/json.ts";
import { complain, forget, type Combining } from "./combining.ts";
import type { PlanPart } from "./read-parts.ts";
import { findPlace, pathKey, type Path, type PlanMap } from "../diagnostics/positions.ts";

/**
 * The lists in a plan's policy that protect something. Their lines stay in force if a higher plan has the list, too.
 * `policy.replace` uses these names.
 */
export const guardLists = ["deny", "ask", "rules", "flows.into", "flows.results"] as const;

/** Tests whether the lines of a list stay in force when a higher plan has the list, too. */
export function isGuardList(path: Path): boolean {
  const key = pathKey(path);
  return (
    guardLists.some((name) => key === pathKey(["policy", ...name.split(".")])) || excludeOfEntry.test(key)
  );
}

/** Matches the path of an entry's list of excluded tools. */
const excludeOfEntry = /^\/(?:tools|hooks|providers)\/\d+\/tools\/exclude$/;

/** Tests whether a line protects something. A line that only allows does not, so a higher plan that has the list replaces it. */
export function isGuard(line: Json): boolean {
  return !isRecord(line) || (line["answer"] !== "allow" && line["else"] !== "allow");
}

/** Tests whether `null` at this place is a real value, for a module's config or an argument's default, and not an empty key. */
export function mayBeNull([list, , member, ...rest]: Path): boolean {
  if (typeof list === "string" && list.startsWith("x-")) return true;
  if (member === "config") return rest.length > 0;
  return member === "tools" && rest[1] === "arguments" && rest[3] === "default";
}

/** Returns the value of `policy.replace` in a part, which names lists of lower plans that this part drops. */
export function replaceOf({ policy }: JsonObject): Json | undefined {
  return isRecord(policy) ? policy["replace"] : undefined;
}

/** Returns a part without `policy.replace`, which concerns only lower plans. */
export function withoutReplace(value: JsonObject): JsonObject {
  return replaceOf(value) === undefined ? value : withoutMember(value, ["policy", "replace"]);
}

/** Drops those lists of lower plans that `policy.replace` of a part names. Other lists of lower plans stay in force. */
export function dropReplaced(combining: Combining, below: JsonObject, { value, map }: PlanPart): JsonObject {
  const written = replaceOf(value);
  if (written === undefined) return below;
  const names = isList(written) ? [...written.entries()] : [];
  if (names.length === 0)
    complain(combining, ["policy", "replace"], map, `replace is a list of ${guardLists.join(", ")}`);
  return names.reduce<JsonObject>((rest, [index, item]) => {
    const name = guardLists.find((known) => known === item);
    const path = ["policy", "replace", index];
    if (name !== undefined) return dropList(combining, rest, name, path, map);
    complain(combining, path, map, `replace names lists that plans keep: ${guardLists.join(", ")}`);
    return rest;
  }, below);
}

function dropList(
  combining: Combining,
  below: JsonObject,
  name: (typeof guardLists)[number],
  path: Path,
  map: PlanMap,
): JsonObject {
  const list = ["policy", ...name.split(".")];
  const dropped = list.reduce<Json | undefined>((at, key) => (isRecord(at) ? at[key] : undefined), below);
  if (dropped === undefined) {
    if (combining.complete)
      complain(combining, path, map, `no plan below has policy.${name}; remove this line`);
    return below;
  }
  forget(combining.map, dropped, list);
  combining.replaced.push({ name: `policy.${name}`, place: findPlace(map, path) });
  return withoutMember(below, list);
}

function withoutMember(value: JsonObject, [key = "", ...rest]: readonly string[]): JsonObject {
  const inner = value[key];
  if (rest.length > 0 && isRecord(inner)) return { ...value, [key]: withoutMember(inner, rest) };
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}
