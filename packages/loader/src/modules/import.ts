/** What a module exports, by name. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/** Imports a module by its URL: the one import of a computed name in this repository. */
export async function importModule(url: string): Promise<ModuleExports> {
  return (await import(url)) as ModuleExports;
}
