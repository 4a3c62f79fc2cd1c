import { existsSync, readFileSync, realpathSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonSchema, ToolInfo } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";

/** The facts of a tool that a manifest contains, which exclude its usage text. */
export const manifestFacts = [
  "name",
  "description",
  "summary",
  "question",
  "inputSchema",
  "outputSchema",
  "category",
  "consequenceLevel",
  "requiresConfirmation",
  "timeoutMs",
  "idempotent",
  "undoable",
  "idempotentUndo",
  "irreversible",
  "previews",
  "control",
  "content",
  "tags",
  "version",
] as const satisfies readonly (keyof ToolInfo)[];

/** One tool in a package's manifest, which lists the tool without running the package. */
export type ManifestTool = Pick<ToolInfo, "name" | "description"> &
  Partial<Pick<ToolInfo, (typeof manifestFacts)[number]>>;

/** The manifest of a package: the key `toolmount` of its `package.json`. */
export interface ModuleManifest {
  readonly type?: string;
  /** Version of the tool contract that the module was written for; absent for 1. Not checked here: see `refuseContract`. */
  readonly contract?: unknown;
  /** Points at which it mounts. Default `tools` for a module of type `tool`. */
  readonly mounts: readonly string[];
  /** Whether its set of tools is the same for every config. */
  readonly static: boolean;
  /** JSON Schema of its config. */
  readonly config?: JsonSchema;
  /** Capabilities it registers. */
  readonly provides: readonly string[];
  /** Capabilities that must be registered before it mounts. */
  readonly needs: readonly string[];
  /** Events on which it registers hooks; absent for none. */
  readonly hooks?: readonly string[];
  /** Members that it adds to the context of tools; absent for none. */
  readonly context?: readonly string[];
  /** Why it needs the host itself, such as "it reads …". Such a module cannot run behind a border. */
  readonly hostOnly?: string;
  readonly tools?: readonly ManifestTool[];
}

/** Why a module with `onSessionReady`, which is called when the plan is mounted, cannot run behind a border. */
export const waitsForPlan = "it exports onSessionReady";

/** The parts of a `package.json` that the loader reads. */
export interface PackageFacts {
  readonly folder: string;
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** The value of `exports` in `package.json`, not checked. */
  readonly exports: unknown;
  readonly main: string | undefined;
  readonly manifest: ModuleManifest | undefined;
  /** The program of a package that is probably an MCP server and has to be started rather than imported. */
  readonly mcpProgram?: string;
}

/** Finds an installed package from a folder and reads its `package.json`. No code of the package runs. */
export async function findPackage(name: string, folder: string): Promise<PackageFacts | undefined> {
  const file = locate(name, folder);
  return file === undefined ? undefined : readPackage(file.slice(0, -"/package.json".length));
}

function locate(name: string, folder: string): string | undefined {
  // Bun lacks this function.
  if ((findPackageJSON as typeof findPackageJSON | undefined) === undefined) return locateAbove(name, folder);
  try {
    return findPackageJSON(name, pathToFileURL(join(folder, "plan.js")));
  } catch {
    // Node refuses a broken package.json, but its path is needed to report it.
    return locateAbove(name, folder);
  }
}

function locateAbove(name: string, folder: string): string | undefined {
  const file = join(folder, "node_modules", name, "package.json");
  if (existsSync(file)) return realpathSync.native(file);
  const above = dirname(folder);
  return above === folder ? undefined : locateAbove(name, above);
}

/** Returns the path of a package's `package.json`, or of the folder's own, if it exists and cannot be read. */
export function brokenManifest(name: string | null, folder: string): string | undefined {
  const file = name === null ? join(folder, "package.json") : locate(name, folder);
  return file !== undefined && readNow(dirname(file)) === undefined ? file : undefined;
}

/** Reads the `package.json` of a folder; undefined when it is missing or cannot be read. */
export async function readPackage(folder: string): Promise<PackageFacts | undefined> {
  return readNow(folder) ?? undefined;
}

/** Reads the `package.json` of a folder at once: null if it does not exist, undefined if it cannot be read. */
export function readNow(folder: string): PackageFacts | null | undefined {
  try {
    const json: unknown = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8").replace(/^\ufeff/, ""),
    );
    return isRecord(json) ? readFacts(folder, json) : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? null : undefined;
  }
}

function readFacts(folder: string, json: Readonly<Record<string, unknown>>): PackageFacts {
  return {
    folder,
    name: readText(json["name"]),
    version: readText(json["version"]),
    exports: json["exports"] ?? undefined,
    main: readText(json["main"]),
    manifest: readManifest(json["toolmount"]),
    ...mcpProgram(json),
  };
}

/** Returns the program of a package that uses MCP's SDK or has `mcp` in its name, because many servers bundle the SDK. */
function mcpProgram({ name, bin, dependencies }: Readonly<Record<string, unknown>>) {
  const isNamed = typeof name === "string" && /\bmcp\b/.test(name);
  const usesMcp = Object.keys(isRecord(dependencies) ? dependencies : {}).some((key) =>
    key.startsWith("@modelcontextprotocol/"),
  );
  if (!usesMcp && !isNamed) return {};
  const own = typeof name === "string" ? name.split("/").at(-1) : undefined;
  const program = isRecord(bin) ? Object.keys(bin)[0] : typeof bin === "string" ? own : undefined;
  return program === undefined ? {} : { mcpProgram: program };
}

/** Reads a manifest. Members of a wrong type count as absent. */
export function readManifest(value: unknown): ModuleManifest | undefined {
  if (!isRecord(value)) return undefined;
  const { type, contract, config, tools, hostOnly } = value;
  return {
    ...(typeof type === "string" && { type }),
    ...(contract !== undefined && { contract }),
    mounts: value["mounts"] === undefined && type === "tool" ? ["tools"] : readTexts(value["mounts"]),
    static: value["static"] === true,
    ...(isRecord(config) && { config }),
    provides: readTexts(value["provides"]),
    needs: readTexts(value["needs"]),
    ...someTexts("hooks", value["hooks"]),
    ...someTexts("context", value["context"]),
    ...(typeof hostOnly === "string" && { hostOnly }),
    ...(Array.isArray(tools) && { tools: tools.filter(isTool) }),
  };
}

function isTool(value: unknown): value is ManifestTool {
  return isRecord(value) && typeof value["name"] === "string" && typeof value["description"] === "string";
}

export function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Reads a list of texts as a member `key`, which is absent if the list is empty. */
export function someTexts<Key extends string>(
  key: Key,
  value: unknown,
): Partial<Readonly<Record<Key, readonly string[]>>> {
  const texts = readTexts(value);
  return texts.length === 0 ? {} : ({ [key]: texts } as Readonly<Record<Key, readonly string[]>>);
}

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
