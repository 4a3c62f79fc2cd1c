import { readdirSync, readFileSync, statSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolmountError } from "@toolmount/core/errors";
import { isRecord } from "../diagnostics/json.ts";

const dataEndings = [".yaml", ".yml", ".json"] as const;
const named = (stem: string): string[] => dataEndings.map((ending) => `${stem}${ending}`);

/**
 * Names under which a plan is found in a folder, in this order. All are data files, because finding a plan must not run a
 * program.
 */
export const planFileNames: readonly string[] = [
  ...named("mount-plan"),
  ...named("toolmount"),
  ".toolmountrc",
  ...named(".toolmountrc"),
  ...named(".config/toolmount"),
  ".config/toolmountrc",
  ...named(".config/toolmountrc"),
  ...named("toolmount.config"),
];

/**
 * Finds the plan's file. The path of a file is that file, and a folder is searched for {@link planFileNames}. Without a path,
 * `cwd` and the folders above are searched, up to the first one with a `package.json`; in a package of a workspace, up to the
 * workspace's root. No other names are found, because tools are kept only from writing these.
 *
 * Throws `PLAN_NOT_FOUND`.
 */
export async function findPlan(path: string | URL | undefined, cwd: string): Promise<string> {
  if (path === undefined) {
    const last = lastFolder(cwd);
    const where = last === cwd ? "" : `, or in a folder above it, up to ${last}`;
    return (await search(cwd, last)) ?? notFound(`${cwd} (as ${shownNames})${where}${otherPlans(cwd)}`);
  }
  const absolute = toPath(path, cwd);
  const kind = statOf(absolute);
  if (kind === undefined) return notFound(absolute);
  if (!kind.isDirectory()) return absolute;
  return (await search(absolute, absolute)) ?? notFound(`${absolute} (as ${shownNames})`);
}

/** Names that an error shows. The page about the error lists all. */
const shownNames =
  "mount-plan.yaml, toolmount.yaml, .toolmountrc, .config/toolmount.yaml or toolmount.config.yaml";

/** Returns a hint at a plan that the user may have meant: one that is called `plan` here, or one in a folder below. */
function otherPlans(cwd: string): string {
  const folders = readdirSync(cwd, { withFileTypes: true }).filter((one) => one.isDirectory());
  const below = folders.slice(0, maxFolders).map(({ name }) => [name, "mount-plan.yaml"]);
  const found = [["plan.yaml"], ["plan.yml"], ...below].find(
    (parts) => statOf(join(cwd, ...parts))?.isFile() === true,
  );
  return found === undefined ? "" : `; there is ${found.join("/")}`;
}

/** Maximum number of folders below the working folder that are searched for another plan, for a hint. */
const maxFolders = 100;

/** Returns the last folder that is searched: the nearest one with a `package.json` or, in a workspace, its root. */
function lastFolder(cwd: string): string {
  const folders = [...foldersUpFrom(cwd)];
  const project = folders.findIndex((folder) => statOf(join(folder, "package.json"))?.isFile() === true);
  if (project < 0) return folders.at(-1)!;
  return folders.slice(project).find(isWorkspaceRoot) ?? folders[project]!;
}

function* foldersUpFrom(folder: string): Iterable<string> {
  yield folder;
  const above = dirname(folder);
  if (above !== folder) yield* foldersUpFrom(above);
}

function isWorkspaceRoot(folder: string): boolean {
  if (statOf(join(folder, "pnpm-workspace.yaml"))?.isFile() === true) return true;
  return readJson(join(folder, "package.json"))?.["workspaces"] !== undefined;
}

/** Reads the members of a JSON file; undefined if they cannot be read. */
function readJson(file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the facts of a file or folder; undefined if they cannot be read. It is synchronous, because a plan is read before
 * anything else runs.
 */
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

async function search(folder: string, last: string): Promise<string | undefined> {
  // Most plans are in the first folder, and are found without cosmiconfig.
  const here = onlyPlan(folder);
  if (here !== undefined) return here;
  const { cosmiconfig } = await import("cosmiconfig");
  const explorer = cosmiconfig("toolmount", {
    searchPlaces: [...planFileNames],
    // Each folder is searched separately. The library's own upward searches either stop at the first package, or also read the
    // home folder.
    searchStrategy: "none",
    cache: false,
    ignoreEmptySearchPlaces: false,
    // Only the path is used. The text is read later, with its positions.
    loaders: { ".yaml": keepPath, ".yml": keepPath, ".json": keepPath, noExt: keepPath },
  });
  for (const place of foldersUpFrom(folder)) {
    const found = await explorer.search(place);
    if (found !== null) return onlyPlan(place) ?? found.filepath;
    if (place === last) break;
  }
  return undefined;
}

/**
 * Returns the plan in a folder; undefined if there is none. Throws `OPTION_INVALID` if there are two, because the user must say
 * which one is meant.
 */
function onlyPlan(folder: string): string | undefined {
  const isFile = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true;
  const [name, other] = planFileNames.filter(isFile);
  if (other !== undefined)
    throw new ToolmountError("OPTION_INVALID", {
      option: "plan",
      problem: `${folder} has two plans, ${name} and ${other}; name one, or remove the other`,
    });
  return name === undefined ? undefined : join(folder, name);
}

function keepPath(file: string): string {
  return file;
}

function notFound(path: string): never {
  throw new ToolmountError("PLAN_NOT_FOUND", { path });
}
