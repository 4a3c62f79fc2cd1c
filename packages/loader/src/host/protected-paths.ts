import { resolve } from "node:path";
import type { LoadedPlan } from "../mount/load-plan.ts";
import { lockFileOf } from "../plan/lock-file.ts";

/** Where the command keeps its state when a plan does not say, beside the plan; protected whoever opened the plan. */
const defaultState = "sqlite:./.toolmount/state.db";

/**
 * What a tool may not write even where the plan lets it write: the files of the plan itself, their locks, and the file
 * that keeps its state. Whoever could change them would decide what the next host does.
 */
export function protectedPaths(
  { opened, plan }: LoadedPlan,
  overlays: readonly string[] | undefined,
): readonly string[] {
  const { file } = opened;
  const locks = opened.files.map((each) => lockFileOf(each));
  return [
    ...opened.files,
    ...new Set(file === undefined ? locks : [...locks, lockFileOf(file, overlays)]),
    ...stateFiles(plan.sections["state"], opened.folder),
    ...stateFiles(defaultState, opened.folder),
  ];
}

/** `sqlite:<path>`, relative to the plan, with the files that SQLite keeps beside it. */
function stateFiles(state: unknown, folder: string): string[] {
  const path = typeof state === "string" ? /^sqlite:(.+)$/.exec(state)?.[1] : undefined;
  if (path === undefined || path.startsWith(":")) return [];
  const file = resolve(folder, path);
  return [file, `${file}-wal`, `${file}-shm`, `${file}-journal`];
}
