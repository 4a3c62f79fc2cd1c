import { isToolmountError, type JsonObject, type Logger, type PlanPosition } from "@toolmount/core";
import { combineLayers } from "../plan/merge-layers.ts";
import { readFileValues } from "../plan/file-values.ts";
import { readBases, readLayers, type Layer, type Layers } from "../plan/read-layers.ts";
import { interpolate, type Environment } from "../plan/interpolate.ts";
import { copyJson } from "../diagnostics/json.ts";
import { lockFileOf, readLock, type PlanLock } from "../plan/lock-file.ts";
import { checkPlan, type Plan } from "../plan/check-plan.ts";
import { findPosition, showPath, type PlanMap } from "../diagnostics/positions.ts";
import {
  createReporter,
  makeProblem,
  maskProblem,
  planError,
  type Problem,
} from "../diagnostics/problems.ts";
import type { SourceSchemes } from "../modules/source-resolver.ts";
import { listUnits, type Unit } from "./list-units.ts";

/** A plan as a value, instead of a file. */
export type PlanObject = Readonly<Record<string, unknown>>;

/** Where a plan comes from: a file or folder, a value, or, when absent, whichever is found from the working folder. */
export type PlanInput = string | URL | PlanObject | undefined;

/** What a host knows of its plan. */
export interface OpenedPlan {
  /** Absent for a plan that code handed over. */
  readonly file: string | undefined;
  /** Relative sources start here. */
  readonly folder: string;
  readonly name: string | undefined;
  /** The plan as it was written, of all its layers: variables are names, not values. */
  readonly written: JsonObject;
  /** The files it was put together from, lowest first; empty for a plan that code handed over. */
  readonly files: readonly string[];
  /** Where a part of it was written: `position("tests", 0, "call")`. */
  position(...path: readonly (string | number)[]): PlanPosition | undefined;
}

/** A plan that is ready to be mounted. */
export interface LoadedPlan {
  readonly opened: OpenedPlan;
  readonly plan: Plan;
  readonly layers: readonly Layer[];
  readonly units: readonly Unit[];
  readonly map: PlanMap;
  readonly mask: (text: string) => string;
  readonly lock: PlanLock | undefined;
  /** While there are any, it cannot be mounted. */
  readonly problems: readonly Problem[];
}

/** What loading a plan depends on. */
export interface LoadOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly logger: Logger;
  /** Names of the overlays to lay over the plan, lowest first. */
  readonly overlays?: readonly string[] | undefined;
  readonly schemes?: SourceSchemes | undefined;
  readonly ignoreLock?: boolean | undefined;
}

/**
 * Takes a plan from its text to the list of modules to mount; nothing is looked up or run yet. Problems come back
 * with it, so that they can be told together with those of its modules.
 *
 * Throws `PLAN_NOT_FOUND`, and `PLAN_INVALID` for a text that cannot be read at all.
 */
export async function loadPlan(input: PlanInput, options: LoadOptions): Promise<LoadedPlan> {
  const read = await takeLayers(input, options);
  const { layers } = read;
  const { file, folder } = layers.find(({ role }) => role === "plan")!;
  const { value, map, problems: misfits } = combineLayers(read);
  const values = await readFileValues(value, map, folder);
  const filling = interpolate(value, map, options.env, { values, folder });
  const { value: filled, mask } = filling;
  const { lock, problems: unlocked } = await tryLock(file, options);
  const problems = [...misfits, ...unlocked, ...filling.problems];
  const reporter = createReporter(map);
  const plan = checkPlan(filled, reporter);
  const units = listUnits(plan, { folder, map, reporter, schemes: Object.keys(options.schemes ?? {}) });
  for (const section of plan.unknownSections)
    options.logger.warn({ section, file }, "the plan has a section that nobody knows");
  // A text whose variable is missing may look wrong for that alone.
  const others = reporter.problems.filter(({ path }) => !problems.some((other) => other.path === path));
  const { broken, rest } = giveToOptional(units, problems);
  const opened = describePlan(layers, { file, folder, name: plan.name, written: value }, map);
  return {
    opened,
    plan,
    layers,
    units: broken,
    map,
    mask,
    lock,
    problems: [...rest, ...others].map(maskProblem(mask)),
  };
}

async function tryLock(
  file: string | undefined,
  { overlays, ignoreLock }: LoadOptions,
): Promise<{ lock?: PlanLock | undefined; problems: readonly Problem[] }> {
  if (file === undefined || ignoreLock === true) return { problems: [] };
  try {
    return { lock: await readLock(lockFileOf(file, overlays)), problems: [] };
  } catch (error) {
    if (!isToolmountError(error)) throw error;
    return { problems: (error.details as { problems?: readonly Problem[] }).problems ?? [] };
  }
}

/** A missing variable of an entry that is not required keeps only that entry from being mounted. */
function giveToOptional(
  units: readonly Unit[],
  problems: readonly Problem[],
): { broken: Unit[]; rest: Problem[] } {
  const taken = new Set<Problem>();
  const broken = units.map((unit) => {
    const { entry } = unit;
    if (entry === null || entry.required) return unit;
    const own = problems.filter(({ path = "" }) => path.startsWith(`${showPath(entry.path)}.`));
    for (const problem of own) taken.add(problem);
    return { ...unit, broken: own };
  });
  return { broken, rest: problems.filter((problem) => !taken.has(problem)) };
}

function describePlan(
  layers: readonly Layer[],
  facts: Pick<OpenedPlan, "file" | "folder" | "name" | "written">,
  map: PlanMap,
): OpenedPlan {
  const files = layers.flatMap(({ file }) => file ?? []);
  return { ...facts, files, position: (...path) => findPosition(map, path) };
}

/** The files of a plan, lowest first. */
export function takeLayers(
  input: PlanInput,
  { cwd, overlays }: Pick<LoadOptions, "cwd" | "overlays">,
): Promise<Layers> {
  if (typeof input === "object" && !(input instanceof URL)) return takeObject(input, cwd);
  return readLayers(input, { cwd, overlays });
}

async function takeObject(input: PlanObject, cwd: string): Promise<Layers> {
  const copied = copyJson(input);
  if (copied.ok) return readBases(copied.value, cwd);
  const problem: Problem = makeProblem(
    "PLAN_VALUE_INVALID",
    { problem: copied.problem },
    { path: copied.path },
  );
  throw planError([problem]);
}
