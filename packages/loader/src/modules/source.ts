import { isBuiltin } from "node:module";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Json, JsonObject } from "@toolmount/core";
import { ToolmountError } from "@toolmount/core/errors";
import { nameOfRepository, readGit, readNpmRange, type FetchedSource } from "./fetched-source.ts";
import { isRecord } from "../diagnostics/json.ts";
import { schemeTable } from "./section-table.ts";

/** What a module exports, by name. */
export type ModuleExports = Readonly<Record<string, unknown>>;

export type Source =
  /** An installed package, with the names to try in order. A name may end with the path of one of the package's entries. */
  | { readonly kind: "package"; readonly written: string; readonly names: readonly string[] }
  /** A file or a folder. */
  | { readonly kind: "path"; readonly written: string; readonly path: string }
  /** A source that is a map, and the module that mounts it. */
  | {
      readonly kind: "scheme";
      readonly scheme: string;
      readonly module: string;
      readonly settings: JsonObject;
    }
  | FetchedSource
  /** A source with a scheme that the application defines. */
  | { readonly kind: "custom"; readonly written: string; readonly scheme: string; readonly source: Json }
  /** A module that is part of the loader. */
  | { readonly kind: "built-in"; readonly written: string; readonly module: ModuleExports };

/** Reads an entry's `source` or, without one, its `module`. Throws `SOURCE_REFUSED` for code that must never be imported. */
export function readSource(
  { module, source }: { module: string; source?: unknown },
  folder: string,
  schemes: readonly string[] = [],
): Source {
  if (isRecord(source)) return readScheme(module, source, schemes);
  const written = typeof source === "string" ? source : module;
  if (isPath(written)) return { kind: "path", written, path: resolve(folder, written) };
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(written)?.[1]?.toLowerCase();
  if (scheme === undefined) return readName(written);
  if (schemes.includes(scheme))
    return { kind: "custom", written, scheme, source: written.slice(scheme.length + 1) };
  return readUrl(written, scheme, folder);
}

/** Tests whether a source begins with `npm:` or `git+`. */
export function isRemote(source: unknown): source is string {
  return typeof source === "string" && /^(?:npm:|git\+)/.test(source);
}

/** A package that `npm:…` or `git+…` names, with the path of one of its entries. */
export interface RemotePackage {
  readonly name: string;
  /** The path of the entry, such as `/tools/calculator`; empty for the main entry. */
  readonly entry: string;
  /** Whether the source decides which version is used: by a range, or because it is a repository. */
  readonly hasVersion: boolean;
}

/** Reads the package that `npm:…` or `git+…` names. Throws `SOURCE_REFUSED`. */
export function readRemote(written: string): RemotePackage {
  const source = readSource({ module: written }, "");
  if (source.kind === "fetched") {
    const { from, entry = "" } = source;
    return { name: from.kind === "npm" ? from.name : nameOfRepository(from), entry, hasVersion: true };
  }
  const [module = written] = source.kind === "package" ? source.names : [];
  const name = packageOf(module);
  return { name, entry: module.slice(name.length), hasVersion: false };
}

function isPath(written: string): boolean {
  return /^\.{1,2}(?:[/\\]|$)/.test(written) || isAbsolute(written);
}

function readUrl(written: string, scheme: string, folder: string): Source {
  if (scheme === "npm") return readNpm(written, written.slice("npm:".length));
  if (scheme === "file") return { kind: "path", written, path: readFileUrl(written, folder) };
  if (refusedSchemes.has(scheme))
    return refuse(written, `a plan cannot import ${scheme}: modules; name a package or a file`);
  if (scheme.startsWith("git+") || scheme === "git") return readGit(written);
  return refuse(written, `the scheme ${scheme}: is unknown; write npm:, file:, git+https: or a path`);
}

/** Schemes of code from the network, of code in the plan itself, and of Node's own modules. */
const refusedSchemes = new Set(["http", "https", "data", "node", "blob", "javascript"]);

function readFileUrl(written: string, folder: string): string {
  const rest = written.slice("file:".length);
  if (!rest.startsWith("/")) return resolve(folder, rest);
  try {
    return fileURLToPath(written);
  } catch {
    return refuse(written, "this file: URL is not a path on this machine");
  }
}

/** Longest package name that the npm registry accepts, with its scope. */
const maxName = 214;
const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;
/** Matches a package's name and the path of one of its entries, such as `/tools/calculator`. */
const packageEntry = /^((?:@[^/]+\/)?[^/]+)((?:\/[\w-][\w.-]*)*)$/;

function readNpm(written: string, rest: string): Source {
  const at = rest.indexOf("@", 1);
  const name = at === -1 ? rest : rest.slice(0, at);
  requireEntry(written, name);
  if (isBuiltin(name)) return refuse(written, "this is one of Node's own modules");
  if (at === -1) return { kind: "package", written, names: [name] };
  requireName(written, name);
  const [range = "", ...path] = rest.slice(at + 1).split("/");
  requireEntry(written, [name, ...path].join("/"));
  return readNpmRange(written, name, range, path.map((part) => `/${part}`).join(""));
}

/**
 * Reads a package's name. A name without a scope, with or without `tool-`, is short for `@toolmount/tool-<name>` or, if that is
 * not installed, `toolmount-tool-<name>`.
 */
function readName(written: string): Source {
  if (written.startsWith("@")) requireEntry(written, written);
  else requireName(written, written);
  const short = written.replace(/^tool-(?=.)/, "");
  const names = written.startsWith("@") ? [written] : [`@toolmount/tool-${short}`, `toolmount-tool-${short}`];
  return { kind: "package", written, names };
}

function requireEntry(written: string, entry: string): void {
  const [, name = ""] = packageEntry.exec(entry) ?? [];
  requireName(written, name);
}

/** Returns the package's name from a name with the path of an entry. */
export function packageOf(entry: string): string {
  return packageEntry.exec(entry)?.[1] ?? entry;
}

function requireName(written: string, name: string): void {
  if (name.length > maxName || !packageName.test(name))
    refuse(
      written,
      written.startsWith("npm:")
        ? "npm: is followed by a package and its version, such as npm:@acme/tools@^1"
        : "this is neither the name of a package nor a path",
    );
}

function readScheme(
  label: string,
  source: Readonly<Record<string, unknown>>,
  schemes: readonly string[],
): Source {
  const [scheme = "", ...others] = Object.keys(source);
  if (others.length === 0 && schemes.includes(scheme))
    return { kind: "custom", written: label, scheme, source: source[scheme] as Json };
  const module = Object.hasOwn(schemeTable, scheme) ? schemeTable[scheme] : undefined;
  const known = [...Object.keys(schemeTable), ...schemes].join(", ");
  if (module === undefined || others.length > 0 || !isRecord(source[scheme]))
    return refuse(
      label,
      `a source that is a map has one key, and its value is a map; the keys are: ${known}`,
    );
  return { kind: "scheme", scheme, module, settings: source[scheme] as JsonObject };
}

function refuse(source: string, problem: string): never {
  throw new ToolmountError("SOURCE_REFUSED", { source: show(source), problem });
}

function show(written: string): string {
  return written.length > 200 ? `${written.slice(0, 200)}…` : written;
}

/** A module that the application gives, or a function that imports the module when a plan needs it. */
export type GivenModule =
  | ModuleExports
  | ((() => Promise<ModuleExports> | ModuleExports) & {
      /** Returns the URL of the file that the function imports, for calls that run in other processes. */
      readonly file?: (() => string) | undefined;
    });

/** Modules that the application gives, by the name that a plan uses for them. */
export type GivenModules = Readonly<Record<string, GivenModule>>;
