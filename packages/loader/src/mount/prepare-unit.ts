import { messageOf } from "@toolmount/core/errors";
import { pathToFileURL } from "node:url";
import {
  isToolmountError,
  ToolmountError,
  type Clock,
  type Json,
  type JsonObject,
  type Logger,
} from "@toolmount/core";
import { digestOf } from "@toolmount/core/internal";
import { within } from "./with-timeout.ts";
import { parseConfig } from "./parse-config.ts";
import { importModule, type ModuleExports } from "../modules/import.ts";
import { deepFreeze } from "../diagnostics/json.ts";
import { checkByManifest } from "./check-config.ts";
import { mountModule } from "./mount-module.ts";
import { canSleep, createSleeping, type Wake } from "./lazy-module.ts";
import { recogniseModule, type LoadedModule } from "../modules/recognize.ts";
import type { PlanLock } from "../plan/lock-file.ts";
import { overridesOf } from "../plan/check-plan.ts";
import type { Path, PlanMap } from "../diagnostics/positions.ts";
import {
  createReporter,
  maskProblem,
  planError,
  type Problem,
  type Reporter,
} from "../diagnostics/problems.ts";
import {
  resolveSource,
  type Asking,
  type GivenModule,
  type Lookup,
  type Resolution,
} from "../modules/resolve.ts";
import { explainMissing, findHint, shapeOf, type Unit } from "./list-units.ts";

/** What is needed to look modules up and import them. */
export interface Workshop {
  readonly lookup: Lookup;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Milliseconds that one import, or one mount, may take. */
  readonly startTimeoutMs: number;
  /** When this process began, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly map: PlanMap;
  /** What was agreed to; undefined without a lock. */
  readonly lock?: PlanLock | undefined;
  /** Hides the values of variables in text. */
  readonly mask: (text: string) => string;
}

/** A unit whose module is imported and whose config is parsed: it only has to be mounted. */
export interface PreparedUnit {
  readonly unit: Unit;
  readonly resolution: Resolution;
  readonly module: LoadedModule;
  readonly config: JsonObject;
  /** The same when module, version, config and shaping are the same. */
  readonly digest: string;
}

/** A unit that cannot be mounted, and why. */
export interface FailedUnit {
  readonly unit: Unit;
  readonly resolution: Resolution | undefined;
  readonly problems: readonly Problem[];
  readonly causes: readonly unknown[];
  /** `skipped`: it could be mounted, had something else not failed. */
  readonly state: "failed" | "skipped";
}

/** Resolves and imports the module of a unit, and parses its config. Never rejects for what the module does. */
export async function prepareUnit(unit: Unit, workshop: Workshop): Promise<PreparedUnit | FailedUnit> {
  let resolution: Resolution | undefined;
  if (unit.broken.length > 0) return { unit, resolution, problems: unit.broken, causes: [], state: "failed" };
  try {
    resolution = await resolveSource(unit.source, workshop.lookup, askingOf(unit, workshop));
    const reporter = createReporter(workshop.map);
    const loaded = await (sleeps(unit, resolution) ? layAsleep : loadModule)(
      unit,
      resolution,
      workshop,
      reporter,
    );
    const problems = reporter.problems.map(maskProblem(workshop.mask));
    if (loaded === null || problems.length > 0)
      return { unit, resolution, problems, causes: [], state: "failed" };
    return { unit, resolution, ...loaded, digest: digestUnit(unit, resolution, workshop) };
  } catch (error) {
    return failUnit(unit, resolution, explainMissing(unit, error), workshop);
  }
}

type Loaded = Pick<PreparedUnit, "module" | "config"> | null;

/** Imports the module of a unit and parses its config; null when that does not fit, which is then reported. */
async function loadModule(
  unit: Unit,
  resolution: Resolution,
  workshop: Workshop,
  reporter: Reporter,
): Promise<Loaded> {
  const module = recogniseModule(resolution.name, await importFor(resolution, workshop));
  const config = await parseConfig(unit, module, reporter, workshop.logger);
  return config === null ? null : { module, config };
}

function sleeps({ entry }: Unit, { manifest }: Resolution): boolean {
  return entry?.wake === "call" && canSleep(manifest);
}

/** A module whose manifest is enough until one of its tools is called. */
async function layAsleep(
  unit: Unit,
  resolution: Resolution,
  workshop: Workshop,
  reporter: Reporter,
): Promise<Loaded> {
  const { manifest } = resolution;
  if (manifest?.config !== undefined) checkByManifest(unit, manifest.config, reporter);
  const wake: Wake = async (coordinator) => {
    const own = createReporter(workshop.map);
    const loaded = await loadModule(unit, resolution, workshop, own);
    if (loaded === null) throw planError(own.problems.map(maskProblem(workshop.mask)));
    await mountModule(unit.id, loaded.module, coordinator, loaded.config);
  };
  return { module: createSleeping(manifest!, wake), config: deepFreeze(unit.config) };
}

/** Looks the module of a unit up and no more: what is wrong with it is told beside the other problems of its plan. */
export async function lookUpUnit(unit: Unit, workshop: Workshop): Promise<readonly Problem[]> {
  try {
    await resolveSource(unit.source, workshop.lookup, askingOf(unit, workshop));
    return [];
  } catch (error) {
    return failUnit(unit, undefined, explainMissing(unit, error), workshop).problems;
  }
}

/** Of modules that no entry names the application's resolver is not asked. */
export function askingOf({ entry, folder }: Unit, { lookup }: Pick<Workshop, "lookup">): Asking | undefined {
  if (entry === null) return undefined;
  const { module, source } = entry;
  return { module, folder: folder ?? lookup.folder, source: source as Json | undefined };
}

/** What is told of a unit after an error. */
export function failUnit(
  unit: Unit,
  resolution: Resolution | undefined,
  error: unknown,
  workshop: Workshop,
): FailedUnit {
  const { report, problems } = createReporter(workshop.map);
  const known = isToolmountError(error) ? error : mountFailed(unit, error);
  const part = unit.neededFor === undefined ? "value" : "key";
  const path = pathOf(unit, known) ?? unit.path;
  report(known.code, known.details as never, { path, part, hint: findHint(unit, error) });
  return {
    unit,
    resolution,
    problems: problems.map(maskProblem(workshop.mask)),
    causes: isToolmountError(error) ? [] : [error],
    state: "failed",
  };
}

/** A tool's argument that the plan gets wrong is told where the plan speaks of it. */
function pathOf({ entry }: Unit, { code, details }: ToolmountError): Path | undefined {
  const { tool, argument, member } = details as { tool?: unknown; argument?: unknown; member?: unknown };
  if (code !== "TOOL_INVALID" || entry === null || typeof argument !== "string") return undefined;
  const named = overridesOf(entry).find(([name, { as }]) => (as ?? `${entry.prefix ?? ""}${name}`) === tool);
  if (named === undefined) return undefined;
  const path = [...entry.path, "tools", named[0], "arguments", argument];
  return typeof member === "string" ? [...path, member] : path;
}

function mountFailed(unit: Unit, cause: unknown): ToolmountError {
  return new ToolmountError(
    "MODULE_MOUNT_FAILED",
    { module: unit.id, problem: messageOf(cause).slice(0, maxMessage) },
    { cause },
  );
}

/** Longest part of a module's own error message that is reported, in characters. */
const maxMessage = 500;

async function importFor(
  resolution: Resolution,
  { clock, startTimeoutMs, startedAt }: Workshop,
): Promise<ModuleExports> {
  const { given, name } = resolution;
  const late = () => importFailed(name, `it was not imported within ${startTimeoutMs} ms`);
  try {
    const work = given === undefined ? importModule(urlOf(resolution, startedAt)) : takeGiven(given);
    return await within(work, startTimeoutMs, clock, late);
  } catch (error) {
    throw isToolmountError(error) ? error : importFailed(name, messageOf(error).slice(0, maxMessage), error);
  }
}

function importFailed(module: string, problem: string, cause?: unknown): ToolmountError {
  return new ToolmountError("MODULE_IMPORT_FAILED", { module, problem }, { cause });
}

async function takeGiven(given: NonNullable<Resolution["given"]>): Promise<ModuleExports> {
  return isImporter(given) ? given() : given;
}

function isImporter(given: GivenModule): given is () => Promise<ModuleExports> | ModuleExports {
  return typeof given === "function";
}

/** A file edited since the process began is imported by its content, since Node keeps what it has once imported. */
function urlOf({ path = "", contentHash, changedAt = 0 }: Resolution, startedAt: number): string {
  const url = pathToFileURL(path).href;
  return contentHash === undefined || changedAt < startedAt ? url : `${url}?v=${contentHash.slice(0, 16)}`;
}

/** The folder counts: paths in a config start there. So does the lock: it says which tools can be called. */
function digestUnit(
  unit: Unit,
  { name, version, path, contentHash }: Resolution,
  { lookup: { folder }, lock }: Workshop,
): string {
  return digestOf({
    folder,
    lock: lock ?? null,
    module: { name, version, path, contentHash },
    use: shapeOf(unit),
  });
}

/** Whether a prepared unit is the same use of the same module as another. */
export function isSameUse(a: PreparedUnit, b: PreparedUnit): boolean {
  return a.digest === b.digest && a.resolution.given === b.resolution.given;
}
