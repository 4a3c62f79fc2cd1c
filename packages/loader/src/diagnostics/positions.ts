import type { PlanPosition } from "@toolmount/core";
import { positionAt, type PlanText } from "./source-text.ts";

/** The place of a value inside a plan: keys and indices from the root. */
export type Path = readonly (string | number)[];

/** Where a value is written: its file, the offset of its key in a map, and its own offset. */
interface Mark {
  readonly text: PlanText;
  readonly key?: number;
  readonly value: number;
  /** The place at which a lower part of the plan has the value that this one replaced. */
  readonly over?: Mark;
}

/** Where each value of a plan is written, by its path. In a merged plan, each place is in the file from which the value comes. */
export type PlanMap = Map<string, Mark>;

export interface Place {
  readonly text: PlanText;
  readonly offset: number;
}

export function pathKey(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/**
 * Finds the place of a value, or of its key. If the value is not written, returns the place of the nearest value that contains
 * it.
 */
export function findPlace(map: PlanMap, path: Path, part: "key" | "value" = "value"): Place | undefined {
  for (let length = path.length; length >= 0; length--) {
    const mark = map.get(pathKey(path.slice(0, length)));
    if (mark === undefined) continue;
    const useKey = mark.key !== undefined && (part === "key" || length < path.length);
    return { text: mark.text, offset: useKey ? mark.key : mark.value };
  }
  return undefined;
}

export function findPosition(map: PlanMap, path: Path): PlanPosition | undefined {
  const place = findPlace(map, path);
  return place && positionAt(place.text, place.offset);
}

export function findHistory(map: PlanMap, path: Path): PlanPosition[] {
  const positions: PlanPosition[] = [];
  for (let mark = map.get(pathKey(path)); mark !== undefined; mark = mark.over)
    positions.push(positionAt(mark.text, mark.key ?? mark.value));
  return positions;
}

/** Formats a path as text, such as `tools[0].config.root`. */
export function showPath(path: Path): string {
  return path.reduce<string>((shown, part) => {
    if (typeof part === "number") return `${shown}[${part}]`;
    const safe = /^[\w$-]+$/.test(part) ? part : JSON.stringify(part.slice(0, 100));
    return shown === "" ? safe : `${shown}.${safe}`;
  }, "");
}
