import type { Json, JsonObject } from "@toolmount/core";
import { nearestNames } from "@toolmount/core/text";
import { isList, isRecord, membersOf } from "../diagnostics/json.ts";
import type { Layer, Layers } from "./read-layers.ts";
import { findPlace, pathKey, type Path, type PlanMap } from "../diagnostics/positions.ts";
import { makeProblem, type Problem } from "../diagnostics/problems.ts";

interface Combined {
  readonly value: JsonObject;
  /** Where each part of the value is written, in the highest layer that sets it. */
  readonly map: PlanMap;
  readonly problems: readonly Problem[];
}

/** Lists of entries: an entry of a higher layer changes the entry with its id, or is added at the end. */
const entryLists: readonly string[] = ["tools", "hooks", "providers"];

const ownOfAFile = new Set(["extends", "$schema"]);

/** Merges layers, lowest first: maps by key, entries by id (the second of a file is `#2`), other values as a whole. */
export function combineLayers({ layers, problems }: Layers): Combined {
  const [lowest, ...higher] = layers;
  if (lowest !== undefined && higher.length === 0 && lowest.value["extends"] === undefined)
    return { ...lowest, problems };
  const combined: Combining = { map: new Map(), problems: [...problems], complete: problems.length === 0 };
  const value = layers.reduce<JsonObject>((below, layer) => layOver(combined, below, layer), {});
  const root = layers.at(-1)?.map.get("");
  if (root !== undefined) combined.map.set("", root);
  return { value, map: combined.map, problems: combined.problems };
}

interface Combining {
  readonly map: PlanMap;
  readonly problems: Problem[];
  /** Whether every layer could be read. If not, the entry to change may be in the missing layer. */
  readonly complete: boolean;
}

function layOver(combining: Combining, below: JsonObject, layer: Layer): JsonObject {
  const value: Record<string, Json> = { ...below };
  for (const [key, above] of Object.entries(layer.value)) {
    if (ownOfAFile.has(key)) continue;
    const lower = below[key];
    value[key] =
      entryLists.includes(key) && isList(above)
        ? layEntries(combining, isList(lower) ? lower : [], above, key, layer)
        : layValue(combining, lower, above, [key], [key], layer.map);
  }
  return value;
}

/** Merges one value over another. The place of a replaced value is kept behind the new one. */
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
  if (below !== undefined) forget(marks, below, to);
  if (mark !== undefined) marks.set(pathKey(to), over === undefined ? mark : { ...mark, over });
  for (const [key, inner] of membersOf(above))
    layValue(combining, undefined, inner, [...from, key], [...to, key], map);
  return above;
}

function forget(marks: PlanMap, value: Json, path: Path): void {
  for (const [key, inner] of membersOf(value)) {
    marks.delete(pathKey([...path, key]));
    forget(marks, inner, [...path, key]);
  }
}

function layEntries(
  combining: Combining,
  below: readonly Json[],
  above: readonly Json[],
  section: string,
  layer: Layer,
): Json[] {
  const result = [...below];
  const ids = idsOf(below);
  const added: { readonly entry: Json; readonly index: number }[] = [];
  const removed: number[] = [];
  for (const [index, id] of idsOf(above).entries()) {
    const entry = above[index]!;
    const at = id === undefined ? -1 : ids.indexOf(id);
    if (at === -1 && id !== undefined && isChange(entry))
      complainUnused(combining, ids, [section, index], id, layer);
    else if (at === -1) added.push({ entry, index });
    else if (isRecord(entry) && entry["remove"] === true) removed.push(at);
    else result[at] = layEntry(combining, below[at]!, entry, [section, index], [section, at], layer.map);
  }
  for (const { entry, index } of added) {
    layValue(combining, undefined, entry, [section, index], [section, result.length], layer.map);
    result.push(entry);
  }
  const list = layer.map.get(pathKey([section]));
  if (list !== undefined) combining.map.set(pathKey([section]), list);
  return removed.length === 0 ? result : withoutEntries(combining.map, result, removed, section);
}

/** An entry that names another module does not inherit the `source` of the old one. */
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

/** The ids of entries; the second entry with the same id gets `#2`. */
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
  { map }: Layer,
): void {
  if (!complete) return;
  const known = ids.filter((name) => name !== undefined);
  const [near] = nearestNames(id, known);
  const problem = `no layer below has an entry "${id.slice(0, 100)}" to change; ${near === undefined ? `there are: ${known.slice(0, 20).join(", ") || "none"}` : `did you mean "${near}"?`}`;
  problems.push(
    makeProblem("PLAN_VALUE_INVALID", { problem }, { path, place: findPlace(map, [...path, "id"]) }),
  );
}

/** Removes entries of a list, and moves the places of those after them. */
function withoutEntries(
  marks: PlanMap,
  entries: readonly Json[],
  removed: readonly number[],
  section: string,
): Json[] {
  const kept = [...entries.keys()].filter((index) => !removed.includes(index));
  const prefix = `${pathKey([section])}/`;
  const old = [...marks].filter(([key]) => key.startsWith(prefix));
  for (const [key] of old) marks.delete(key);
  for (const [key, mark] of old) {
    const [index, ...rest] = key.slice(prefix.length).split("/");
    const to = kept.indexOf(Number(index));
    if (to !== -1) marks.set(prefix + [to, ...rest].join("/"), mark);
  }
  return kept.map((index) => entries[index]!);
}
