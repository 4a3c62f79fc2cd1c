import { dirname } from "node:path";
import { isToolmountError, type JsonObject } from "@toolmount/core";
import { findPlace, type PlanMap } from "../diagnostics/positions.ts";
import type { Reporter } from "../diagnostics/problems.ts";
import { readSource, type Source } from "../modules/source.ts";
import { mapForeign } from "../plan/amplifier.ts";
import type { PlanEntry } from "../plan/check-entries.ts";
import type { Plan } from "../plan/check-plan.ts";
import type { ModuleUse } from "./module-use.ts";
import { listRunnerModules, nameRunners } from "./runner-modules.ts";
import { isReasonerPart, listSectionModules } from "./section-modules.ts";

interface Listing {
  readonly folder: string;
  readonly map: PlanMap;
  readonly schemes: readonly string[];
  readonly reporter: Reporter;
}

export function listModules(plan: Plan, listing: Listing): ModuleUse[] {
  const runners = nameRunners(plan.entries);
  const isPart = isReasonerPart(plan);
  const entries = plan.entries
    .filter((entry) => !isPart(entry))
    .flatMap((entry) => entryUse(entry, plan, listing, runners.names.get(entry)) ?? []);
  const all = [...listSectionModules(plan), ...listRunnerModules(runners.settings), ...entries];
  return numberIds(all, listing.reporter).map(tellScheme);
}

function entryUse(
  entry: PlanEntry,
  plan: Plan,
  listing: Listing,
  runner: string | undefined,
): ModuleUse | null {
  const path = [...entry.path, entry.source === undefined ? "module" : "source"];
  // The parts of a plan may be in several folders. A relative path starts at the file that contains it.
  const place = findPlace(listing.map, path);
  const folder = place === undefined ? listing.folder : dirname(place.text.file);
  const mapped = plan.amplifier ? mapForeign(entry.section, entry.module, entry.source) : undefined;
  const foreign = mapped?.kind === "package" ? mapped : undefined;
  const source: Source | null =
    foreign === undefined
      ? trySource(entry, folder, listing)
      : { kind: "package", written: entry.module, names: foreign.names };
  if (source === null) return null;
  const scheme = source.kind === "scheme" ? source : null;
  const config = (entry.config ?? {}) as JsonObject;
  return {
    id: entry.id ?? entry.module,
    section: entry.section,
    specifier: typeof entry.source === "string" ? entry.source : entry.module,
    source,
    folder,
    foreignHint: foreign?.hint,
    inAmplifierPlan: plan.amplifier,
    required: entry.required,
    config: scheme === null ? config : { ...scheme.settings, ...config },
    entry,
    limits: plan.limits,
    runner,
    neededFor: scheme === null ? undefined : `source "${scheme.scheme}"`,
    path,
    broken: [],
    configPath: scheme === null ? [...entry.path, "config"] : [...path, scheme.scheme],
  };
}

/**
 * Adds what the module of a scheme must know about its entry to the config: name, prefix, whether it is required, and when it may
 * start.
 */
function tellScheme(use: ModuleUse): ModuleUse {
  if (use.source.kind !== "scheme") return use;
  const { wake, prefix } = use.entry ?? {};
  const given = {
    name: use.id,
    ...(!use.required && { required: false }),
    ...(prefix !== undefined && { prefix }),
  };
  return { ...use, config: { ...(wake !== undefined && { wake }), ...use.config, ...given } };
}

function trySource(entry: PlanEntry, folder: string, { reporter, schemes }: Listing): Source | null {
  try {
    return readSource(entry, folder, schemes);
  } catch (error) {
    if (!isToolmountError(error)) throw error;
    const key = entry.source === undefined ? "module" : "source";
    reporter.report(error.code, error.details, { path: [...entry.path, key] });
    return null;
  }
}

/** Gives several uses of one module different ids (`bash`, `bash#2`). Reports two entries with the same written `id`. */
function numberIds(uses: readonly ModuleUse[], { report }: Reporter): ModuleUse[] {
  const counts = new Map<string, number>();
  return uses.map((use) => {
    const count = (counts.get(use.id) ?? 0) + 1;
    counts.set(use.id, count);
    if (count === 1) return use;
    const problem = `another entry has the id "${use.id}"`;
    if (use.entry?.id !== undefined)
      report("PLAN_VALUE_INVALID", { problem }, { path: [...use.entry.path, "id"] });
    return { ...use, id: `${use.id}#${count}` };
  });
}
