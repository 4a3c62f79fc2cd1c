import type { Json } from "@toolmount/core";
import { membersOf } from "../diagnostics/json.ts";
import { findPlace, pathKey, type Path, type Place, type PlanMap } from "../diagnostics/positions.ts";
import { makeProblem, type Problem } from "../diagnostics/problems.ts";

/** What is known so far while parts are merged. */
export interface Combining {
  readonly map: PlanMap;
  readonly problems: Problem[];
  readonly replaced: Replaced[];
  /** Whether all parts could be read. If not, an entry that a part changes may be in a missing part. */
  readonly complete: boolean;
}

export interface Replaced {
  readonly name: string;
  readonly place: Place | undefined;
}

export function complain({ problems }: Combining, path: Path, map: PlanMap, problem: string): void {
  problems.push(makeProblem("PLAN_VALUE_INVALID", { problem }, { path, place: findPlace(map, path) }));
}

/** Removes the places of a value's members, before another value replaces it. */
export function forget(marks: PlanMap, value: Json, path: Path): void {
  for (const [key, inner] of membersOf(value)) {
    marks.delete(pathKey([...path, key]));
    forget(marks, inner, [...path, key]);
  }
}
