import { pathToFileURL } from "node:url";
import type { ImportPackage } from "@toolmount/core";
import { importModule } from "@toolmount/core/import";

/**
 * Creates a function that imports a package by its name, as Node would from `folder`. It returns null if the package is not
 * installed.
 */
export function createPackageImport(folder: string): ImportPackage {
  return async (name) => {
    const { resolveModulePath } = await import("exsolve");
    const path = resolveModulePath(name, { cache: false, from: `${folder}/`, try: true });
    return path === undefined ? null : importModule(pathToFileURL(path).href);
  };
}
