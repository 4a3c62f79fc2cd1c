import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject, PlanPosition } from "@toolmount/core";
import { isToolmountError } from "@toolmount/core/errors";
import { lockFileOf } from "../plan/lock-file-name.ts";
import { findPlan } from "../plan/find-plan.ts";
import { isRecord } from "../diagnostics/json.ts";
import {
  findPackage,
  readNow,
  readPackage,
  readText,
  type ManifestTool,
  type PackageFacts,
} from "../modules/manifest.ts";
import { offeredName } from "../mount/offered-name.ts";
import { amplifierSections, isAmplifierPlan } from "../plan/amplifier.ts";
import { mergeParts } from "../plan/merge-parts.ts";
import { readParts } from "../plan/read-parts.ts";
import { entrySchema, planSchema } from "../plan/schema.ts";
import { sectionTable } from "../modules/section-table.ts";
import { findPosition, type Path, type PlanMap } from "../diagnostics/positions.ts";
import { readSource, type Source } from "../modules/source.ts";

/** One entry of a plan, as its package's manifest describes it. */
export interface ListedEntry {
  readonly id: string;
  readonly section: "tools" | "hooks";
  readonly specifier: string;
  readonly required: boolean;
  /** The installed package's name and version; undefined for a file, and for a package that is not installed. */
  readonly package: { readonly name: string; readonly version: string | undefined } | undefined;
  /** The tools under their offered names; null if they are not known without importing the module. */
  readonly tools: readonly ManifestTool[] | null;
  readonly position: PlanPosition | undefined;
}

/** The modules and tools of a plan, as far as manifests describe them. */
export interface PlanListing {
  readonly file: string;
  readonly name: string | undefined;
  readonly entries: readonly ListedEntry[];
  /** Whether a key or an entry does not have the form of a plan. Only the full check can say what is wrong. */
  readonly isDoubtful: boolean;
  /** Whether the plan has rules about calls. */
  readonly hasPolicy: boolean;
  /** Whether the plan has a lock file. */
  readonly isLocked: boolean;
}

/**
 * Lists what a plan mounts, only from manifests. It imports no module and reads no variable, and checks only the keys of the
 * plan. This entry of the package loads only the code that this needs.
 *
 * Throws `PLAN_NOT_FOUND`, and `PLAN_INVALID` for a file that is not a plan.
 */
export async function listPlan(
  path: string | URL | undefined,
  { cwd, overlays }: { readonly cwd: string; readonly overlays?: readonly string[] | undefined },
): Promise<PlanListing> {
  const file = await findPlan(path, cwd);
  const { value, map } = mergeParts(await readParts(file, { cwd, overlays }));
  const folder = dirname(file);
  const find = createPackageFinder(folder);
  const listing = { folder, map, find };
  const sections = (["tools", "hooks"] as const).map((section) =>
    listSection(section, value[section], listing),
  );
  const name = typeof value["name"] === "string" ? value["name"] : undefined;
  return {
    file,
    name,
    entries: (await Promise.all(sections)).flat(),
    isDoubtful: isDoubtful(value),
    hasPolicy: value["policy"] !== undefined,
    isLocked: existsSync(lockFileOf(file, overlays)),
  };
}

const planKeys = Object.keys(planSchema.shape);
const entryKeys = Object.keys(entrySchema.shape);
const sectionKeys = sectionTable.map(({ section }) => section);
const ownKeys = [...planKeys, ...sectionKeys, "extends"].filter((key) => !amplifierSections.includes(key));

/** Tests whether a plan has an unknown key, or `tools` or `hooks` of the wrong shape. Other sections are not checked. */
function isDoubtful(plan: Readonly<Record<string, unknown>>): boolean {
  const amplifier = isAmplifierPlan(plan as JsonObject);
  const allKeys = amplifier ? [...ownKeys, ...amplifierSections] : ownKeys;
  const isKnown = (keys: readonly string[]) => (key: string) => keys.includes(key) || key.startsWith("x-");
  const isEntry = (entry: unknown) =>
    isRecord(entry) &&
    (isCommand(entry) ||
      (typeof entry["module"] === "string" &&
        Object.keys(entry).every(isKnown(amplifier ? [...entryKeys, "instance_id"] : entryKeys))));
  const isList = (value: unknown) => value === undefined || (Array.isArray(value) && value.every(isEntry));
  return !Object.keys(plan).every(isKnown(allKeys)) || !isList(plan["tools"]) || !isList(plan["hooks"]);
}

function isCommand(entry: unknown): boolean {
  return isRecord(entry) && entry["command"] !== undefined && entry["module"] === undefined;
}

interface Listing {
  readonly folder: string;
  readonly map: PlanMap;
  readonly find: PackageFinder;
}

function listSection(section: "tools" | "hooks", value: unknown, listing: Listing): Promise<ListedEntry[]> {
  const written = Array.isArray(value) ? (value as unknown[]) : [];
  // Commands in `hooks` have no tools to list.
  const isListed = (entry: unknown) => section !== "hooks" || !isCommand(entry);
  return Promise.all(
    written.flatMap((entry, index) =>
      isListed(entry) ? [listEntry(section, entry, [section, index], listing)] : [],
    ),
  );
}

async function listEntry(
  section: "tools" | "hooks",
  entry: unknown,
  path: Path,
  { folder, map, find }: Listing,
): Promise<ListedEntry> {
  const fields = isRecord(entry) ? entry : {};
  const specifier = [fields["source"], fields["module"]].find((field) => typeof field === "string") ?? "";
  const facts = await findFacts(fields, folder, find);
  return {
    id: readText(fields["id"]) ?? readText(fields["module"]) ?? "",
    section,
    specifier,
    required: fields["required"] !== false,
    package: facts?.name === undefined ? undefined : { name: facts.name, version: facts.version },
    tools: listTools(facts, fields),
    position: findPosition(map, path),
  };
}

async function findFacts(
  fields: Readonly<Record<string, unknown>>,
  folder: string,
  find: PackageFinder,
): Promise<PackageFacts | undefined> {
  const source = trySource(fields, folder);
  if (source?.kind === "path") return readPackage(source.path);
  if (source?.kind !== "package") return undefined;
  for (const name of source.names) {
    const facts = await find(name);
    if (facts !== undefined) return facts;
  }
  return undefined;
}

function trySource(fields: Readonly<Record<string, unknown>>, folder: string): Source | undefined {
  try {
    return readSource({ module: readText(fields["module"]) ?? "", source: fields["source"] }, folder);
  } catch (error) {
    if (isToolmountError(error)) return undefined;
    throw error;
  }
}

function listTools(
  facts: PackageFacts | undefined,
  fields: Readonly<Record<string, unknown>>,
): ManifestTool[] | null {
  const { tools, mounts } = facts?.manifest ?? {};
  // If the manifest says that the module mounts tools but lists none, the module's config decides which tools there are.
  if (tools === undefined || (tools.length === 0 && mounts?.includes("tools") === true)) return null;
  return tools.flatMap((tool) => {
    const name = offeredName({ tools: fields["tools"], prefix: fields["prefix"] }, tool);
    return name === null ? [] : [{ ...described(tool, fields["tools"]), name }];
  });
}

/**
 * Returns a tool with the plan's description, if there is one. The author's summary is then left out, because it fits only the
 * author's description.
 */
function described(tool: ManifestTool, overrides: unknown): ManifestTool {
  const own = isRecord(overrides) ? overrides[tool.name] : undefined;
  const description = isRecord(own) ? readText(own["description"]) : undefined;
  if (description === undefined) return tool;
  const { summary: _, ...rest } = tool;
  return { ...rest, description };
}

type PackageFinder = (name: string) => Promise<PackageFacts | undefined> | PackageFacts | undefined;

/**
 * Returns a fast finder of packages for one folder. It reads `node_modules` itself. It asks Node only for packages that it does
 * not find there, and for the package that contains the folder.
 */
function createPackageFinder(folder: string): PackageFinder {
  const folders = [...ancestorsOf(folder)];
  const roots = folders.map((path) => join(path, "node_modules")).filter(isFolder);
  const own = folders.map((path) => readNow(path)).find((facts) => facts !== null)?.name;
  return (name) => {
    if (name === own) return findPackage(name, folder);
    for (const root of roots) {
      const facts = readNow(join(root, name));
      if (facts !== null) return facts;
    }
    return findPackage(name, folder);
  };
}

function* ancestorsOf(folder: string): Iterable<string> {
  yield folder;
  const above = dirname(folder);
  if (above !== folder) yield* ancestorsOf(above);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
