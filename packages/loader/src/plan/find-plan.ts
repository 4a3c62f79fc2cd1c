import { readdirSync, readFileSync, statSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolmountError } from "@toolmount/core/errors";
import { isRecord } from "../diagnostics/json.ts";

const dataEndings = [".yaml", ".yml", ".json"] as const;
const named = (stem: string): string[] => dataEndings.map((ending) => `${stem}${ending}`);

/** Names under which a plan is found in a folder, in this order. Data only: no program is run to find a plan. */
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
 * Finds the plan's file. A path to a file is that file. A folder is searched for {@link planFileNames}. Without a path, `cwd`
 * and the folders above it are searched, up to the one with a `package.json`; from a package of a workspace up to the
 * workspace's root. No other names are searched, because tools are kept from writing only these.
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

/** Names that an error shows; the page of the error lists all. */
const shownNames =
  "mount-plan.yaml, toolmount.yaml, .toolmountrc, .config/toolmount.yaml or toolmount.config.yaml";

/** Returns a hint at a plan that the user may have meant: one with a usual name here, or one in a folder below. */
function otherPlans(cwd: string): string {
  const folders = readdirSync(cwd, { withFileTypes: true }).filter((one) => one.isDirectory());
  const below = folders.slice(0, maxFolders).map(({ name }) => [name, "mount-plan.yaml"]);
  const found = [["plan.yaml"], ["plan.yml"], ...below].find(
    (parts) => statOf(join(cwd, ...parts))?.isFile() === true,
  );
  return found === undefined ? "" : `; there is ${found.join("/")}`;
}

/** Most folders below the working folder in which a hint looks for another plan. */
const maxFolders = 100;

/** Returns the last folder that a search enters: the nearest with a `package.json`, or the root of its workspace. */
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
  // Most plans are in the first folder and are found without loading cosmiconfig.
  const here = onlyPlan(folder);
  if (here !== undefined) return here;
  const { cosmiconfig } = await import("cosmiconfig");
  const explorer = cosmiconfig("toolmount", {
    searchPlaces: [...planFileNames],
    // One folder at a time: of the library's own upward searches, one stops at a package, and one reads the home folder.
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

/** Returns the plan of a folder. Throws `OPTION_INVALID` if there are two, because the user has to say which one is meant. */
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
