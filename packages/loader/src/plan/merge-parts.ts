import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "@toolmount/core";
import { nearestNames } from "@toolmount/core/text";
import { isList, isRecord, membersOf } from "../diagnostics/json.ts";
import type { PlanPart, PlanParts } from "./read-parts.ts";
import { complain, forget, type Combining, type Replaced } from "./combining.ts";
import { dropReplaced, isGuard, isGuardList, mayBeNull, replaceOf, withoutReplace } from "./guard-lists.ts";
import { findPlace, pathKey, type Path, type PlanMap } from "../diagnostics/positions.ts";
import { makeProblem, type Problem } from "../diagnostics/problems.ts";

interface Combined {
  readonly value: JsonObject;
  /** By path, the place of each value in the highest part that sets it. */
  readonly map: PlanMap;
  readonly problems: readonly Problem[];
  /** The lists of lower plans that `policy.replace` dropped, with the lines that named them. */
  readonly replaced: readonly Replaced[];
}

/** Lists of entries. An entry in a higher plan changes the entry with the same id; if there is none, it is added at the end. */
const entryLists: readonly string[] = ["tools", "hooks", "providers"];

const ownOfAFile = new Set(["extends", "$schema"]);

/**
 * Merges parts, the lowest first: maps by key, entries by id (the second entry with an id in a file has the id `…#2`), guarding
 * lists line by line, other values as a whole. An empty value replaces nothing and is reported.
 */
export function mergeParts({ parts, problems }: Pick<PlanParts, "parts" | "problems">): Combined {
  const [lowest, ...higher] = parts;
  const isAlone = lowest !== undefined && higher.length === 0;
  if (isAlone && lowest.value["extends"] === undefined && replaceOf(lowest.value) === undefined)
    return { ...lowest, problems, replaced: [] };
  const combined: Combining = {
    map: new Map(),
    problems: [...problems],
    replaced: [],
    complete: problems.length === 0,
  };
  const value = parts.reduce<JsonObject>((below, part) => layOver(combined, below, part), {});
  const root = parts.at(-1)?.map.get("");
  if (root !== undefined) combined.map.set("", root);
  const { map, replaced } = combined;
  return { value, map, problems: combined.problems, replaced };
}

function layOver(combining: Combining, lowest: JsonObject, part: PlanPart): JsonObject {
  const below = dropReplaced(combining, lowest, part);
  const value: Record<string, Json> = { ...below };
  for (const [key, above] of Object.entries(withoutReplace(part.value))) {
    if (ownOfAFile.has(key)) continue;
    const lower = below[key];
    value[key] =
      entryLists.includes(key) && isList(above)
        ? layEntries(combining, isList(lower) ? lower : [], above, key, part)
        : layValue(combining, lower, above, [key], [key], part.map);
  }
  return value;
}

/** Merges a value over another one. If a value is replaced, its place stays known as an earlier place. */
function layValue(
  combining: Combining,
  below: Json | undefined,
  above: Json,
  from: Path,
  to: Path,
  map: PlanMap,
): Json {
  const { map: marks } = combining;
  const mark = map.get(pathKey(from));
  const over = marks.get(pathKey(to));
  if (isRecord(below) && isRecord(above)) {
    const merged: Record<string, Json> = { ...below };
    for (const [key, inner] of Object.entries(above))
      merged[key] = layValue(combining, merged[key], inner, [...from, key], [...to, key], map);
    return merged;
  }
  if (above === null && below !== undefined && below !== null && !mayBeNull(to)) {
    complain(combining, from, map, emptyProblem);
    return below;
  }
  if (isList(below) && isList(above) && isGuardList(to))
    return keepLines(combining, below, above, from, to, map);
  // `flows: on` means the same as an empty map, so it does not replace a map.
  if (isRecord(below) && above === "on" && pathKey(to) === "/policy/flows") return below;
  if (below !== undefined) forget(marks, below, to);
  if (mark !== undefined) marks.set(pathKey(to), over === undefined ? mark : { ...mark, over });
  for (const [key, inner] of membersOf(above))
    layValue(combining, undefined, inner, [...from, key], [...to, key], map);
  return above;
}

const emptyProblem =
  "this is empty, but a plan below has a value here; write the new value, or remove the key";

/** Keeps the guarding lines of a lower list, and adds those lines of the higher list that are new. */
function keepLines(
  combining: Combining,
  below: readonly Json[],
  above: readonly Json[],
  from: Path,
  to: Path,
  map: PlanMap,
): Json[] {
  const { map: marks } = combining;
  const allowing = [...below.keys()].filter((index) => !isGuard(below[index]!));
  const result = withoutItems(marks, below, allowing, to);
  const over = marks.get(pathKey(to));
  const mark = map.get(pathKey(from));
  if (mark !== undefined) marks.set(pathKey(to), over === undefined ? mark : { ...mark, over });
  for (const [index, line] of above.entries()) {
    if (result.some((known) => isDeepStrictEqual(known, line))) continue;
    layValue(combining, undefined, line, [...from, index], [...to, result.length], map);
    result.push(line);
  }
  return result;
}

function layEntries(
  combining: Combining,
  below: readonly Json[],
  above: readonly Json[],
  section: string,
  part: PlanPart,
): Json[] {
  const result = [...below];
  const ids = idsOf(below);
  const added: { readonly entry: Json; readonly index: number }[] = [];
  const removed: number[] = [];
  for (const [index, id] of idsOf(above).entries()) {
    const entry = above[index]!;
    const at = id === undefined ? -1 : ids.indexOf(id);
    if (at === -1 && id !== undefined && isChange(entry))
      complainUnused(combining, ids, [section, index], id, part);
    else if (at === -1) added.push({ entry, index });
    else if (isRecord(entry) && entry["remove"] === true) removed.push(at);
    else result[at] = layEntry(combining, below[at]!, entry, [section, index], [section, at], part.map);
  }
  for (const { entry, index } of added) {
    layValue(combining, undefined, entry, [section, index], [section, result.length], part.map);
    result.push(entry);
  }
  const list = part.map.get(pathKey([section]));
  if (list !== undefined) combining.map.set(pathKey([section]), list);
  return removed.length === 0 ? result : withoutItems(combining.map, result, removed, [section]);
}

/** Merges two entries. If the higher entry names another module, it does not inherit the `source`. */
function layEntry(combining: Combining, below: Json, above: Json, from: Path, to: Path, map: PlanMap): Json {
  const renamed = isRecord(below) && isRecord(above) && above["module"] !== undefined;
  if (!renamed || above["module"] === below["module"] || below["source"] === undefined)
    return layValue(combining, below, above, from, to, map);
  const { source, ...rest } = below;
  combining.map.delete(pathKey([...to, "source"]));
  if (source !== undefined) forget(combining.map, source, [...to, "source"]);
  return layValue(combining, rest, above, from, to, map);
}

function isChange(entry: Json): boolean {
  return (
    isRecord(entry) &&
    ((entry["module"] === undefined && entry["command"] === undefined) || entry["remove"] === true)
  );
}

/** Returns the ids of entries; the second entry with the same id gets `#2`. */
function idsOf(entries: readonly Json[]): (string | undefined)[] {
  const counts = new Map<string, number>();
  return entries.map((entry) => {
    const id = isRecord(entry)
      ? [entry["id"], entry["module"]].find((name) => typeof name === "string")
      : undefined;
    if (typeof id !== "string") return undefined;
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return count === 1 ? id : `${id}#${count}`;
  });
}

function complainUnused(
  { problems, complete }: Combining,
  ids: readonly (string | undefined)[],
  path: Path,
  id: string,
  { map }: PlanPart,
): void {
  if (!complete) return;
  const known = ids.filter((name) => name !== undefined);
  const [near] = nearestNames(id, known);
  const problem = `no plan below has an entry "${id.slice(0, 100)}" to change; ${near === undefined ? `there are: ${known.slice(0, 20).join(", ") || "none"}` : `did you mean "${near}"?`}`;
  problems.push(
    makeProblem("PLAN_VALUE_INVALID", { problem }, { path, place: findPlace(map, [...path, "id"]) }),
  );
}

/** Removes items from a list, and moves the places of the following items. */
function withoutItems(
  marks: PlanMap,
  items: readonly Json[],
  removed: readonly number[],
  list: Path,
): Json[] {
  const kept = [...items.keys()].filter((index) => !removed.includes(index));
  const prefix = `${pathKey(list)}/`;
  const old = [...marks].filter(([key]) => key.startsWith(prefix));
  for (const [key] of old) marks.delete(key);
  for (const [key, mark] of old) {
    const [index, ...rest] = key.slice(prefix.length).split("/");
    const to = kept.indexOf(Number(index));
    if (to !== -1) marks.set(prefix + [to, ...rest].join("/"), mark);
  }
  return kept.map((index) => items[index]!);
}
