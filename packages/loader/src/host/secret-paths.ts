import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { holdsVariables } from "@toolmount/core/internal";
import type { LoadedPlan } from "../mount/load-plan.ts";

/**
 * Returns what tools must not read, even inside folders that they may read, unless the plan names the very path: the file of
 * the plan's state, the folder `.toolmount`, the files that the plan names as `${file:…}`, and `.env` files beside the plan.
 * Absolute paths, with everything below them.
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

/** Files that hold variables; `.env` also before it is there. */
async function variableFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const found = names.filter(holdsVariables);
  return [".env", ...found].map((name) => join(folder, name));
}

/** `sqlite:<path>`, relative to the plan, with the files that SQLite keeps beside it. */
export function stateFiles(state: unknown, folder: string): string[] {
  const path = typeof state === "string" ? /^sqlite:(.+)$/.exec(state)?.[1] : undefined;
  if (path === undefined || path.startsWith(":")) return [];
  const file = resolve(folder, path);
  return [file, `${file}-wal`, `${file}-shm`, `${file}-journal`];
}
