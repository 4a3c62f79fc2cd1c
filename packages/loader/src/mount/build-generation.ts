import type { DrainReport, ToolInfo } from "@toolmount/core";
import { maskProblem, planError } from "../diagnostics/problems.ts";
import { findLooseDependencies, findLooseUses } from "./check-links.ts";
import { failUse, type FailedUse } from "./failed-use.ts";
import type { BuildContext, Building, Generation } from "./generation.ts";
import type { LoadedPlan } from "./load-plan.ts";
import type { ModuleUse } from "./module-use.ts";
import { canConnect, connectUses, mountUse } from "./mount-use.ts";
import { orderByNeeds } from "./order.ts";
import { findModule, prepareModule, type PreparedUse } from "./prepare-module.ts";

/**
 * Builds a generation from a plan and makes it current. The life of a module, step by step:
 *
 * 1. Check. When the plan itself has problems, no code runs: its modules are looked up, and every problem is thrown.
 * 2. List. Modules that modules of the previous generation asked for come first, then those of the plan.
 * 3. Prepare, side by side: find the module, import it, parse its config (`prepareModule`).
 * 4. Require. The failure of a required module ends the build; an optional one is reported and left out.
 * 5. Order. A module comes after those whose capabilities it needs; otherwise the plan's order stays.
 * 6. Mount, one after the other (`mountUse`); servers that modules connect to start side by side (`connectUses`). A module that
 *    did not change is kept; a module whose need failed is skipped.
 * 7. Link. Tools get the services that other modules register (`linkUses`). Every tool name under `uses` must be offered; a
 *    missing `dependsOn` is a warning.
 * 8. Commit. The new generation becomes current in one assignment. Modules of the previous one that were not kept are
 *    drained and undone in reverse.
 *
 * When a step fails, whatever the new modules registered is undone in reverse, the previous generation stays, and every
 * problem is thrown together as `PLAN_INVALID`. Afterwards the host calls `onSessionReady` of each new module and emits
 * `plan:mounted` (`notifyMounted`). A module ends when a reload does not keep it, or when the host closes.
 */
export async function buildGeneration(
  plan: Pick<LoadedPlan, "modules" | "problems">,
  context: BuildContext,
): Promise<Generation & { drained: DrainReport }> {
  await requireNoProblems(plan, context);
  const listed = [...askedForBefore(plan, context), ...plan.modules];
  const prepared = await Promise.all(listed.map((use) => prepareModule(use, context)));
  requireNoneFailed(prepared.filter(isFailed));
  context.requireOpen();
  const ordered = orderByNeeds(prepared.filter(isPrepared));
  const building = startBuilding(context, prepared.filter(isFailed), ordered);
  try {
    const first = ordered.find(canConnect);
    for (const use of ordered) {
      if (use === first) await connectUses(building, ordered);
      await mountUse(building, use);
    }
    await linkUses(building);
    requireNoneFailed(building.failed);
    requireLinked(building);
    context.requireOpen();
  } catch (error) {
    await discard(building);
    throw error;
  }
  const drained = await building.draft.commit({ drainMs: context.drainMs });
  const { mounted, failed, kept } = building;
  return { mounted, failed, kept, drained };
}

async function requireNoProblems(
  { modules, problems }: Pick<LoadedPlan, "modules" | "problems">,
  context: BuildContext,
): Promise<void> {
  if (problems.length === 0) return;
  const missing = await Promise.all(modules.map((use) => findModule(use, context)));
  throw planError([...problems, ...missing.flat()]);
}

function askedForBefore({ modules }: Pick<LoadedPlan, "modules">, { previous }: BuildContext): ModuleUse[] {
  const named = new Set(modules.map(({ id }) => id));
  return (previous?.mounted ?? [])
    .map(({ use }) => use)
    .filter(({ section, id }) => section === "needs" && !named.has(id));
}

function isFailed(use: PreparedUse | FailedUse): use is FailedUse {
  return "problems" in use;
}

function isPrepared(use: PreparedUse | FailedUse): use is PreparedUse {
  return !isFailed(use);
}

function requireNoneFailed(failed: readonly FailedUse[]): void {
  const required = failed.filter(({ use }) => use.required);
  if (required.length === 0) return;
  const causes = required.flatMap((use) => use.causes);
  const cause = causes.length > 1 ? new AggregateError(causes, "several modules failed") : causes[0];
  throw planError(
    required.flatMap(({ problems }) => problems),
    cause === undefined ? {} : { cause },
  );
}

function startBuilding(
  context: BuildContext,
  failed: FailedUse[],
  ordered: readonly PreparedUse[],
): Building {
  const draft = context.host.draft();
  return { draft, context, ordered, mounted: [], failed, kept: [], connected: new Map() };
}

/**
 * Gives each new module the services of the others, after all are mounted. A module for which this fails is removed as failed.
 */
async function linkUses({ context, draft, mounted, failed }: Building): Promise<void> {
  for (const use of mounted.slice()) {
    try {
      use.mounted.link();
    } catch (error) {
      mounted.splice(mounted.indexOf(use), 1);
      failed.push(failUse(use.use, use.resolution, error, context, use.times));
      for (const err of await draft.dropModule(use.mounted))
        context.logger.warn({ err, module: use.use.id }, "a cleanup failed");
    }
  }
}

/** Throws if an entry's `uses` names a tool that neither the plan nor the application mounted. */
function requireLinked({ mounted, context }: Building): void {
  const own = context.host.tools({ includeDeprecated: true }).filter(({ owner }) => owner === "host");
  const names = new Set([...mounted.flatMap((use) => use.mounted.toolNames), ...own.map(({ name }) => name)]);
  warnOfDependencies({ mounted, context });
  const loose = findLooseUses(
    mounted.map(({ use }) => use),
    names,
    context.map,
  );
  if (loose.length > 0) throw planError(loose.map(maskProblem(context.mask)));
}

/** Warns of tools that depend on a tool that is not mounted. This is no error, because they work until they call that tool. */
function warnOfDependencies({ mounted, context }: Pick<Building, "mounted" | "context">): void {
  const tools = mounted[0]?.mounted.coordinator.get("tools") as ReadonlyMap<string, ToolInfo> | undefined;
  const usesOf = (owner: string) => mounted.find(({ use }) => use.id === owner)?.use.entry?.uses;
  for (const loose of findLooseDependencies([...(tools?.values() ?? [])], usesOf))
    context.logger.warn(loose, "a tool depends on a tool that is not mounted");
}

async function discard({ draft, context }: Building): Promise<void> {
  for (const err of await draft.discard())
    context.logger.warn({ err }, "a cleanup failed while the modules of a plan were undone");
}
