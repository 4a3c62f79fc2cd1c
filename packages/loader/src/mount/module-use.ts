import type { JsonObject, Limits } from "@toolmount/core";
import type { Path } from "../diagnostics/positions.ts";
import type { Problem } from "../diagnostics/problems.ts";
import type { Source } from "../modules/source.ts";
import type { PlanEntry } from "../plan/check-entries.ts";

export interface ModuleUse {
  readonly id: string;
  /** The section of the plan that names the module; `needs` if a mounted module asked for it. */
  readonly section: string;
  readonly specifier: string;
  readonly source: Source;
  /** The folder of the file that names the module; absent if no file does. */
  readonly folder?: string | undefined;
  /** For a module of Amplifier: why it cannot be used here, and what the plan's author can do. */
  readonly foreignHint?: string | undefined;
  /** Whether the plan has Amplifier's format, so that its modules expect Amplifier's coordinator. */
  readonly inAmplifierPlan: boolean;
  readonly required: boolean;
  readonly config: JsonObject;
  /** The entry of the plan that names the module and chooses its tools; null if no entry does. */
  readonly entry: PlanEntry | null;
  readonly limits: Limits;
  readonly runner?: string | undefined;
  /**
   * The part of the plan that needs the module, if no entry names it. `EXTENSION_MISSING` then names this part if the module is
   * not installed.
   */
  readonly neededFor?: string | undefined;
  readonly path: Path;
  readonly configPath: Path;
  /** Members of the config that are sections of the plan themselves, such as `state`. */
  readonly memberSections?: readonly string[] | undefined;
  /** Problems of an optional entry, such as a missing variable, because of which its module is not searched. */
  readonly broken: readonly Problem[];
}

/** Returns the path in the plan for a path in a module's config. */
export function pathInPlan({ configPath, memberSections = [] }: ModuleUse, path: Path): Path {
  return memberSections.includes(String(path[0])) ? path : [...configPath, ...path];
}

export function extensionUse(
  module: string,
  neededFor: string,
  at: { readonly path: Path; readonly configPath: Path },
  config: JsonObject = {},
): ModuleUse {
  return {
    id: module,
    section: typeof at.path[0] === "string" ? at.path[0] : "needs",
    specifier: module,
    source: { kind: "package", written: module, names: [module] },
    inAmplifierPlan: false,
    required: true,
    config,
    entry: null,
    limits: {},
    neededFor,
    broken: [],
    ...at,
  };
}
