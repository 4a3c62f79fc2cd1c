import { messageOf } from "@toolmount/core/errors";
import { realpathSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isToolmountError, ToolmountError, type Json } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";
import {
  brokenManifest,
  findPackage,
  readPackage,
  type ModuleManifest,
  type PackageFacts,
} from "./manifest.ts";
import { failToEnter, requireReadable } from "./refuse-entry.ts";
import { storeOf, type FetchedSource } from "./fetched-source.ts";
import { packageOf, type GivenModule, type GivenModules, type Source } from "./source.ts";
import { readSourceFiles, type SourceFiles } from "./source-files.ts";
import type { FoundSource, ModuleSourceResolver, SourceSchemes } from "./source-resolver.ts";

export interface Lookup {
  readonly folder: string;
  readonly given: GivenModules;
  /** Conditions for the exports of packages, in addition to `node` and `import`. */
  readonly conditions: readonly string[];
  readonly schemes?: SourceSchemes | undefined;
  readonly resolver?: ModuleSourceResolver | undefined;
}

export interface Asking {
  readonly module: string;
  /** The folder of the file that names the module. If the plan has several parts, it may differ from the plan's folder. */
  readonly folder: string;
  readonly source?: Json | undefined;
}

/** A module that was found but not imported. */
export interface Resolution {
  readonly name: string;
  readonly version?: string | undefined;
  /** The file to import; absent for a module that the application gave. */
  readonly path?: string | undefined;
  readonly given?: GivenModule | undefined;
  /** The file of a module that the application gave, for processes that must import it themselves. */
  readonly givenFile?: string | undefined;
  readonly manifest?: ModuleManifest | undefined;
  /** Version of the tool contract that its package declares. */
  readonly contract?: unknown;
  /** The name of the package's program, if the package is probably an MCP server. */
  readonly mcpProgram?: string | undefined;
  readonly files?: SourceFiles | undefined;
}

/** Asks the resolver, then searches from the naming file's folder, the plan's folder and the given modules. Fetches nothing. */
export async function resolveSource(source: Source, lookup: Lookup, asking?: Asking): Promise<Resolution> {
  if (source.kind === "built-in") return { name: source.written, given: source.module };
  const resolved = asking && (await askResolver(asking, lookup));
  if (resolved !== undefined) return resolved;
  switch (source.kind) {
    case "path":
      return (
        (await resolvePath(source.path, lookup)) ??
        resolveGiven(source.written, [source.written], [source.path], lookup)
      );
    case "fetched":
      return resolveFetched(source, lookup);
    case "custom":
      return resolveCustom(source, lookup, asking);
    case "package":
      return resolvePackage(source.written, source.names, lookup, asking);
    case "scheme":
    default:
      return resolvePackage(source.module, [source.module], lookup, asking);
  }
}

async function resolvePackage(
  written: string,
  names: readonly string[],
  lookup: Lookup,
  asking: Asking | undefined,
): Promise<Resolution> {
  const folders = [...new Set([asking?.folder ?? lookup.folder, lookup.folder])];
  for (const name of names)
    for (const folder of folders) {
      const facts = await findPackage(packageOf(name), folder);
      if (facts !== undefined) return fromPackage(name, facts, { ...lookup, folder });
      requireReadable(name, brokenManifest(packageOf(name), folder));
    }
  try {
    return resolveGiven(written, [written, ...names], names, lookup);
  } catch (error) {
    if (names.includes(written) || (await findPackage(written, lookup.folder)) === undefined) throw error;
    throw new ToolmountError("SOURCE_NOT_FOUND", { source: written, tried: names, installed: written });
  }
}

async function resolveFetched(
  { written, alias, entry = "" }: FetchedSource,
  lookup: Lookup,
): Promise<Resolution> {
  const store = storeOf(lookup.folder);
  const folder = join(store, "node_modules", alias);
  const facts = await readPackage(folder);
  if (facts !== undefined) return fromPackage(alias + entry, facts, { ...lookup, folder: store });
  return resolveGiven(written, [written], [folder], lookup);
}

async function askResolver({ module, source }: Asking, lookup: Lookup): Promise<Resolution | undefined> {
  if (lookup.resolver === undefined) return undefined;
  const path = await attempt(module, async () => (await lookup.resolver?.resolve(module, source))?.resolve());
  return path === undefined ? undefined : fromFound(module, { path }, lookup);
}

async function resolveCustom(
  { scheme, source, written }: Extract<Source, { kind: "custom" }>,
  lookup: Lookup,
  asking: Asking | undefined,
): Promise<Resolution> {
  const entry = { module: asking?.module ?? written, folder: asking?.folder ?? lookup.folder };
  const found = await attempt(written, async () => lookup.schemes?.[scheme]?.resolve(source, entry));
  if (found !== undefined) return fromFound(written, found, lookup);
  throw new ToolmountError("SOURCE_NOT_FOUND", { source: written, tried: [`the scheme ${scheme}`] });
}

async function fromFound(name: string, found: FoundSource, lookup: Lookup): Promise<Resolution> {
  if ("module" in found) return { name, given: found.module };
  const path = resolve(lookup.folder, found.path);
  const resolution = await resolvePath(path, lookup);
  if (resolution !== undefined) return resolution;
  throw new ToolmountError("SOURCE_NOT_FOUND", { source: name, tried: [path] });
}

/** Runs a resolver of the application. Its error `SOURCE_NOT_FOUND` becomes undefined. Other errors are thrown. */
async function attempt<Value>(module: string, work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work();
  } catch (cause) {
    if (isToolmountError(cause) && cause.code === "SOURCE_NOT_FOUND") return undefined;
    if (isToolmountError(cause)) throw cause;
    const problem = `its source was not resolved: ${messageOf(cause)}`;
    throw new ToolmountError("MODULE_IMPORT_FAILED", { module, problem }, { cause });
  }
}

function resolveGiven(
  source: string,
  names: readonly string[],
  tried: readonly string[],
  { given }: Lookup,
): Resolution {
  const name = names.find((candidate) => Object.hasOwn(given, candidate));
  if (name === undefined) throw new ToolmountError("SOURCE_NOT_FOUND", { source, tried });
  const module = given[name];
  const file = typeof module === "function" ? module.file?.() : undefined;
  return { name, given: module, givenFile: file === undefined ? undefined : fileURLToPath(file) };
}

async function fromPackage(name: string, facts: PackageFacts, lookup: Lookup): Promise<Resolution> {
  const isMain = packageOf(name) === name;
  const plain = isMain ? plainEntry(facts, lookup) : undefined;
  const path = plain ?? (await enterPackage(name, lookup.folder, lookup));
  if (path === undefined) return failToEnter(name, facts);
  const { version, manifest, mcpProgram } = facts;
  const contract = manifest?.contract;
  return { name, version, path, manifest: isMain ? manifest : undefined, contract, mcpProgram };
}

/** Finds the file that Node would import. With the condition `toolmount`, it can be a smaller one that only has `mount`. */
async function enterPackage(name: string, folder: string, lookup: Lookup): Promise<string | undefined> {
  const { resolveModulePath } = await import("exsolve");
  const conditions = conditionsOf(lookup);
  return resolveModulePath(name, { cache: false, conditions, from: `${folder}/`, try: true });
}

function conditionsOf({ conditions }: Lookup): string[] {
  return ["toolmount", ...conditions, "node", "import"];
}

/** Finds the file of {@link enterPackage} faster, if `exports` is one path or has one for each condition; otherwise undefined. */
function plainEntry({ folder, exports }: PackageFacts, lookup: Lookup): string | undefined {
  const main = isRecord(exports) && "." in exports ? exports["."] : exports;
  const condition = [...conditionsOf(lookup), "default"];
  const target = isRecord(main) ? Object.entries(main).find(([key]) => condition.includes(key))?.[1] : main;
  if (typeof target !== "string" || !plainTarget.test(target)) return undefined;
  const path = join(folder, target);
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? realpathSync.native(path) : undefined;
}

/** Matches paths in a package that Node resolves without special rules. */
const plainTarget = /^\.(?:\/(?!\.|node_modules)[\w.-]+)+$/;

async function resolvePath(path: string, lookup: Lookup): Promise<Resolution | undefined> {
  const kind = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ELOOP") return undefined;
    const problem = `the links at ${path} lead in a circle`;
    throw new ToolmountError("MODULE_IMPORT_FAILED", { module: path, problem });
  });
  if (kind === undefined) return undefined;
  if (!kind.isDirectory()) return fromFile(path, path, undefined);
  const facts = await readPackage(path);
  if (facts === undefined) requireReadable(path, brokenManifest(null, path));
  const entry = await findEntry(path, facts, lookup);
  if (entry !== undefined) return fromFile(facts?.name ?? path, entry, facts);
  if (facts !== undefined) return failToEnter(path, facts);
  throw new ToolmountError("SOURCE_NOT_FOUND", {
    source: path,
    tried: ["package.json", ...entryFiles].map((file) => join(path, file)),
  });
}

const entryFiles = ["index.ts", "index.tsx", "index.mjs", "index.js"];
const importable = new Set([".ts", ".mts", ".tsx", ".js", ".mjs", ".cjs", ".cts"]);

async function findEntry(
  folder: string,
  facts: PackageFacts | undefined,
  lookup: Lookup,
): Promise<string | undefined> {
  if (facts?.name !== undefined && facts.exports !== undefined) {
    // With `exports`, Node finds a package's entry by the package's own name.
    return enterPackage(facts.name, folder, lookup);
  }
  for (const file of facts?.main === undefined ? entryFiles : [facts.main, ...entryFiles]) {
    const path = join(folder, file);
    if ((await stat(path).catch(() => undefined))?.isFile()) return path;
  }
  return undefined;
}

/** Returns a hint for a Python file: tools in Python run as an MCP server, which FastMCP makes from functions. */
function pythonHint(path: string): string {
  if (extname(path) !== ".py") return "";
  return `; tools in Python are an MCP server, as FastMCP makes one in three lines: write source: { mcp: { command: python3, args: [${basename(path)}] } }`;
}

async function fromFile(name: string, path: string, facts: PackageFacts | undefined): Promise<Resolution> {
  // Only files are read, because reading a pipe or a device could wait forever.
  if (!importable.has(extname(path)) || !(await stat(path)).isFile()) {
    throw new ToolmountError("MODULE_INVALID", {
      module: name,
      problem: `a module is a file that ends with ${[...importable].join(", ")}${pythonHint(path)}`,
    });
  }
  const files = await readSourceFiles(path);
  const { version, manifest } = facts ?? {};
  return { name, version, path, manifest, contract: manifest?.contract, files };
}
