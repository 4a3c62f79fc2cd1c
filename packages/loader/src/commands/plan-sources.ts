import { fillOptions } from "../host/defaults.ts";
import type { OpenHostOptions } from "../host/options.ts";
import type { Problem } from "../diagnostics/problems.ts";
import { storeOf, type FetchedSource } from "../modules/fetched-source.ts";
import type { Source } from "../modules/source.ts";
import { loadPlan, type PlanInput } from "../mount/load-plan.ts";
import { createMountContext } from "../mount/mount-context.ts";
import { resolveUse } from "../mount/prepare-module.ts";
import type { IncludedSource } from "../plan/read-bundle.ts";
import type { Environment } from "../plan/interpolate.ts";

/** A package or a repository from which an entry's module comes. */
export interface PlanSource {
  /** The id of the entry. */
  readonly id: string;
  readonly required: boolean;
  readonly source: FetchedSource | Extract<Source, { kind: "package" }>;
  /** Finds the installed package. Imports no package. Rejects with `SOURCE_NOT_FOUND`. */
  readonly find: () => Promise<{ readonly name: string; readonly version?: string | undefined }>;
}

/** The packages and repositories that a plan names, in the plan's order. */
export interface PlanSources {
  /** The plan's folder. */
  readonly folder: string;
  /** The folder in the plan's folder into which `toolmount install` fetches packages. */
  readonly store: string;
  /** The variables with which the plan was read. */
  readonly env: Environment;
  readonly sources: readonly PlanSource[];
  /** The repositories of bundles that the plan includes. A bundle that is not fetched yet may include others. */
  readonly included: readonly IncludedSource[];
  readonly problems: readonly Problem[];
}

/**
 * Reads which packages and repositories a plan names. Throws `PLAN_NOT_FOUND`, and `PLAN_INVALID` for a text that is not a
 * plan.
 */
export async function readPlanSources(
  input?: PlanInput,
  options: OpenHostOptions = {},
): Promise<PlanSources> {
  const filled = fillOptions(options);
  const loaded = await loadPlan(input, filled);
  const context = createMountContext(loaded, filled);
  const sources = loaded.modules.flatMap((use) => {
    const { id, required, source } = use;
    const isPackage = source.kind === "fetched" || source.kind === "package";
    return isPackage ? [{ id, required, source, find: () => resolveUse(use, context) }] : [];
  });
  const { folder } = loaded.opened;
  const { included, problems } = loaded;
  return { folder, store: storeOf(folder), env: filled.env, sources, included, problems };
}
