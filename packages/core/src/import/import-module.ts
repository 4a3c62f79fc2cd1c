import { acceptFile } from "./module-hooks.ts";

/**
 * Imports a module by its URL; nothing else in this repository imports a computed name. The file, and what it imports, may be
 * any TypeScript that `tsc` or a bundler accepts.
 */
export async function importModule(url: string): Promise<Readonly<Record<string, unknown>>> {
  acceptFile(url);
  return (await import(url)) as Readonly<Record<string, unknown>>;
}
