import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { InspectedEntry } from "./inspect.ts";
import { isRecord } from "../diagnostics/json.ts";
import { findPackage } from "../modules/manifest.ts";

/** What is doubtful about the package of an entry, beyond what keeps the plan from opening. */
export interface PackageDoubt {
  readonly entry: string;
  readonly kind: "engine" | "peer" | "unused";
  readonly problem: string;
  readonly hint?: string;
}

/** Looks at the packages of a plan's entries: engines that this Node is not, peers that are not there, entries of no use. */
export async function examineEntries(
  entries: readonly InspectedEntry[],
  nodeVersion: string,
): Promise<readonly PackageDoubt[]> {
  const doubts = await Promise.all(entries.map((entry) => examine(entry, nodeVersion)));
  return doubts.flat();
}

async function examine(entry: InspectedEntry, nodeVersion: string): Promise<PackageDoubt[]> {
  const { id, path, tools } = entry;
  const unused: PackageDoubt[] =
    tools !== null && tools.length > 0 && tools.every(({ name }) => name === null)
      ? [
          {
            entry: id,
            kind: "unused",
            problem: "every tool of it is left out",
            hint: "take the entry out, or include a tool",
          },
        ]
      : [];
  const found = path === undefined ? undefined : await findOwnPackage(dirname(path));
  if (found === undefined) return unused;
  const { folder, json } = found;
  return [...unused, ...examineEngine(id, json, nodeVersion), ...(await examinePeers(id, folder, json))];
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

function examineEngine(entry: string, { engines }: OwnPackage["json"], nodeVersion: string): PackageDoubt[] {
  const range = isRecord(engines) ? engines["node"] : undefined;
  if (typeof range !== "string" || satisfies(nodeVersion, range) !== false) return [];
  return [{ entry, kind: "engine", problem: `it wants Node ${range}; this is ${nodeVersion}` }];
}

/** Whether a version fits a range of `>=`, `^` and plain versions joined by `||`; undefined for other ranges. */
export function satisfies(version: string, range: string): boolean | undefined {
  const parts = range
    .split("||")
    .map((part) => /^\s*(>=|\^)?\s*v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.x)?\s*$/.exec(part));
  if (parts.some((part) => part === null)) return undefined;
  const [major = 0, minor = 0, patch = 0] = version.replace(/^v/, "").split(".").map(Number);
  return parts.some((part) => {
    const [, operator, ...numbers] = part!;
    const [wanted = 0, wantedMinor = 0, wantedPatch = 0] = numbers.map((number) => Number(number ?? 0));
    const isLater = major - wanted || minor - wantedMinor || patch - wantedPatch;
    return isLater >= 0 && (operator === ">=" || major === wanted);
  });
}

async function examinePeers(
  entry: string,
  folder: string,
  json: OwnPackage["json"],
): Promise<PackageDoubt[]> {
  const { peerDependencies, peerDependenciesMeta } = json;
  const meta = isRecord(peerDependenciesMeta) ? peerDependenciesMeta : {};
  const isOptional = (name: string) => isRecord(meta[name]) && meta[name]["optional"] === true;
  const peers = Object.keys(isRecord(peerDependencies) ? peerDependencies : {}).filter(
    (name) => !isOptional(name),
  );
  const missing = await Promise.all(
    peers.map(async (name) => ((await findPackage(name, folder)) === undefined ? [name] : [])),
  );
  return missing.flat().map((name) => ({
    entry,
    kind: "peer" as const,
    problem: `its peer ${name} is not there`,
    hint: `npm install ${name}`,
  }));
}
