import { statSync, type Stats } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolmountError } from "@toolmount/core/errors";

/** Names under which a plan is found in a folder, in this order. */
export const planFileNames = [
  "mount-plan.yaml",
  "mount-plan.yml",
  "mount-plan.json",
  "toolmount.yaml",
  "toolmount.yml",
] as const;

/**
 * Finds the plan's file. A path to a file is that file. A folder is searched for {@link planFileNames}. Without a path,
 * `cwd` and the folders above it are searched, up to the one with a `package.json`.
 *
 * Throws `PLAN_NOT_FOUND`.
 */
export async function findPlan(path: string | URL | undefined, cwd: string): Promise<string> {
  if (path === undefined)
    return (await search(cwd, "project")) ?? notFound(`${join(cwd, planFileNames[0])} or above it`);
  const absolute = toPath(path, cwd);
  const kind = statOf(absolute);
  if (kind === undefined) return notFound(absolute);
  if (!kind.isDirectory()) return absolute;
  return (await search(absolute, "none")) ?? notFound(join(absolute, planFileNames[0]));
}

/** What is at a path; undefined where nothing can be seen. Does not wait: a plan is read before anything else runs. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function toPath(path: string | URL, cwd: string): string {
  if (path instanceof URL || path.startsWith("file:")) return fileURLToPath(path);
  return isAbsolute(path) ? path : resolve(cwd, path);
}

async function search(folder: string, searchStrategy: "none" | "project"): Promise<string | undefined> {
  // Most plans are in the first folder: these are found without cosmiconfig.
  for (const name of planFileNames)
    if (statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true) return join(folder, name);
  const { cosmiconfig } = await import("cosmiconfig");
  const explorer = cosmiconfig("toolmount", {
    searchPlaces: [...planFileNames],
    searchStrategy,
    cache: false,
    ignoreEmptySearchPlaces: false,
    // Only the path is used: the text is read later, with its positions.
    loaders: { ".yaml": keepPath, ".yml": keepPath, ".json": keepPath },
  });
  return (await explorer.search(folder))?.filepath;
}

function keepPath(file: string): string {
  return file;
}

function notFound(path: string): never {
  throw new ToolmountError("PLAN_NOT_FOUND", { path });
}
