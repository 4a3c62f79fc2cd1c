import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { extname, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { compileTypeScript } from "./compile.ts";
import { findImport, isTypeScript } from "./find-import.ts";
import { nearestFile } from "./nearest-file.ts";
import { maskText, needsCompiler } from "./needs-compiler.ts";

// Node has one set of hooks for all modules of a process. These hooks act only on files that a host imported as modules,
// and on the files outside of `node_modules` that such a file imports.

/** Paths of the files of modules. */
const files = new Set<string>();

/** Maps a file's path to the query that is added to its URL, so that Node reads the file again; empty if the plain URL can be used. */
const queries = new Map<string, string>();

let isHooked = false;

/** Applies the rules of TypeScript to the file at `url` and to what it imports. URLs of other kinds are left alone. */
export function acceptFile(url: string): void {
  if (!url.startsWith("file:") || !accept(url) || isHooked) return;
  isHooked = true;
  if (hasHooks()) registerHooks({ resolve, load });
}

/** Bun has no hooks; it reads TypeScript and JSON by itself. */
function hasHooks(): boolean {
  return (registerHooks as unknown) !== undefined;
}

/** Sets the query with which the files of modules import a file from now on; empty for the plain URL. */
export function setImportQuery(path: string, query: string): void {
  queries.set(path, query);
}

function accept(url: string): boolean {
  const path = fileURLToPath(url);
  if (path.includes(`${sep}node_modules${sep}`) && !queries.has(path)) return false;
  files.add(path);
  return true;
}

type Hooks = Parameters<typeof registerHooks>[0];

const resolve: NonNullable<Hooks["resolve"]> = (specifier, context, next) => {
  const importer = importerOf(context.parentURL);
  if (importer === undefined) return next(specifier, context);
  const resolved = resolveFrom(importer, specifier, () => next(specifier, context));
  if (!resolved.url.startsWith("file:") || !accept(resolved.url)) return resolved;
  const isImport = context.conditions.includes("import");
  return {
    ...resolved,
    url: isImport ? withQuery(resolved.url) : resolved.url,
    // `tsc` and bundlers accept imports of JSON without an attribute.
    ...(isImport && isJson(resolved.url) && { importAttributes: { type: "json" } }),
  };
};

/** Returns the path of the importing file if it belongs to a module; undefined for any other importer. */
function importerOf(url: string | undefined): string | undefined {
  if (url === undefined || !url.startsWith("file:")) return undefined;
  const path = fileURLToPath(url);
  return files.has(path) ? path : undefined;
}

type Resolved = ReturnType<Parameters<NonNullable<Hooks["resolve"]>>[2]>;

/** Resolves an import by the project's `paths`, or else as Node does, or else as `tsc` does. */
function resolveFrom(importer: string, specifier: string, asNode: () => Resolved): Resolved {
  const isRelative = /^\.{0,2}\//.test(specifier);
  const mapped = isRelative ? undefined : findImport(specifier, importer);
  if (mapped !== undefined) return found(mapped);
  try {
    return asNode();
  } catch (error) {
    const path = isRelative ? findImport(specifier, importer) : undefined;
    if (path === undefined) throw error;
    return found(path);
  }
}

function found(path: string): Resolved {
  return { url: pathToFileURL(path).href, shortCircuit: true };
}

function withQuery(url: string): string {
  return url.includes("?") ? url : `${url}${queries.get(fileURLToPath(url)) ?? ""}`;
}

function isJson(url: string): boolean {
  return /\.json(?:\?|$)/.test(url);
}

const load: NonNullable<Hooks["load"]> = (url, context, next) => {
  const path = importerOf(url);
  if (path === undefined || !isTypeScript(path)) return next(url, context);
  const text = readFileSync(path, "utf8");
  if (!needsCompiler(text, extname(path))) return next(url, context);
  return { format: formatOf(path, text), source: compileTypeScript(path, text), shortCircuit: true };
};

/** Returns the format of a TypeScript file. As in Node, its extension, its package or its statements decide. */
function formatOf(path: string, text: string): "module" | "commonjs" {
  const ending = extname(path);
  if (ending === ".mts") return "module";
  if (ending === ".cts") return "commonjs";
  const type = typeOfPackage(path);
  if (type === "module" || type === "commonjs") return type;
  return /^\s*(?:import|export)\b(?!\s*=)/m.test(maskText(text)) ? "module" : "commonjs";
}

function typeOfPackage(path: string): unknown {
  const file = nearestFile("package.json", path);
  return file === undefined ? undefined : (JSON.parse(readFileSync(file, "utf8")) as { type?: unknown }).type;
}
