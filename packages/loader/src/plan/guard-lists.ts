import type { Json, JsonObject } from "@toolmount/core";
import { isList, isRecord } from "../diagnostics/json.ts";
import { complain, forget, type Combining } from "./combining.ts";
import type { Layer } from "./read-layers.ts";
import { findPlace, pathKey, type Path, type PlanMap } from "../diagnostics/positions.ts";

/** Lists of a plan whose lines guard, as `replace` names them. */
export const guardLists = [
  "policy.deny",
  "policy.ask",
  "policy.rules",
  "flows.into",
  "flows.results",
] as const;

/** Whether the lines of a list still hold when a higher layer has the list, too. */
export function isGuardList(path: Path): boolean {
  const key = pathKey(path);
  return guardLists.some((name) => key === pathKey(name.split("."))) || excludeOfEntry.test(key);
}

/** Tools that an entry does not offer. */
const excludeOfEntry = /^\/(?:tools|hooks|providers)\/\d+\/tools\/exclude$/;

/** A line that only allows does not guard: a higher layer that has the list replaces it. */
export function isGuard(line: Json): boolean {
  return !isRecord(line) || (line["answer"] !== "allow" && line["else"] !== "allow");
}

/** Whether `null` is a value of the module's or the tool's own at this place, and not an empty key. */
export function mayBeNull([list, , member, ...rest]: Path): boolean {
  if (typeof list === "string" && list.startsWith("x-")) return true;
  if (member === "config") return rest.length > 0;
  return member === "tools" && rest[1] === "arguments" && (rest[3] === "default" || rest[3] === "value");
}

/** `replace` of a layer drops lists of the layers below, which otherwise hold under it. */
export function dropReplaced(combining: Combining, below: JsonObject, { value, map }: Layer): JsonObject {
  const written = value["replace"];
  if (written === undefined) return below;
  const names = isList(written) ? [...written.entries()] : [];
  if (names.length === 0)
    complain(combining, ["replace"], map, `replace is a list of ${guardLists.join(", ")}`);
  return names.reduce<JsonObject>((rest, [index, item]) => {
    const name = guardLists.find((known) => known === item);
    const path = ["replace", index];
    if (name !== undefined) return dropList(combining, rest, name, path, map);
    complain(combining, path, map, `replace names lists that layers keep: ${guardLists.join(", ")}`);
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
  const [section = "", list = ""] = name.split(".");
  const lower = below[section];
  const dropped = isRecord(lower) ? lower[list] : undefined;
  if (dropped === undefined || !isRecord(lower)) {
    if (combining.complete) complain(combining, path, map, `no layer below has ${name}; remove this line`);
    return below;
  }
  forget(combining.map, dropped, [section, list]);
  combining.replaced.push({ name, place: findPlace(map, path) });
  const kept = Object.entries(lower).filter(([key]) => key !== list);
  return { ...below, [section]: Object.fromEntries(kept) };
}
