import { existsSync, readFileSync, realpathSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonSchema, ToolInfo } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";

/** The members of a tool that a manifest contains. `usage` is not one of them, because it can be long. */
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

/** A tool in a package's manifest, which describes the tool so that the package need not run. */
export type ManifestTool = Pick<ToolInfo, "name" | "description"> &
  Partial<Pick<ToolInfo, (typeof manifestFacts)[number]>>;

/** The manifest of a package: the key `toolmount` of its `package.json`. */
export interface ModuleManifest {
  readonly type?: string;
  /**
   * Version of the tool contract for which the module was written; absent means 1. `refuseContract` checks it, and not this
   * reader.
   */
  readonly contract?: unknown;
  /** Points at which it mounts. Default `tools` for a module of type `tool`. */
  readonly mounts: readonly string[];
  /** Whether the module mounts the same tools with every config. */
  readonly static: boolean;
  /** JSON Schema of the module's config. */
  readonly config?: JsonSchema;
  /** Capabilities that the module registers. */
  readonly provides: readonly string[];
  /** Capabilities that must be registered before the module is mounted. */
  readonly needs: readonly string[];
  /** Events for which the module registers hooks; absent if it registers none. */
  readonly hooks?: readonly string[];
  /** Members that the module adds to the context of tools; absent if it adds none. */
  readonly context?: readonly string[];
  /** Why the module needs the host itself, such as "it reads …". Such a module cannot run behind a border. */
  readonly hostOnly?: string;
  readonly tools?: readonly ManifestTool[];
}

/**
 * Why a module that exports `onSessionReady` cannot run behind a border: this function is called in the host when the plan is
 * mounted.
 */
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
  /** The name of a program in the package, which is probably an MCP server that must be started rather than imported. */
  readonly mcpProgram?: string;
}

/**
 * Finds the package that code in a folder would import, and reads its `package.json`. Returns undefined if the package is not
 * installed. No code of the package runs.
 */
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
    // Node refuses a broken package.json, but an error must name its path.
    return locateAbove(name, folder);
  }
}

function locateAbove(name: string, folder: string): string | undefined {
  const file = join(folder, "node_modules", name, "package.json");
  if (existsSync(file)) return realpathSync.native(file);
  const above = dirname(folder);
  return above === folder ? undefined : locateAbove(name, above);
}

/**
 * Returns the path of a `package.json` that exists but cannot be read: that of the package `name` or, for null, of the folder
 * itself. Otherwise undefined.
 */
export function brokenManifest(name: string | null, folder: string): string | undefined {
  const file = name === null ? join(folder, "package.json") : locate(name, folder);
  return file !== undefined && readNow(dirname(file)) === undefined ? file : undefined;
}

/** Reads the `package.json` of a folder; undefined if it is missing or cannot be read. */
export async function readPackage(folder: string): Promise<PackageFacts | undefined> {
  return readNow(folder) ?? undefined;
}

/** Reads the `package.json` of a folder synchronously. Null if it does not exist, and undefined if it cannot be read. */
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

/**
 * Returns the program of a package that is probably an MCP server: it depends on MCP's SDK, or has `mcp` in its name, because
 * many servers bundle the SDK.
 */
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

/** Reads a list of texts into a member `key`. The result has no member if the list is empty. */
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
