import { pathToFileURL } from "node:url";

/** Imports the module that the host resolved: a file. */
export async function importFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
}
