import type { Json } from "@toolmount/core";
import { membersOf } from "../diagnostics/json.ts";
import { findPlace, pathKey, type Path, type Place, type PlanMap } from "../diagnostics/positions.ts";
import { makeProblem, type Problem } from "../diagnostics/problems.ts";

/** What a merge of parts has found so far. */
export interface Combining {
  readonly map: PlanMap;
  readonly problems: Problem[];
  readonly replaced: Replaced[];
  /** Whether every plan could be read. If not, the entry to change may be in the missing plan. */
  readonly complete: boolean;
}

export interface Replaced {
  readonly name: string;
  readonly place: Place | undefined;
}

export function complain({ problems }: Combining, path: Path, map: PlanMap, problem: string): void {
  problems.push(makeProblem("PLAN_VALUE_INVALID", { problem }, { path, place: findPlace(map, path) }));
}

/** Forgets the places of the members of a value that another one replaces. */
export function forget(marks: PlanMap, value: Json, path: Path): void {
  for (const [key, inner] of membersOf(value)) {
    marks.delete(pathKey([...path, key]));
    forget(marks, inner, [...path, key]);
  }
}
