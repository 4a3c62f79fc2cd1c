import { createRequire } from "node:module";
import { sep } from "node:path";
import { pathToFileURL } from "node:url";
import { types } from "node:util";

/** What a module exports, by name. */
export type ModuleExports = Readonly<Record<string, unknown>>;

const require = createRequire(import.meta.url);

/** Imports a module by its URL: the one import of a computed name in this repository. */
export async function importModule(url: string): Promise<ModuleExports> {
  return (await import(url)) as ModuleExports;
}

/** Imports a file. One of an installed package is required, if it can be: that takes less time, and makes the same module. */
export async function importFileOf(path: string): Promise<ModuleExports> {
  if (path.includes(`${sep}node_modules${sep}`))
    try {
      const exports = require(path) as ModuleExports;
      if (types.isModuleNamespaceObject(exports) && !("__esModule" in exports)) return exports;
    } catch {
      // A module that waits can only be imported, and a failure is reported as an import has it.
    }
  return importModule(pathToFileURL(path).href);
}
