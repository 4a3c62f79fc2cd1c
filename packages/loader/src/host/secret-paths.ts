import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { holdsVariables } from "@toolmount/core/internal";
import type { LoadedPlan } from "../mount/load-plan.ts";

/**
 * Returns the paths that tools must not read, even inside folders that they may read, unless the plan names the exact path: the
 * file of the plan's state, the folder `.toolmount`, files that the plan names as `${file:…}`, and `.env` files in the plan's
 * folder. The paths are absolute and include everything below them.
 */
export async function secretPaths({
  opened,
  plan,
  valueFiles,
}: Pick<LoadedPlan, "opened" | "plan" | "valueFiles">): Promise<readonly string[]> {
  const { folder } = opened;
  const paths = [
    ...stateFiles(plan.sections["state"], folder),
    join(folder, ".toolmount"),
    ...valueFiles,
    ...(await variableFiles(folder)),
  ];
  return [...new Set(paths)];
}

/** Returns the files that hold variables. `.env` is always one of them, even before it exists. */
async function variableFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const found = names.filter(holdsVariables);
  return [".env", ...found].map((name) => join(folder, name));
}

/** Returns the file of `sqlite:<path>`, relative to the plan, with the files that SQLite keeps next to it. */
export function stateFiles(state: unknown, folder: string): string[] {
  const path = typeof state === "string" ? /^sqlite:(.+)$/.exec(state)?.[1] : undefined;
  if (path === undefined || path.startsWith(":")) return [];
  const file = resolve(folder, path);
  return [file, `${file}-wal`, `${file}-shm`, `${file}-journal`];
}
