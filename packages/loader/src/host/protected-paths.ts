import { resolve } from "node:path";
import type { LoadedPlan } from "../mount/load-plan.ts";
import { lockFileOf } from "../plan/lock-file.ts";

/** Where the command keeps its state by default, beside the plan; protected also when a library opened the plan. */
const defaultState = "sqlite:./.toolmount/state.db";

/**
 * Files that a tool may not write, even inside folders that it may write: the files of the plan, their lock files, and
 * the file of its state. A tool that changed them would decide what the next host runs.
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
