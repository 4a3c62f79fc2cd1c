import { isDeepStrictEqual } from "node:util";
import { contractVersion, ToolmountError, type Json, type JsonObject } from "@toolmount/core";
import { recogniseModule, type LoadedModule } from "@toolmount/core/modules";
import { deepFreeze } from "../diagnostics/json.ts";
import {
  createReporter,
  maskProblem,
  planError,
  type Problem,
  type Reporter,
} from "../diagnostics/problems.ts";
import { resolveSource, type Asking, type Resolution } from "../modules/resolve.ts";
import { integrityOf } from "../modules/source-files.ts";
import { createFarModule } from "./far-module.ts";
import { failUse, type FailedUse } from "./failed-use.ts";
import { importResolved } from "../modules/import-resolved.ts";
import { canLoadLazily, createLazyModule, type Wake } from "./lazy-module.ts";
import type { ModuleUse } from "./module-use.ts";
import type { MountContext } from "./mount-context.ts";
import { serverLine } from "../modules/refuse-entry.ts";
import { mountModule } from "./recording-coordinator.ts";
import { checkByManifest, parseConfig } from "./parse-config.ts";
import { runRefusal, isBehindBorder } from "./runner-modules.ts";
import { createStepTimer, type StepTimer, type StepTimes } from "./step-times.ts";

export interface PreparedUse {
  readonly use: ModuleUse;
  readonly resolution: Resolution;
  readonly module: LoadedModule;
  readonly config: JsonObject;
  /**
   * Two uses have deeply equal identities if they would mount the same: module, version, config and settings for tools are equal.
   */
  readonly identity: object;
  /** A digest of the files of the module's package; undefined for a plan without a lock file. */
  readonly integrity: string | undefined;
  readonly times: StepTimes;
  readonly isAsleep?: () => boolean;
}

/**
 * Finds and imports the module of one use, and parses its config. Does not throw for errors of the module, but returns them as
 * problems.
 */
export async function prepareModule(use: ModuleUse, context: MountContext): Promise<PreparedUse | FailedUse> {
  const timer = createStepTimer(context.clock);
  const { times } = timer;
  let resolution: Resolution | undefined;
  const failed = (problems: readonly Problem[]): FailedUse => {
    return { use, resolution, problems, causes: [], state: "failed", times };
  };
  if (use.broken.length > 0) return failed(use.broken);
  try {
    resolution = await timer.measure("resolveMs", () => resolveUse(use, context));
    const reporter = createReporter(context.map);
    const load =
      use.entry?.wake === "call" && canLoadLazily(resolution.manifest)
        ? loadLazily
        : loaderOf(use, resolution);
    const loaded = await load(use, resolution, context, reporter, timer);
    if (loaded === null || reporter.problems.length > 0)
      return failed(reporter.problems.map(maskProblem(context.mask)));
    const integrity = context.lock === undefined ? undefined : await integrityOf(resolution.path);
    return { use, resolution, ...loaded, identity: identityOf(use, resolution, context), integrity, times };
  } catch (error) {
    return failUse(use, resolution, error, context, times);
  }
}

type Loaded = Pick<PreparedUse, "module" | "config" | "isAsleep"> | null;

/** Chooses how to load a module. If its calls run behind a border, the host does not import it. */
function loaderOf({ entry, runner }: ModuleUse, { path }: Resolution): typeof loadModule {
  const isBehind = entry !== null && isBehindBorder(entry);
  return isBehind && runner !== undefined && path !== undefined ? loadBehind : loadModule;
}

/** Prepares a module that its runner imports behind a border. The runner also describes the module's tools. */
async function loadBehind(
  use: ModuleUse,
  resolution: Resolution,
  _: MountContext,
  reporter: Reporter,
): Promise<Loaded> {
  const { manifest } = resolution;
  refuseRun(use, resolution);
  const config =
    manifest?.config === undefined ? use.config : await checkByManifest(use, manifest.config, reporter);
  return {
    module: createFarModule({ ...use, config }, resolution, exportsOf(use)),
    config: deepFreeze(config),
  };
}

/** Imports a module and parses its config. Returns null if the config does not match; the problem is then reported. */
async function loadModule(
  use: ModuleUse,
  resolution: Resolution,
  context: MountContext,
  reporter: Reporter,
  timer: StepTimer,
): Promise<Loaded> {
  refuseRun(use, resolution);
  const exports = await timer.measure("importMs", () => importResolved(resolution, context));
  const module = withProgram(recogniseModule(resolution.name, exports, exportsOf(use)), resolution);
  const config = await timer.measure("configMs", () => parseConfig(use, module, reporter, context.logger));
  return config === null ? null : { module, config };
}

function withProgram(module: LoadedModule, { mcpProgram }: Resolution): LoadedModule {
  if (module.kind !== "foreign" || mcpProgram === undefined) return module;
  return { ...module, program: serverLine(mcpProgram) };
}

/** Throws for a module that cannot run in the place that its entry names. */
function refuseRun({ entry, id }: ModuleUse, { manifest }: Resolution): void {
  const problem = runRefusal(entry, manifest);
  if (problem !== null) throw new ToolmountError("MODULE_MOUNT_FAILED", { module: id, problem });
}

/** Returns the names of the exports that an entry uses; undefined for all. */
export function exportsOf({ entry }: Pick<ModuleUse, "entry">): readonly string[] | undefined {
  const named = entry?.export;
  return typeof named === "string" ? [named] : named;
}

/** Creates a module from the manifest. The real module is imported when one of the tools is called. */
async function loadLazily(
  use: ModuleUse,
  resolution: Resolution,
  context: MountContext,
  reporter: Reporter,
): Promise<Loaded> {
  const { manifest } = resolution;
  if (manifest?.config !== undefined) await checkByManifest(use, manifest.config, reporter);
  const wake: Wake = async (coordinator) => {
    const own = createReporter(context.map);
    const loaded = await loaderOf(use, resolution)(
      use,
      resolution,
      context,
      own,
      createStepTimer(context.clock),
    );
    if (loaded === null) throw planError(own.problems.map(maskProblem(context.mask)));
    await mountModule(use.id, loaded.module, coordinator, loaded.config);
  };
  return { ...createLazyModule(manifest!, wake), config: deepFreeze(use.config) };
}

/**
 * Finds the module of one use. Throws `SOURCE_NOT_FOUND`, `CONTRACT_UNSUPPORTED`, and errors of a resolver of the application.
 */
export async function resolveUse(
  use: ModuleUse,
  { lookup }: Pick<MountContext, "lookup">,
): Promise<Resolution> {
  const resolution = await resolveSource(use.source, lookup, askingOf(use, lookup.folder));
  refuseContract(resolution);
  return resolution;
}

function refuseContract({ name, contract = contractVersion }: Resolution): void {
  if (contract === contractVersion) return;
  const declared = `was written for version ${JSON.stringify(contract)} of the tool contract`;
  const fix = `${Number(contract) > contractVersion ? "newer toolmount, or an older" : "newer"} release of the module`;
  const problem = `${declared}, and this host speaks version ${contractVersion}; install a ${fix}`;
  throw new ToolmountError("CONTRACT_UNSUPPORTED", { module: name, problem });
}

/** Returns what the application's resolver is asked; undefined for modules without an entry, for which it is not asked. */
function askingOf({ entry, folder }: ModuleUse, planFolder: string): Asking | undefined {
  if (entry === null) return undefined;
  const { module, source } = entry;
  return { module, folder: folder ?? planFolder, source: source as Json | undefined };
}

export async function findModule(use: ModuleUse, context: MountContext): Promise<readonly Problem[]> {
  try {
    await resolveUse(use, context);
    return [];
  } catch (error) {
    return failUse(use, undefined, error, context).problems;
  }
}

/**
 * Returns the identity of a use. It includes the folder, because paths in a config start there, and the lock, because it decides
 * about calls.
 */
function identityOf(use: ModuleUse, resolution: Resolution, { lookup, lockDigest }: MountContext): object {
  const { name, version, path, files } = resolution;
  const { id, section, config, entry, limits, runner = null } = use;
  const { tools, prefix, override, limits: own, uses, wake, export: exports } = entry ?? {};
  return {
    folder: lookup.folder,
    lock: lockDigest,
    module: { name, version, path, contentHash: files?.digest },
    use: { id, section, config, runner, limits },
    shaping: { tools, prefix, override, own, uses, wake, exports },
  };
}

export function isSameUse(a: PreparedUse, b: PreparedUse): boolean {
  return a.resolution.given === b.resolution.given && isDeepStrictEqual(a.identity, b.identity);
}

/** Returns the milliseconds that a module allows for its own mount, by its export `mountLimitMs`; 0 if it sets no limit. */
export function ownLimitMs({ module, config }: PreparedUse): number {
  const limit = module.kind === "mount" ? module.exports["mountLimitMs"] : undefined;
  return typeof limit === "function" ? Number((limit as (config: JsonObject) => unknown)(config)) || 0 : 0;
}
