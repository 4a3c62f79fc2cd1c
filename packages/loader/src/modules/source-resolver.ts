import type { Json } from "@toolmount/core";
import type { ModuleExports } from "./import.ts";

/** Where a module was found: a file or a folder, or the module itself. */
export type FoundSource = { readonly path: string } | { readonly module: ModuleExports };

/**
 * Finds modules of a scheme of your own: `acme:weather` or `{ acme: { … } }` as the `source` of an entry. Must have no
 * side effects and give the same answer to the same source; what has to be fetched is fetched before.
 */
export interface SourceScheme {
  /**
   * Finds the module. Undefined, or a throw of `SOURCE_NOT_FOUND`, when there is none; any other throw is told as
   * `MODULE_IMPORT_FAILED`.
   */
  resolve(
    source: Json,
    entry: { readonly module: string; readonly folder: string },
  ): Promise<FoundSource | undefined> | FoundSource | undefined;
}

/** Schemes by their name. */
export type SourceSchemes = Readonly<Record<string, SourceScheme>>;

/** A module's folder, found when it is asked for. Source: Amplifier's MODULE_SOURCE_PROTOCOL. */
export interface ModuleSource {
  resolve(): Promise<string> | string;
}

/**
 * Maps every module id, with the source its entry gives, to where it is; the policy of an application. Mounted at
 * `module-source-resolver`. Undefined, or a throw of `SOURCE_NOT_FOUND`, means that it does not know; the module is
 * then looked for as without a resolver. Other errors are told.
 */
export interface ModuleSourceResolver {
  resolve(moduleId: string, source?: Json): Promise<ModuleSource | undefined> | ModuleSource | undefined;
}
