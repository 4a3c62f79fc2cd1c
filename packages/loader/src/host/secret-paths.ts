import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { holdsVariables } from "@toolmount/core/internal";
import type { LoadedPlan } from "../mount/load-plan.ts";

/**
 * Returns the paths that tools must not read, even in folders that they may read, unless the plan names exactly this path: the
 * file of the plan's state, the folder `.toolmount`, files that the plan reads as `${file:…}`, and `.env` files in the plan's
 * folder. Each path is absolute and includes everything below it.
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

/**
 * Returns the files in a folder that hold variables, such as `.env.local`. `.env` is always included, even if it does not exist
 * yet.
 */
async function variableFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const found = names.filter(holdsVariables);
  return [".env", ...found].map((name) => join(folder, name));
}

/**
 * Returns the file of the state `sqlite:<path>`, whose path is relative to the plan, with the files that SQLite keeps next to it.
 * Empty for other states.
 */
export function stateFiles(state: unknown, folder: string): string[] {
  const path = typeof state === "string" ? /^sqlite:(.+)$/.exec(state)?.[1] : undefined;
  if (path === undefined || path.startsWith(":")) return [];
  const file = resolve(folder, path);
  return [file, `${file}-wal`, `${file}-shm`, `${file}-journal`];
}
