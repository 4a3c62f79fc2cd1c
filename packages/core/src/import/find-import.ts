import { realpathSync } from "node:fs";
import { dirname, extname, isAbsolute, resolve } from "node:path";
import { isFile } from "./nearest-file.ts";
import { findTsconfig } from "./tsconfig.ts";

const typeScript = new Set([".ts", ".mts", ".cts", ".tsx"]);

/** Whether a path has an extension of TypeScript. */
export function isTypeScript(path: string): boolean {
  return typeScript.has(extname(path));
}

/**
 * Finds the file that `importer` imports by a path or by the `paths` of its project. Returns its real path; undefined for a
 * package and for a file that does not exist. As in Node, a file with exactly the imported name is preferred.
 */
export function findImport(specifier: string, importer: string): string | undefined {
  if (/^\.{1,2}(?:\/|$)/.test(specifier)) return findFile(resolve(dirname(importer), specifier), importer);
  if (isAbsolute(specifier)) return findFile(specifier, importer);
  if (!isTypeScript(importer)) return undefined;
  const targets = findTsconfig(importer)?.targetsOf(specifier) ?? [];
  for (const target of targets) {
    const path = findFile(target, importer);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** The extensions of sources by the extension that an import names: `tsc` compiles the former to the latter. */
const sources: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".jsx": [".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};

function findFile(path: string, importer: string): string | undefined {
  const ending = extname(path);
  const bare = path.slice(0, path.length - ending.length);
  const written = isTypeScript(importer) ? (sources[ending] ?? []) : [];
  const endings = isTypeScript(importer) ? [".ts", ".tsx", ...scripts] : scripts;
  const candidates = [
    path,
    ...written.map((each) => bare + each),
    ...endings.map((each) => path + each),
    ...endings.map((each) => `${path}/index${each}`),
  ];
  const found = candidates.find(isFile);
  return found === undefined ? undefined : realpathSync.native(found);
}

/** Extensions that an import in CommonJS may leave out. */
const scripts = [".js", ".cjs", ".json"];
