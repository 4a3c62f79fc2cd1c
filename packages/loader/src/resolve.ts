import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { ToolmountError } from "@toolmount/core";
import type { ModuleExports } from "./import.ts";
import { findPackage, readPackage, type ModuleManifest, type PackageFacts } from "./manifest.ts";
import type { Source } from "./source.ts";

/** A module that code handed over, or a function that imports it when it is needed. */
export type GivenModule = ModuleExports | (() => Promise<ModuleExports> | ModuleExports);

/** Modules in memory, by the name a plan gives them. */
export type GivenModules = Readonly<Record<string, GivenModule>>;

/** Where modules are looked for. */
export interface Lookup {
  /** The plan's folder. */
  readonly folder: string;
  readonly given: GivenModules;
  /** Conditions of package exports, besides `node` and `import`. */
  readonly conditions: readonly string[];
}

/** A module that was found, and not yet imported. */
export interface Resolution {
  /** Its package's name, or its path. */
  readonly name: string;
  readonly version: string | undefined;
  /** The file to import; absent for a module in memory. */
  readonly path: string | undefined;
  readonly given: GivenModule | undefined;
  readonly manifest: ModuleManifest | undefined;
  /** SHA-256 of a file that may change while the process runs; undefined for packages and modules in memory. */
  readonly contentHash: string | undefined;
  /** When that file was written, in milliseconds since the epoch. */
  readonly changedAt?: number;
}

/** Finds the module of a source: from the plan's folder, then among the given ones. Throws `SOURCE_NOT_FOUND`. */
export async function resolveSource(source: Source, lookup: Lookup): Promise<Resolution> {
  if (source.kind === "path") {
    const found = await resolvePath(source.path, lookup);
    return found ?? resolveGiven(source.written, [source.written], [source.path], lookup);
  }
  const names = source.kind === "package" ? source.names : [source.module];
  const written = source.kind === "package" ? source.written : source.module;
  for (const name of names) {
    const facts = await findPackage(name, lookup.folder);
    if (facts !== undefined) return fromPackage(name, facts, lookup);
  }
  return resolveGiven(written, [written, ...names], names, lookup);
}

function resolveGiven(
  source: string,
  names: readonly string[],
  tried: readonly string[],
  { given }: Lookup,
): Resolution {
  const name = names.find((candidate) => Object.hasOwn(given, candidate));
  if (name === undefined) throw new ToolmountError("SOURCE_NOT_FOUND", { source, tried });
  return {
    name,
    version: undefined,
    path: undefined,
    given: given[name],
    manifest: undefined,
    contentHash: undefined,
  };
}

async function fromPackage(name: string, facts: PackageFacts, lookup: Lookup): Promise<Resolution> {
  const path = await enterPackage(name, lookup.folder, lookup);
  if (path === undefined) return failToEnter(name, facts);
  return {
    name,
    version: facts.version,
    path,
    given: undefined,
    manifest: facts.manifest,
    contentHash: undefined,
  };
}

/** The file that Node would import for a package's name, from a folder. */
async function enterPackage(name: string, folder: string, lookup: Lookup): Promise<string | undefined> {
  const { resolveModulePath } = await import("exsolve");
  const conditions = [...lookup.conditions, "node", "import"];
  return resolveModulePath(name, { cache: false, conditions, from: `${folder}/`, try: true });
}

/** Found, but not to be entered: an error of another kind than not found. */
function failToEnter(module: string, { folder }: PackageFacts): never {
  const problem = `its package.json in ${folder} names no file that is there; it may have to be built`;
  throw new ToolmountError("MODULE_IMPORT_FAILED", { module, problem });
}

async function resolvePath(path: string, lookup: Lookup): Promise<Resolution | undefined> {
  const kind = await stat(path).catch(() => undefined);
  if (kind === undefined) return undefined;
  if (!kind.isDirectory()) return fromFile(path, path, undefined);
  const facts = await readPackage(path);
  const entry = await findEntry(path, facts, lookup);
  if (entry !== undefined) return fromFile(facts?.name ?? path, entry, facts);
  if (facts !== undefined) return failToEnter(path, facts);
  throw new ToolmountError("SOURCE_NOT_FOUND", {
    source: path,
    tried: ["package.json", ...entryFiles].map((file) => join(path, file)),
  });
}

const entryFiles = ["index.ts", "index.mjs", "index.js"];
const importable = new Set([".ts", ".mts", ".js", ".mjs", ".cjs", ".cts"]);

/** The entry of a folder: what its package says, else an index file. */
async function findEntry(
  folder: string,
  facts: PackageFacts | undefined,
  lookup: Lookup,
): Promise<string | undefined> {
  if (facts?.name !== undefined && facts.hasExports) {
    // Exports are entered as Node does it: a package may name itself.
    return enterPackage(facts.name, folder, lookup);
  }
  for (const file of facts?.main === undefined ? entryFiles : [facts.main, ...entryFiles]) {
    const path = join(folder, file);
    if ((await stat(path).catch(() => undefined))?.isFile()) return path;
  }
  return undefined;
}

async function fromFile(name: string, path: string, facts: PackageFacts | undefined): Promise<Resolution> {
  if (!importable.has(extname(path))) {
    throw new ToolmountError("MODULE_INVALID", {
      module: name,
      problem: `a module is a file of ${[...importable].join(", ")}`,
    });
  }
  const contentHash = createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
  const { mtimeMs } = await stat(path);
  const { version, manifest } = facts ?? {};
  return { name, version, path, given: undefined, manifest, contentHash, changedAt: mtimeMs };
}
