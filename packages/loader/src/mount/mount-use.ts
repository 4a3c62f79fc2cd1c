import { resolve } from "node:path";
import { isToolmountError, ToolmountError, type Coordinator, type JsonObject } from "@toolmount/core";
import { findPosition } from "../diagnostics/positions.ts";
import { createReporter, maskProblem } from "../diagnostics/problems.ts";
import { withTimeout } from "@toolmount/core/internal";
import { adaptModule, mayBeForeign, type LoadedModule } from "@toolmount/core/modules";
import type { ModuleExports } from "../modules/source.ts";
import { isReplaced, type PlanLock } from "../plan/lock-file.ts";
import { runnerModule } from "./far-module.ts";
import { failUse, lacksState, waitingOf, withoutProblem, type FailedUse } from "./failed-use.ts";
import type { AddedUse, BuildContext, Building, ConnectedUse, MountedUse } from "./generation.ts";
import { extensionUse, type ModuleUse } from "./module-use.ts";
import { findUnmetNeed, needsOf, providesOf } from "./order.ts";
import { exportsOf, isSameUse, ownLimitMs, prepareModule, type PreparedUse } from "./prepare-module.ts";
import { mountModule } from "./recording-coordinator.ts";
import { runOf } from "./runner-modules.ts";
import { createSelection, type Selection } from "./select-tools.ts";
import { createStepTimer } from "./step-times.ts";

/**
 * Keeps a module if nothing changed, skips it if a module that it needs failed, and otherwise mounts it into the draft. If mounting
 * fails, the failure is added to `failed`.
 */
export async function mountUse(building: Building, prepared: PreparedUse): Promise<void> {
  const { context, mounted, failed } = building;
  const { use, resolution, times } = prepared;
  context.requireOpen();
  if (lacksState(use, failed)) return void failed.push({ ...prepared, ...withoutProblem });
  const lacking = findUnmetNeed(building, prepared);
  if (lacking !== undefined)
    return void failed.push({ ...failUse(use, resolution, lacking, context, times), state: "skipped" });
  try {
    mounted.push(keepUse(building, prepared) ?? (await mountWithExtensions(building, prepared)));
  } catch (error) {
    const failure = error instanceof UnmatchedNames ? error.failed : undefined;
    failed.push(failure ?? failUse(use, resolution, nameOtherEntry(building, error), context, times));
  }
}

/** Keeps a module of the previous generation. Undefined if the module, or a module that it needs, has changed. */
function keepUse({ context, draft, mounted, kept }: Building, prepared: PreparedUse): MountedUse | undefined {
  const before = findBefore(context, prepared);
  if (before === undefined) return undefined;
  if (providersOf(mounted, prepared).some((id) => !kept.includes(id))) return undefined;
  draft.keepModule(before.mounted);
  kept.push(prepared.use.id);
  return { ...before, use: prepared.use };
}

/** Returns the module as mounted in the previous generation; undefined for a new or a changed one. */
function findBefore({ previous }: BuildContext, prepared: PreparedUse): MountedUse | undefined {
  return previous?.mounted.find((other) => isSameUse(other, prepared));
}

function providersOf(mounted: readonly MountedUse[], prepared: PreparedUse): string[] {
  const needs = needsOf(prepared);
  return mounted
    .filter((other) => providesOf(other).some((name) => needs.includes(name)))
    .map(({ use }) => use.id);
}

/** The package with adapters. They give a module of another system, such as Amplifier, the coordinator that it expects. */
const adapterPackage = "@toolmount/interop";

/** Mounts a module. If that fails because an extension is missing, mounts the extension first and tries again. */
async function mountWithExtensions(building: Building, prepared: PreparedUse): Promise<MountedUse> {
  const asked = (await mountAdapters(building, prepared)) ? [adapterPackage] : [];
  for (;;) {
    try {
      const mounted = await mountOnce(building, prepared);
      return { ...mounted, needs: [...providersOf(building.mounted, prepared), ...asked] };
    } catch (error) {
      const extension = missingExtension(error);
      if (extension === undefined || asked.includes(extension)) throw error;
      if (!(await mountExtension(building, extension, prepared.use))) throw error;
      asked.push(extension);
    }
  }
}

/** Mounts the adapters for a module that may need them. Returns false if nothing was mounted, for example without the package. */
async function mountAdapters(building: Building, prepared: PreparedUse): Promise<boolean> {
  const { use, module, resolution, isAsleep } = prepared;
  // A module that its runner imports later has tools with JSON Schemas, which need the schema compiler of the same package.
  const isOurs = resolution.manifest !== undefined && (isAsleep === undefined || use.runner === undefined);
  const isNeeded = use.inAmplifierPlan || mayBeForeign(module, isOurs);
  if (!isNeeded || use.specifier === adapterPackage) return false;
  const adapters = building.context.host.coordinator.get("adapters") as ReadonlyMap<string, unknown>;
  return adapters.size === 0 && mountExtension(building, adapterPackage, use);
}

/** Returns the name of the extension that is missing, if an error says so; otherwise undefined. */
function missingExtension(error: unknown): string | undefined {
  if (!isToolmountError(error) || error.code !== "EXTENSION_MISSING") return undefined;
  const { module } = error.details as { readonly module?: unknown };
  return typeof module === "string" ? module : undefined;
}

/** Mounts a module that another module needs. Returns false if it is already mounted, or if it cannot be prepared. */
async function mountExtension(building: Building, module: string, asking: ModuleUse): Promise<boolean> {
  if (building.mounted.some(({ use }) => use.specifier === module)) return false;
  const use = extensionUse(module, `"${asking.id}"`, { path: asking.path, configPath: asking.path });
  const prepared = await prepareModule({ ...use, section: "needs" }, building.context);
  if ("problems" in prepared) return false;
  building.mounted.push({ ...(await mountOnce(building, prepared)), needs: [] });
  return true;
}

/** Tests whether a module without needs exports `connect`, which starts what its mount waits for, such as a server. */
export function canConnect(prepared: PreparedUse): boolean {
  const { module } = prepared;
  const hasConnect = module.kind === "mount" && typeof module.exports["connect"] === "function";
  return hasConnect && needsOf(prepared).length === 0;
}

/** Calls `connect` of all new modules before the first of them is mounted, so that their servers start at the same time. */
export async function connectUses(building: Building, uses: readonly PreparedUse[]): Promise<void> {
  const { context, connected } = building;
  for (const prepared of uses) {
    if (!canConnect(prepared) || findBefore(context, prepared) !== undefined) continue;
    const added = addUse(building, prepared);
    connected.set(prepared, { ...added, connection: await connectUse(building, prepared, added) });
  }
}

/**
 * Runs `connect` of a module. If an extension is missing, mounts it and tries again. Undefined if that fails; mount reports it.
 */
async function connectUse(building: Building, prepared: PreparedUse, added: AddedUse): Promise<unknown> {
  const { module, config, use } = prepared;
  const connect = (module as { readonly exports: ModuleExports }).exports["connect"] as Connect;
  try {
    return connect(added.mounted.coordinator, config);
  } catch (error) {
    const extension = missingExtension(error);
    const isFound =
      extension !== undefined && (await mountExtension(building, extension, use).catch(() => false));
    return isFound ? connectUse(building, prepared, added) : undefined;
  }
}

/** The export `connect` of a module. It starts a server but does not wait for it. The server ends with the module. */
type Connect = (coordinator: Coordinator, config: JsonObject) => unknown;

function addUse({ context, draft }: Building, prepared: PreparedUse): AddedUse {
  const [{ use, resolution, config }, { entry }] = [prepared, prepared.use];
  const selection =
    entry === null ? undefined : createSelection(entry, use.limits, use.runner, lockOf(prepared, context));
  const mounted = draft.addModule({
    id: use.id,
    config,
    code: resolution.files?.digest ?? resolution.version,
    position: findPosition(context.map, use.path),
    module: runnerModule(resolution, config, exportsOf(use)),
    capabilities: ownCapabilities(entry, context.lookup.folder),
    shapeTool: selection?.shapeTool,
  });
  return { mounted, selection };
}

/** Gives a module the folder of the layer only if its calls run there, because elsewhere its changes are final. */
function ownCapabilities(entry: ModuleUse["entry"], folder: string) {
  const run = entry === null ? undefined : runOf(entry);
  return run?.in === "layer" ? { "session.layer": resolve(folder, run["folder"] as string) } : undefined;
}

function withConnection(module: LoadedModule, connected: ConnectedUse | undefined): LoadedModule {
  if (connected === undefined || module.kind !== "mount") return module;
  const mount = module.mount as (
    coordinator: Coordinator,
    config: JsonObject,
    connection: unknown,
  ) => ReturnType<Extract<LoadedModule, { kind: "mount" }>["mount"]>;
  const withIt: typeof module.mount = (coordinator, config) =>
    mount(coordinator, config, connected.connection);
  // An adapter for modules of another system mounts the exports, so they need the changed `mount`, too.
  return { ...module, mount: withIt, exports: { ...module.exports, mount: withIt } };
}

async function mountOnce(building: Building, prepared: PreparedUse): Promise<Omit<MountedUse, "needs">> {
  const { context, draft } = building;
  const { use, module, config } = prepared;
  const timer = createStepTimer(context.clock, prepared.times);
  const closing = new AbortController();
  const connected = building.connected.get(prepared);
  building.connected.delete(prepared);
  const { mounted, selection } = connected ?? addUse(building, prepared);
  try {
    const adapted = adaptModule(use.id, withConnection(module, connected), mounted.coordinator);
    const recorded = await timer.measure("mountMs", () => {
      const work = mountModule(use.id, adapted, mounted.coordinator, config, closing.signal);
      const limitMs = Math.max(context.startTimeoutMs, ownLimitMs(prepared));
      const late = `it was not mounted within ${limitMs} ms`;
      return withTimeout(context.clock, limitMs, work, () => Promise.reject(new Error(late)));
    });
    if (waitingOf(mounted) === undefined) requireNamesMatch(prepared, selection, context);
    const onSessionReady = adapted.kind === "mount" ? adapted.onSessionReady : undefined;
    const degraded = !recorded.registeredAnything();
    return { ...prepared, mounted, onSessionReady, degraded, times: timer.times };
  } catch (error) {
    for (const err of await draft.dropModule(mounted))
      context.logger.warn({ err, module: use.id }, "a cleanup failed");
    closing.abort();
    throw error;
  }
}

/** Returns the lock for the tools of a module. It has no tools if the files of the package changed, so that all are denied. */
function lockOf({ use, integrity }: PreparedUse, { lock, logger }: BuildContext): PlanLock | undefined {
  if (lock === undefined || !isReplaced(lock, use.id, integrity)) return lock;
  const hint = "compare with: toolmount lock --check";
  logger.warn({ module: use.id }, `the files of the package are not those in the lock file; ${hint}`);
  return { ...lock, tools: {} };
}

class UnmatchedNames extends Error {
  readonly failed: FailedUse;

  constructor(failed: FailedUse) {
    super("an entry names tools that its module does not have");
    this.failed = failed;
  }
}

function requireNamesMatch(
  { use, resolution, times }: PreparedUse,
  selection: Selection | undefined,
  { map, mask }: BuildContext,
): void {
  const reporter = createReporter(map);
  selection?.reportUnmatched(reporter);
  const { problems } = reporter;
  if (problems.length === 0) return;
  const masked = problems.map(maskProblem(mask));
  throw new UnmatchedNames({ use, resolution, problems: masked, causes: [], state: "failed", times });
}

/** Adds the place of the other tool's entry in the plan to the error of a duplicate name. */
function nameOtherEntry({ mounted, context }: Building, error: unknown): unknown {
  if (!isToolmountError(error) || error.code !== "TOOL_DUPLICATE") return error;
  const details = error.details as ToolmountError<"TOOL_DUPLICATE">["details"];
  const other = mounted.find(({ use }) => use.id === details.existingOwner);
  const at = other && findPosition(context.map, other.use.path);
  if (at === undefined) return error;
  const existingOwner = `${details.existingOwner} (${at.file}:${at.line}:${at.column})`;
  return new ToolmountError("TOOL_DUPLICATE", { ...details, existingOwner }, { cause: error });
}
