import type { Json } from "@toolmount/core";
import type { ModuleExports } from "./source.ts";

/** A module that was found: the path of its file or folder, or the module itself. */
export type FoundSource = { readonly path: string } | { readonly module: ModuleExports };

/**
 * Finds modules for a scheme that an application defines: `acme:weather` or `{ acme: { … } }` as the `source` of an entry. It
 * must fetch nothing, have no side effects, and return the same module for the same source.
 */
export interface SourceScheme {
  /**
   * Finds the module. Returns undefined, or throws `SOURCE_NOT_FOUND`, if there is no such module. Other errors are reported as
   * `MODULE_IMPORT_FAILED`.
   */
  resolve(
    source: Json,
    entry: { readonly module: string; readonly folder: string },
  ): Promise<FoundSource | undefined> | FoundSource | undefined;
}

/** Schemes by their name. */
export type SourceSchemes = Readonly<Record<string, SourceScheme>>;

/** A module whose folder `resolve` finds. Source: Amplifier's MODULE_SOURCE_PROTOCOL. */
export interface ModuleSource {
  resolve(): Promise<string> | string;
}

/**
 * An application's rule for where modules are. It gets the name of each module with the `source` of its entry, and is mounted at
 * `module-source-resolver`. If it returns undefined, or throws `SOURCE_NOT_FOUND`, the loader searches by itself. Other errors
 * are reported.
 */
export interface ModuleSourceResolver {
  resolve(moduleId: string, source?: Json): Promise<ModuleSource | undefined> | ModuleSource | undefined;
}
