import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findPackage, type InspectedEntry } from "@toolmount/loader/commands";
import { isRecord } from "@toolmount/core/json";

/** A problem with the package of an entry that still lets the plan open. */
export interface PackageWarning {
  readonly entry: string;
  /**
   * `engine`: the package needs another version of Node. `peer`: a peer dependency is missing. `unused`: the entry offers no
   * tool.
   */
  readonly kind: "engine" | "peer" | "unused";
  readonly problem: string;
  readonly hint?: string;
}

/**
 * Examines the packages of a plan's entries: the required version of Node, the peer dependencies, and whether the entry offers
 * any tool.
 */
export async function examinePackages(
  entries: readonly InspectedEntry[],
  nodeVersion: string,
): Promise<readonly PackageWarning[]> {
  const warnings = await Promise.all(entries.map((entry) => examine(entry, nodeVersion)));
  return warnings.flat();
}

async function examine(entry: InspectedEntry, nodeVersion: string): Promise<PackageWarning[]> {
  const { id, path } = entry;
  const found = path === undefined ? undefined : await findOwnPackage(dirname(path));
  const ofPackage =
    found === undefined
      ? []
      : await Promise.all([examineEngine(id, found.json, nodeVersion), examinePeers(id, found)]);
  return [...examineTools(entry), ...ofPackage.flat()];
}

function examineTools({ id, tools }: InspectedEntry): PackageWarning[] {
  if (tools === null || tools.length === 0 || tools.some(({ name }) => name !== null)) return [];
  const hint = "remove the entry, or include a tool";
  return [{ entry: id, kind: "unused", problem: "the entry excludes all of its tools", hint }];
}

interface OwnPackage {
  readonly folder: string;
  readonly json: Readonly<Record<string, unknown>>;
}

async function findOwnPackage(folder: string): Promise<OwnPackage | undefined> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => undefined);
  const json: unknown = text === undefined ? undefined : JSON.parse(text);
  if (isRecord(json) && typeof json["name"] === "string") return { folder, json };
  return dirname(folder) === folder ? undefined : findOwnPackage(dirname(folder));
}

async function examineEngine(
  entry: string,
  { engines }: OwnPackage["json"],
  nodeVersion: string,
): Promise<PackageWarning[]> {
  const range = isRecord(engines) ? engines["node"] : undefined;
  if (typeof range !== "string") return [];
  const { default: semver } = await import("semver");
  if (semver.validRange(range) === null || semver.satisfies(nodeVersion, range)) return [];
  return [{ entry, kind: "engine", problem: `it needs Node ${range}; this is ${nodeVersion}` }];
}

async function examinePeers(entry: string, { folder, json }: OwnPackage): Promise<PackageWarning[]> {
  const { peerDependencies, peerDependenciesMeta } = json;
  const meta = isRecord(peerDependenciesMeta) ? peerDependenciesMeta : {};
  const isOptional = (name: string) => isRecord(meta[name]) && meta[name]["optional"] === true;
  const peers = Object.keys(isRecord(peerDependencies) ? peerDependencies : {});
  const warnings = peers.map(async (name): Promise<PackageWarning[]> => {
    if (isOptional(name) || (await findPackage(name, folder)) !== undefined) return [];
    const problem = `its peer ${name} is not installed`;
    return [{ entry, kind: "peer", problem, hint: `npm install ${name}` }];
  });
  return (await Promise.all(warnings)).flat();
}
