import { stat } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { isRecord } from "../diagnostics/json.ts";
import type { LoadedPlan } from "../mount/load-plan.ts";
import { nextCommandPaths } from "../programs/next-command.ts";
import { readSourceFiles } from "../modules/source-files.ts";
import { planFileNames } from "../plan/find-plan.ts";
import { lockFileOf } from "../plan/lock-file-name.ts";
import { stateFiles } from "./secret-paths.ts";

/** The paths that a tool must not write. */
export interface ProtectedPaths {
  /** The plan, its lock files, its state and `.toolmount`. */
  readonly plan: readonly string[];
  /** Other files that the next command imports, runs or obeys, such as settings of git. */
  readonly obeyed: readonly string[];
}

/**
 * Returns what a tool must not write, even in folders in which it may write: everything that the next command reads or imports. A
 * tool that changed it would decide what the next host runs.
 *
 * Absolute paths include everything below them: the files of the plan, their lock files, the file of its state, the folder
 * `.toolmount`, `node_modules`, `package.json`, the files of local modules, including that of a model, and what the next command
 * runs or obeys. Paths that begin with `**` + `/` mean entries in any folder: plans that a later command could find, overlays,
 * further folders `.toolmount`, and files such as `.git/hooks`.
 */
export async function protectedPaths(
  loaded: LoadedPlan,
  overlays: readonly string[] | undefined,
): Promise<ProtectedPaths> {
  const { opened, plan, modules, texts } = loaded;
  const { file, folder } = opened;
  const locks = opened.files.map((each) => lockFileOf(each));
  const tools = modules.flatMap(({ source }) => (source.kind === "path" ? [source.path] : []));
  const sources = [...tools, ...modelModules(plan.sections["agent"], folder)];
  return {
    plan: [
      ...opened.files,
      ...new Set(file === undefined ? locks : [...locks, lockFileOf(file, overlays)]),
      ...stateFiles(plan.sections["state"], folder),
      join(folder, ".toolmount"),
      ...planNames(opened.files),
    ],
    obeyed: [
      ...packagePaths(folder),
      ...new Set((await Promise.all(sources.map(filesOfModule))).flat()),
      ...(await nextCommandPaths({ folder, plan, modules, texts })),
    ],
  };
}

/**
 * Returns `node_modules` and `package.json` of a folder and of all folders above it, because a package.json decides where Node
 * finds packages.
 */
function packagePaths(folder: string): string[] {
  const parent = dirname(folder);
  const own = ["node_modules", "package.json"].map((name) => join(folder, name));
  return [...own, ...(parent === folder ? [] : packagePaths(parent))];
}

/**
 * Returns the paths of a local module: its folder or, for a module in a file, that file and all files that it imports by a
 * relative path.
 */
async function filesOfModule(path: string): Promise<readonly string[]> {
  const kind = await stat(path).catch(() => undefined);
  if (!kind?.isFile()) return [path];
  const { digests } = await readSourceFiles(path).catch(() => ({ digests: new Map<string, string>() }));
  return [path, ...digests.keys()];
}

/** Returns the path of the local module that provides the agent's model: `agent.provider.module`. */
function modelModules(agent: unknown, folder: string): string[] {
  const provider = isRecord(agent) ? agent["provider"] : undefined;
  const module = isRecord(provider) ? provider["module"] : undefined;
  return typeof module === "string" && /^[./]/.test(module) ? [resolve(folder, module)] : [];
}

/**
 * Returns patterns for plans, overlays and lock files in any folder: with the names of this plan, and with names that a search
 * would find.
 */
function planNames(files: readonly string[]): string[] {
  const names = [...planFileNames, ...files.map((file) => basename(file))];
  const stems = new Set(names.map((name) => basename(name, extname(name))));
  const patterns = [...stems].flatMap((stem) => [`${stem}.*.yaml`, `${stem}.*.yml`, `${stem}.*.json`]);
  return [...planFileNames, ...patterns, ".toolmount"].map((name) => `**/${name}`);
}
