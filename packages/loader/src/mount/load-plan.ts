import { existsSync } from "node:fs";
import { basename } from "node:path";
import { isToolmountError, type JsonObject, type Logger, type PlanPosition } from "@toolmount/core";
import { mergeParts } from "../plan/merge-parts.ts";
import { readFileValues } from "../plan/file-values.ts";
import { readBases, readParts, type PlanPart, type PlanParts } from "../plan/read-parts.ts";
import { interpolate, type UnsetKey, type Environment } from "../plan/interpolate.ts";
import { positionAt } from "../diagnostics/source-text.ts";
import { copyJson } from "../diagnostics/json.ts";
import { lockFileOf } from "../plan/lock-file-name.ts";
import { readLock, type PlanLock } from "../plan/lock-file.ts";
import { checkPlan, type Plan } from "../plan/check-plan.ts";
import { findPosition, showPath, type Place, type PlanMap } from "../diagnostics/positions.ts";
import {
  createReporter,
  makeProblem,
  maskProblem,
  planError,
  type Problem,
} from "../diagnostics/problems.ts";
import type { GivenModules } from "../modules/source.ts";
import type { SourceSchemes } from "../modules/source-resolver.ts";
import { listModules } from "./list-modules.ts";
import { filesToLock, isGuarded, reportFiles } from "../programs/locked-files.ts";
import { isolateFetched } from "./runner-modules.ts";
import type { ModuleUse } from "./module-use.ts";

/** A plan as a value, instead of a file. */
export type PlanObject = Readonly<Record<string, unknown>>;

/** What a plan is read from: the path of a file or folder, or a value. Undefined to search from the working folder upward. */
export type PlanInput = string | URL | PlanObject | undefined;

/** The plan of a host. */
export interface OpenedPlan {
  /** The path of the plan's file; undefined for a plan that was given as a value. */
  readonly file: string | undefined;
  /** The folder at which relative sources start. */
  readonly folder: string;
  readonly name: string | undefined;
  /** The plan as written, with its included parts merged. Variables are not filled in. */
  readonly written: JsonObject;
  /** The merged files, the lowest first; empty for a plan that was given as a value. */
  readonly files: readonly string[];
  /** Returns where a part of the plan is written, such as `position("tests", 0, "call")`. */
  position(...path: readonly (string | number)[]): PlanPosition | undefined;
}

export interface LoadedPlan {
  readonly opened: OpenedPlan;
  readonly plan: Plan;
  readonly parts: readonly PlanPart[];
  readonly modules: readonly ModuleUse[];
  readonly map: PlanMap;
  readonly mask: (text: string) => string;
  /** The values of variables and files that no log, failure or store may show. */
  readonly secrets: readonly string[];
  readonly guesses: readonly string[];
  readonly lock: PlanLock | undefined;
  /** The repositories of bundles that the plan includes, directly or through other bundles. */
  readonly included: PlanParts["included"];
  /** The files of fetched bundles, and all files with texts of bundles. */
  readonly texts: readonly string[];
  /** The files that the plan reads as `${file:…}`. */
  readonly valueFiles: readonly string[];
  /** Problems of the plan itself. A plan with problems cannot be mounted. */
  readonly problems: readonly Problem[];
}

interface LoadOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly logger: Logger;
  readonly overlays?: readonly string[] | undefined;
  readonly schemes?: SourceSchemes | undefined;
  readonly ignoreLock?: boolean | undefined;
  readonly extensions?: GivenModules | undefined;
}

/** Loads a plan from its text to the modules to mount. Throws `PLAN_NOT_FOUND`, and `PLAN_INVALID` for a text that is not a plan. */
export async function loadPlan(input: PlanInput, options: LoadOptions): Promise<LoadedPlan> {
  const read = await takeParts(input, options);
  const { parts, texts } = read;
  const { file, folder } = parts.find(({ role }) => role === "plan")!;
  const { value, map, problems: ofParts, replaced } = mergeParts(read);
  for (const { name, place } of replaced) warnOfReplaced(name, place, options.logger);
  const values = await readFileValues(value, map, folder);
  const { mask, secrets, guesses, ...filled } = interpolate(value, map, options.env, { values, folder });
  for (const key of filled.unset) warnOfUnset(key, options.logger);
  const { lock, problems: ofLock } = await tryLock(file, options);
  const problems = [...ofParts, ...ofLock, ...filled.problems];
  const reporter = createReporter(map);
  const plan = isolateFetched(await checkPlan(filled.value, reporter), options.extensions ?? {});
  const listed = listModules(plan, { folder, map, reporter, schemes: Object.keys(options.schemes ?? {}) });
  for (const section of plan.unknownSections)
    options.logger.warn({ section, file }, `the plan has an unknown section "${section.slice(0, 100)}"`);
  // A text in which a variable is missing often fails other checks, too. So only the missing variable is reported.
  const others = reporter.problems.filter(({ path }) => !problems.some((other) => other.path === path));
  const { modules, rest } = giveToOptional(listed, problems);
  const drifted = createReporter(map);
  // Only files that decide about calls, such as hooks, keep a changed plan from opening. A changed server or skill is noticed
  // later, by the definitions of its tools in the lock.
  if (lock?.files !== undefined)
    reportFiles(
      lock,
      (await filesToLock({ folder, plan, modules, texts })).filter(isGuarded),
      drifted,
      "changed",
    );
  const opened: OpenedPlan = {
    file,
    folder,
    name: plan.name,
    written: value,
    files: parts.flatMap((part) => part.file ?? []),
    position: (...path) => findPosition(map, path),
  };
  return {
    opened,
    plan,
    parts,
    included: read.included,
    texts,
    modules,
    map,
    mask,
    secrets,
    guesses,
    lock,
    valueFiles: [...values.keys()],
    problems: [...rest, ...others, ...drifted.problems].map(maskProblem(mask)),
  };
}

function warnOfUnset({ variable, place }: UnsetKey, logger: Logger): void {
  logger.warn({ variable, ...(place && positionAt(place.text, place.offset)) }, unsetText(variable));
}

const unsetText = (variable: string) =>
  `${variable} is not set: what needs no model runs, and a request to the model fails`;

function warnOfReplaced(name: string, place: Place | undefined, logger: Logger): void {
  const at = place && positionAt(place.text, place.offset);
  const where = at === undefined ? "the plan" : `${basename(at.file)}:${at.line}`;
  logger.warn({ name, ...at }, `${where} drops the lines of ${name} that plans below it have`);
}

async function tryLock(
  file: string | undefined,
  { overlays, ignoreLock, logger }: LoadOptions,
): Promise<{ lock?: PlanLock | undefined; problems: readonly Problem[] }> {
  if (file === undefined || ignoreLock === true) return { problems: [] };
  try {
    const lock = await readLock(lockFileOf(file, overlays));
    if (lock === undefined && (overlays ?? []).length > 0 && existsSync(lockFileOf(file)))
      logger.warn(
        { file: lockFileOf(file, overlays) },
        `the plan is locked, but not with the overlays ${overlays?.join(", ")}: its tools are not compared with a lock file`,
      );
    return { lock, problems: [] };
  } catch (error) {
    if (!isToolmountError(error)) throw error;
    return { problems: (error.details as { problems?: readonly Problem[] }).problems ?? [] };
  }
}

/** Moves problems of an optional entry, such as a missing variable, to this entry, so that only its module is left out. */
function giveToOptional(
  listed: readonly ModuleUse[],
  problems: readonly Problem[],
): { modules: ModuleUse[]; rest: Problem[] } {
  const taken = new Set<Problem>();
  const modules = listed.map((use) => {
    const { entry } = use;
    if (entry === null || entry.required) return use;
    const broken = problems.filter(({ path = "" }) => path.startsWith(`${showPath(entry.path)}.`));
    for (const problem of broken) taken.add(problem);
    return { ...use, broken };
  });
  return { modules, rest: problems.filter((problem) => !taken.has(problem)) };
}

export function takeParts(
  input: PlanInput,
  { cwd, overlays }: Pick<LoadOptions, "cwd" | "overlays">,
): Promise<PlanParts> {
  if (typeof input === "object" && !(input instanceof URL)) return takeObject(input, cwd);
  return readParts(input, { cwd, overlays });
}

async function takeObject(input: PlanObject, cwd: string): Promise<PlanParts> {
  const copied = copyJson(input);
  if (copied.ok) return readBases(copied.value, cwd);
  const problem: Problem = makeProblem(
    "PLAN_VALUE_INVALID",
    { problem: copied.problem },
    { path: copied.path },
  );
  throw planError([problem]);
}
