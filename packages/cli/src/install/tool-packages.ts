import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isRecord } from "@toolmount/core/json";
import type { ManifestTool } from "@toolmount/loader/commands";

/** A package with tools that the nearest `package.json` lists. */
export interface FoundPackage {
  readonly name: string;
  /** The package's tools. Null if it is not installed, or if its manifest lists no tools, so that only mounting shows them. */
  readonly tools: readonly ManifestTool[] | null;
  /** Whether `package.json` allows any version. */
  readonly isUnpinned: boolean;
}

/** Finds the packages with tools that the nearest `package.json` lists, in this folder or above. Runs no code of packages. */
export async function findToolPackages(cwd: string): Promise<readonly FoundPackage[]> {
  const { findPackage } = await import("@toolmount/loader/commands");
  const found = await Promise.all(
    Object.entries(await nearestDependencies(cwd)).map(async ([name, range]): Promise<FoundPackage[]> => {
      const facts = await findPackage(name, cwd);
      const { tools = [], mounts = [] } = facts?.manifest ?? {};
      const isUnpinned = range === "*" || range === "latest" || range === "";
      if (tools.length > 0) return [{ name, tools, isUnpinned }];
      const isTool = facts === undefined ? toolNames.test(name) : mounts.includes("tools");
      return isTool || facts?.mcpProgram !== undefined ? [{ name, tools: null, isUnpinned }] : [];
    }),
  );
  return found.flat();
}

/** Matches packages that a plan mounts by a short name. */
const toolNames = /^(?:@toolmount\/tool-|toolmount-tool-)/;

/** Matches names that npm accepts, and no paths. */
const packageNames = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/;

async function nearestDependencies(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const manifest = await readManifest(join(folder, "package.json"));
  const above = dirname(folder);
  if (manifest === undefined) return above === folder ? {} : nearestDependencies(above);
  const sections = ["optionalDependencies", "devDependencies", "dependencies"].map((key) => manifest[key]);
  const all = Object.entries(Object.assign({}, ...sections.filter(isRecord)) as object);
  return Object.fromEntries(all.filter(([name]) => packageNames.test(name)));
}

/** Reads a `package.json`. Resolves to undefined if it does not exist, and to an empty object if it cannot be read. */
async function readManifest(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const facts = await stat(file).catch(() => undefined);
  if (facts === undefined) return undefined;
  if (!facts.isFile()) return {};
  try {
    const json: unknown = JSON.parse((await readFile(file, "utf8")).replace(/^\u{feff}/u, ""));
    return isRecord(json) ? json : {};
  } catch {
    return {};
  }
}
