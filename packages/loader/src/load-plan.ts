import { dirname } from "node:path";
import type { JsonObject, Logger } from "@toolmount/core";
import { findPlan } from "./find.ts";
import { interpolate, type Environment } from "./interpolate.ts";
import { copyJson } from "./json.ts";
import { checkPlan } from "./plan.ts";
import { showPath, type PlanMap } from "./plan-map.ts";
import { createReporter, makeProblem, planError, type Problem } from "./problems.ts";
import { readPlan } from "./read.ts";
import { listUnits, type Unit } from "./unit.ts";

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
  /** The plan as it was written: variables are names, not values. */
  readonly written: JsonObject;
}

/** A plan that is ready to be mounted. */
export interface LoadedPlan {
  readonly opened: OpenedPlan;
  readonly units: readonly Unit[];
  readonly map: PlanMap;
  readonly mask: (text: string) => string;
  /** While there are any, it cannot be mounted. */
  readonly problems: readonly Problem[];
}

/** What loading a plan depends on. */
export interface LoadOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly logger: Logger;
}

/**
 * Takes a plan from its text to the list of modules to mount; nothing is looked up or run yet. Problems come back
 * with it, so that they can be told together with those of its modules.
 *
 * Throws `PLAN_NOT_FOUND`, and `PLAN_INVALID` for a text that cannot be read at all.
 */
export async function loadPlan(input: PlanInput, options: LoadOptions): Promise<LoadedPlan> {
  const { file, folder, value, map } = await takeLayers(input, options);
  const { value: filled, problems, mask } = interpolate(value, map, options.env);
  const reporter = createReporter(map);
  const plan = checkPlan(filled, reporter);
  const units = listUnits(plan, folder, reporter);
  for (const section of plan.unknownSections)
    options.logger.warn({ section, file }, "the plan has a section that nobody knows");
  // A text whose variable is missing may look wrong for that alone.
  const others = reporter.problems.filter(({ path }) => !problems.some((other) => other.path === path));
  const { broken, rest } = giveToOptional(units, problems);
  const opened = { file, folder, name: plan.name, written: value };
  return { opened, units: broken, map, mask, problems: [...rest, ...others] };
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

/** A plan's value with the place of each part. Layers (`extends`, overlays) will be put together here. */
interface Layers {
  readonly file: string | undefined;
  readonly folder: string;
  readonly value: JsonObject;
  readonly map: PlanMap;
}

async function takeLayers(input: PlanInput, { cwd }: LoadOptions): Promise<Layers> {
  if (typeof input === "object" && !(input instanceof URL)) return takeObject(input, cwd);
  const file = await findPlan(input, cwd);
  const parsed = await readPlan(file);
  if (!parsed.ok) throw planError(parsed.problems);
  return { file, folder: dirname(file), value: parsed.value, map: parsed.map };
}

function takeObject(input: PlanObject, cwd: string): Layers {
  const copied = copyJson(input);
  if (copied.ok) return { file: undefined, folder: cwd, value: copied.value, map: new Map() };
  const problem: Problem = makeProblem(
    "PLAN_VALUE_INVALID",
    { problem: copied.problem },
    { path: copied.path },
  );
  throw planError([problem]);
}
