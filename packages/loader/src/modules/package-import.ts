import { pathToFileURL } from "node:url";
import type { ImportPackage } from "@toolmount/core";
import { importModule } from "@toolmount/core/import";

/** Imports packages by name from a folder, as Node would there. Null for a package that is not installed. */
export function createPackageImport(folder: string): ImportPackage {
  return async (name) => {
    const { resolveModulePath } = await import("exsolve");
    const path = resolveModulePath(name, { cache: false, from: `${folder}/`, try: true });
    return path === undefined ? null : importModule(pathToFileURL(path).href);
  };
}
