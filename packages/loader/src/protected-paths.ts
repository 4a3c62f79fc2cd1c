import { dirname, join, parse, resolve } from "node:path";
import type { LoadedPlan } from "./load-plan.ts";

/** Where the command keeps its state when a plan does not say, beside the plan; protected whoever opened the plan. */
export const defaultState = "sqlite:./.toolmount/state.db";

/**
 * What a tool may not write even where the plan lets it write: the files of the plan itself, their locks, and the file
 * that keeps its state. Whoever could change them would decide what the next host does.
 */
export function protectedPaths({ opened, plan }: LoadedPlan): readonly string[] {
  return [
    ...opened.files,
    ...opened.files.map(lockBeside),
    ...stateFiles(plan.sections["state"], opened.folder),
    ...stateFiles(defaultState, opened.folder),
  ];
}

/** `plan.lock.json` beside `plan.yaml`. */
function lockBeside(file: string): string {
  return join(dirname(file), `${parse(file).name}.lock.json`);
}

/** `sqlite:<path>`, relative to the plan, with the files that SQLite keeps beside it. */
function stateFiles(state: unknown, folder: string): string[] {
  const path = typeof state === "string" ? /^sqlite:(.+)$/.exec(state)?.[1] : undefined;
  if (path === undefined || path.startsWith(":")) return [];
  const file = resolve(folder, path);
  return [file, `${file}-wal`, `${file}-shm`, `${file}-journal`];
}
