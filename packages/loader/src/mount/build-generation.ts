import {
  isToolmountError,
  ToolmountError,
  type Draft,
  type DrainReport,
  type Host,
  type MountedModule,
  type ToolInfo,
} from "@toolmount/core";
import { within } from "./with-timeout.ts";
import type { LoadedPlan } from "./load-plan.ts";
import { findLooseDependencies, findLooseUses } from "./check-links.ts";
import { adaptModule } from "../modules/recognize.ts";
import { mountModule } from "./mount-module.ts";
import { needsOf, orderByNeeds, providesOf } from "./order.ts";
import { findPosition } from "../diagnostics/positions.ts";
import {
  failUnit,
  isSameUse,
  lookUpUnit,
  prepareUnit,
  type FailedUnit,
  type PreparedUnit,
  type Workshop,
} from "./prepare-unit.ts";
import { createReporter, maskProblem, planError, type Problem } from "../diagnostics/problems.ts";
import { createSelection, type Selection } from "./select-tools.ts";
import { extensionUnit, type Unit } from "./list-units.ts";

/** A unit that is mounted in the current generation. */
interface MountedUnit extends PreparedUnit {
  readonly mounted: MountedModule;
  /** Runs once all modules of the plan are mounted. */
  readonly onSessionReady: unknown;
  /** It mounted nothing at all. */
  readonly degraded: boolean;
  /** Units that were mounted because this one asked for what they bring. */
  readonly broughtIn: readonly string[];
}

/** What one load of a plan made. */
export interface Generation {
  readonly mounted: readonly MountedUnit[];
  readonly failed: readonly FailedUnit[];
  /** Ids of units that were taken over from the generation before. */
  readonly kept: readonly string[];
}

/** What a new generation is built from. */
export interface Build extends Workshop {
  readonly host: Host;
  readonly previous: Generation | undefined;
  /** Throws when it is of no use to go on. */
  readonly requireOpen: () => void;
}

/**
 * Builds a generation and makes it current. Modules are found and imported side by side, mounted in order; what did not
 * change is kept. When something required cannot be mounted, all that was made is undone in reverse, and every problem
 * is thrown together: `PLAN_INVALID`.
 */
export async function buildGeneration(
  { units, problems }: Pick<LoadedPlan, "units" | "problems">,
  build: Build,
): Promise<Generation & { drained: DrainReport }> {
  if (problems.length > 0) await refusePlan(units, problems, build);
  const asked = [...broughtIn(build.previous, units), ...units];
  const prepared = await Promise.all(asked.map((unit) => prepareUnit(unit, build)));
  refuseFailed(prepared.filter(isFailed));
  build.requireOpen();
  const draft = build.host.draft();
  const making = startMaking(draft, build, prepared);
  try {
    for (const unit of orderByNeeds(prepared.filter(isPrepared))) await mountUnit(making, unit);
    refuseFailed(making.failed);
    requireLinked(making);
    build.requireOpen();
  } catch (error) {
    await discard(draft, build);
    throw error;
  }
  const drained = await draft.commit();
  const { mounted, failed, kept } = making;
  return { mounted, failed, kept, drained };
}

/** Of a plan that is wrong in itself no code is run; its modules are only looked up. */
async function refusePlan(
  units: readonly Unit[],
  problems: readonly Problem[],
  build: Build,
): Promise<never> {
  const missing = await Promise.all(units.map((unit) => lookUpUnit(unit, build)));
  throw planError([...problems, ...missing.flat()]);
}

interface Making {
  readonly draft: Draft;
  readonly build: Build;
  readonly mounted: MountedUnit[];
  readonly failed: FailedUnit[];
  readonly kept: string[];
}

function startMaking(draft: Draft, build: Build, prepared: readonly (PreparedUnit | FailedUnit)[]): Making {
  return { draft, build, mounted: [], failed: prepared.filter(isFailed), kept: [] };
}

function isFailed(unit: PreparedUnit | FailedUnit): unit is FailedUnit {
  return "problems" in unit;
}

function isPrepared(unit: PreparedUnit | FailedUnit): unit is PreparedUnit {
  return !isFailed(unit);
}

/** What modules of the generation before had asked for; the plan does not name it. */
function broughtIn(previous: Generation | undefined, units: readonly Unit[]): Unit[] {
  const named = new Set(units.map(({ id }) => id));
  return (previous?.mounted ?? [])
    .map(({ unit }) => unit)
    .filter(({ section, id }) => section === "needs" && !named.has(id));
}

function refuseFailed(failed: readonly FailedUnit[]): void {
  const required = failed.filter(({ unit }) => unit.required);
  if (required.length === 0) return;
  const causes = required.flatMap((unit) => unit.causes);
  const cause = causes.length > 1 ? new AggregateError(causes, "several modules failed") : causes[0];
  throw planError(
    required.flatMap(({ problems }) => problems),
    cause === undefined ? {} : { cause },
  );
}

/** Tools that the application mounted by hand may be meant, too. */
function requireLinked({ mounted, build }: Making): void {
  const own = build.host.tools({ includeDeprecated: true }).filter(({ owner }) => owner === "host");
  const names = [...mounted.flatMap((unit) => unit.mounted.toolNames), ...own.map(({ name }) => name)];
  const loose = findLooseUses(
    mounted.map(({ unit }) => unit),
    new Set(names),
    build.map,
  );
  warnOfDependencies(mounted, build);
  if (loose.length > 0) throw planError(loose.map(maskProblem(build.mask)));
}

/** A tool may do without what it depends on, until it calls it. */
function warnOfDependencies(mounted: readonly MountedUnit[], { logger }: Build): void {
  const tools = mounted[0]?.mounted.coordinator.get("tools") as ReadonlyMap<string, ToolInfo> | undefined;
  const usesOf = (owner: string) => mounted.find(({ unit }) => unit.id === owner)?.unit.entry?.uses;
  for (const loose of findLooseDependencies([...(tools?.values() ?? [])], usesOf))
    logger.warn(loose, "a tool depends on one that nobody has mounted");
}

async function discard(draft: Draft, { logger }: Build): Promise<void> {
  for (const err of await draft.discard())
    logger.warn({ err }, "a cleanup failed while a plan was taken back");
}

/** Mounts one unit, or keeps it as it is, or notes why it is not mounted. */
async function mountUnit(making: Making, unit: PreparedUnit): Promise<void> {
  const { build, mounted, failed } = making;
  build.requireOpen();
  const lacking = findLacking(making, unit);
  if (lacking !== undefined) {
    failed.push({ ...failUnit(unit.unit, unit.resolution, lacking, build), state: "skipped" });
    return;
  }
  try {
    mounted.push(keepUnit(making, unit) ?? (await mountAnew(making, unit)));
  } catch (error) {
    failed.push(
      error instanceof Unmet
        ? error.failed
        : failUnit(unit.unit, unit.resolution, namePlaces(making, error), build),
    );
  }
}

/** The error of a unit whose need another one would have met, had it not failed. */
function findLacking({ mounted, failed }: Making, unit: PreparedUnit): ToolmountError | undefined {
  for (const need of needsOf(unit)) {
    if (mounted.some((other) => providesOf(other).includes(need))) continue;
    const culprit = failed.find((other) => providesOf(other).includes(need));
    if (culprit === undefined) continue;
    const problem = `it needs "${need}" of "${culprit.unit.id}", which failed`;
    return new ToolmountError("MODULE_MOUNT_FAILED", { module: unit.unit.id, problem });
  }
  return undefined;
}

/** Takes a unit over from the generation before when neither it nor what it needs has changed. */
function keepUnit({ build, draft, mounted, kept }: Making, unit: PreparedUnit): MountedUnit | undefined {
  const before = build.previous?.mounted.find((other) => isSameUse(other, unit));
  if (before === undefined) return undefined;
  const providers = mounted.filter((other) => providesOf(other).some((name) => needsOf(unit).includes(name)));
  if (providers.some((other) => !kept.includes(other.unit.id))) return undefined;
  draft.keepModule(before.mounted);
  kept.push(unit.unit.id);
  return { ...before, unit: unit.unit };
}

async function mountAnew(making: Making, unit: PreparedUnit): Promise<MountedUnit> {
  const brought: string[] = [];
  for (;;) {
    try {
      return { ...(await mountOnce(making, unit)), broughtIn: brought };
    } catch (error) {
      const extension = missingExtension(error);
      if (
        extension === undefined ||
        brought.includes(extension) ||
        !(await bringIn(making, extension, unit.unit))
      )
        throw error;
      brought.push(extension);
    }
  }
}

async function mountOnce(
  { build, draft }: Making,
  prepared: PreparedUnit,
): Promise<Omit<MountedUnit, "broughtIn">> {
  const { unit, resolution, module, config } = prepared;
  const selection =
    unit.entry === null ? undefined : createSelection(unit.entry, unit.limits, unit.runner, build.lock);
  const mounted = draft.addModule({
    id: unit.id,
    config,
    position: findPosition(build.map, unit.path),
    specifier: resolution.path,
    hiddenText: unit.entry?.hiddenText,
    shapeTool: selection?.shapeTool,
  });
  try {
    const { startTimeoutMs, clock } = build;
    const adapted = adaptModule(unit.id, module, mounted.coordinator);
    const work = mountModule(unit.id, adapted, mounted.coordinator, config);
    const watched = await within(
      work,
      startTimeoutMs,
      clock,
      () => new Error(`it was not mounted within ${startTimeoutMs} ms`),
    );
    requireMet(prepared, selection, build);
    const onSessionReady = adapted.kind === "mount" ? adapted.onSessionReady : undefined;
    return { ...prepared, mounted, onSessionReady, degraded: !watched.registeredAnything() };
  } catch (error) {
    for (const err of await draft.dropModule(mounted))
      build.logger.warn({ err, module: unit.id }, "a cleanup failed");
    throw error;
  }
}

/** Carries problems of a unit that is mounted well, but not as its entry asks. */
class Unmet extends Error {
  readonly failed: FailedUnit;

  constructor(failed: FailedUnit) {
    super("an entry names tools that its module does not have");
    this.failed = failed;
  }
}

function requireMet(
  { unit, resolution }: PreparedUnit,
  selection: Selection | undefined,
  build: Build,
): void {
  const { report, problems } = createReporter(build.map);
  for (const { path, part, problem } of selection?.unmet() ?? []) {
    report("PLAN_VALUE_INVALID", { problem }, { path: [...(unit.entry?.path ?? []), ...path], part });
  }
  if (problems.length === 0) return;
  const told = problems.map(maskProblem(build.mask));
  throw new Unmet({ unit, resolution, problems: told, causes: [], state: "failed" });
}

/** The module that a tool needs to be mounted at all, when that is why mounting failed. */
function missingExtension(error: unknown): string | undefined {
  if (!isToolmountError(error) || error.code !== "EXTENSION_MISSING") return undefined;
  const { module } = error.details as { readonly module?: unknown };
  return typeof module === "string" ? module : undefined;
}

/** Mounts a module that another one asked for, if it can be found. */
async function bringIn(making: Making, module: string, asking: Unit): Promise<boolean> {
  if (making.mounted.some(({ unit }) => unit.specifier === module)) return false;
  const unit = extensionUnit(module, `"${asking.id}"`, { path: asking.path, configPath: asking.path });
  const prepared = await prepareUnit({ ...unit, section: "needs" }, making.build);
  if (isFailed(prepared)) return false;
  making.mounted.push({ ...(await mountOnce(making, prepared)), broughtIn: [] });
  return true;
}

/** Adds to a clash of names where the other tool's entry stands. */
function namePlaces({ mounted, build }: Making, error: unknown): unknown {
  if (!isToolmountError(error) || error.code !== "TOOL_DUPLICATE") return error;
  const details = error.details as ToolmountError<"TOOL_DUPLICATE">["details"];
  const other = mounted.find(({ unit }) => unit.id === details.existingOwner);
  const at = other && findPosition(build.map, other.unit.path);
  if (at === undefined) return error;
  const existingOwner = `${details.existingOwner} (${at.file}:${at.line}:${at.column})`;
  return new ToolmountError("TOOL_DUPLICATE", { ...details, existingOwner }, { cause: error });
}
