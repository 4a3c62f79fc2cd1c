import {
  createHost,
  createMemoryStore,
  isToolmountError,
  ToolmountError,
  type DrainReport,
  type Host,
} from "@toolmount/core";
import type { ResolvedOptions } from "./defaults.ts";
import { buildGeneration, type Generation } from "../mount/build-generation.ts";
import { loadPlan, type LoadedPlan, type OpenedPlan, type PlanInput } from "../mount/load-plan.ts";
import { findPosition, type Path } from "../diagnostics/positions.ts";
import type { Problem } from "../diagnostics/problems.ts";
import { protectedPaths } from "./protected-paths.ts";
import { notifyMounted } from "../mount/notify-mounted.ts";
import { describeEntries, type HostStatus } from "./status.ts";

declare global {
  // As the library of TypeScript declares it: consumers whose `lib` lacks it can still read this package's types.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** What a reload did. */
export interface ReloadReport {
  readonly generation: number;
  /** Ids of modules that were taken over as they were. */
  readonly kept: readonly string[];
  /** Ids of modules that were mounted anew. */
  readonly mounted: readonly string[];
  /** Ids of modules that are no longer there, or were mounted anew. */
  readonly removed: readonly string[];
  /** Ids of modules that are not required and could not be mounted. */
  readonly failed: readonly string[];
  readonly drained: DrainReport;
}

/** A host whose modules come from a plan. */
export interface OpenedHost extends Host {
  /** The plan that is mounted now. */
  readonly plan: OpenedPlan;
  /** Each module of the plan: whether it is mounted, from where, with which tools, and what is wrong. */
  status(): HostStatus;
  /**
   * Reads the plan again, or another one, and mounts it as a new generation. What did not change is kept; calls in
   * flight end where they began. Rejects with `PLAN_INVALID`, and everything stays as it was.
   */
  reload(input?: PlanInput): Promise<ReloadReport>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a host; see `openHost`. */
export async function openFilled(input: PlanInput, options: ResolvedOptions): Promise<OpenedHost> {
  const plan = await loadPlan(input, options);
  const host = createHost(
    keepsInMemory(plan, options) ? { ...options, store: createMemoryStore() } : options,
  );
  if (options.resolver !== undefined) host.coordinator.mount("module-source-resolver", options.resolver);
  const opened = new Opened(host, options, input);
  try {
    await opened.mount(plan);
  } catch (error) {
    await host.close();
    throw error;
  }
  return face(opened);
}

/** `state: memory`: what core has is enough. */
function keepsInMemory({ opened }: LoadedPlan, { store }: ResolvedOptions): boolean {
  return store === undefined && opened.written["state"] === "memory";
}

/** A plan, its host, and the generation that is mounted. */
class Opened {
  readonly host: Host;
  readonly #options: ResolvedOptions;
  #input: PlanInput;
  #plan: LoadedPlan | undefined;
  #generation: Generation | undefined;
  #count = 0;
  #reloadProblems: readonly Problem[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #closed: Promise<DrainReport> | undefined;
  /** Takes back the capability of the plan's folder. */
  #leaveFolder: () => void = () => {};

  constructor(host: Host, options: ResolvedOptions, input: PlanInput) {
    this.host = host;
    this.#options = options;
    this.#input = input;
  }

  get plan(): OpenedPlan {
    return this.#mounted().plan.opened;
  }

  /** Makes a plan the current one. */
  async mount(plan: LoadedPlan): Promise<ReloadReport> {
    const previous = this.#generation;
    const { drained, ...generation } = await this.#build(plan);
    this.#plan = plan;
    this.#generation = generation;
    this.#count++;
    await this.#tellFailures(generation);
    await this.#tellMounted(generation);
    return this.#report(previous, generation, drained);
  }

  /** Modules find the plan's folder, and which files are not theirs to write, while they mount; after a failure the old. */
  async #build(plan: LoadedPlan): Promise<Generation & { drained: DrainReport }> {
    const { coordinator } = this.host;
    const undos = [
      coordinator.registerCapability("session.working_dir", plan.opened.folder),
      coordinator.registerCapability("session.protected_paths", protectedPaths(plan, this.#options.overlays)),
      coordinator.registerCapability("plan.position", (path: Path) => findPosition(plan.map, path)),
    ];
    const undo = () => undos.forEach((take) => take());
    try {
      const built = await buildGeneration(plan, {
        ...this.#workshop(plan),
        host: this.host,
        previous: this.#generation,
        requireOpen: () => this.#requireOpen(),
      });
      this.#leaveFolder();
      this.#leaveFolder = undo;
      return built;
    } catch (error) {
      undo();
      throw error;
    }
  }

  #workshop({ opened, map, mask, lock }: LoadedPlan) {
    const { logger, clock, startTimeoutMs, startedAt, conditions, extensions, schemes, resolver } =
      this.#options;
    const lookup = { folder: opened.folder, given: extensions, conditions, schemes, resolver };
    return { lookup, logger, clock, startTimeoutMs, startedAt, map, mask, lock };
  }

  /** One reload at a time; another one waits. */
  reload(input: PlanInput): Promise<ReloadReport> {
    const next = this.#last.then(() => this.#reload(input));
    this.#last = next.catch(() => {});
    return next;
  }

  async #reload(input: PlanInput): Promise<ReloadReport> {
    this.#requireOpen();
    try {
      const from = input ?? this.plan.file ?? this.#input;
      const report = await this.mount(await loadPlan(from, this.#options));
      this.#input = from;
      this.#reloadProblems = [];
      return report;
    } catch (error) {
      this.#reloadProblems = readProblems(error);
      throw error;
    }
  }

  status(): HostStatus {
    const { plan, generation } = this.#mounted();
    const { file, name } = plan.opened;
    return {
      state: this.#closed === undefined ? "open" : "closed",
      plan: { file, name },
      generation: this.#count,
      entries: describeEntries(generation, plan.map),
      reloadProblems: this.#reloadProblems,
    };
  }

  close(options?: { graceMs?: number | undefined }): Promise<DrainReport> {
    return (this.#closed ??= this.#close(options));
  }

  /** A reload under way finds the host closed at its next step, and takes back what it made. */
  async #close(options?: { graceMs?: number | undefined }): Promise<DrainReport> {
    const report = await this.host.close(options);
    await this.#last;
    return report;
  }

  #requireOpen(): void {
    if (this.#closed !== undefined) throw new ToolmountError("HOST_CLOSED", {});
  }

  #mounted(): { plan: LoadedPlan; generation: Generation } {
    if (this.#plan === undefined || this.#generation === undefined)
      throw new ToolmountError("HOST_CLOSED", {});
    return { plan: this.#plan, generation: this.#generation };
  }

  async #tellFailures({ failed }: Generation): Promise<void> {
    for (const { unit, state, problems, causes } of failed) {
      const [problem] = problems;
      this.#options.logger.warn(
        { module: unit.id, state, err: causes[0] },
        problem?.message ?? "a module was not mounted",
      );
      const error = { code: problem?.code, message: problem?.message };
      await this.host.coordinator.hooks.emit("module:load_failed", { module_id: unit.id, state, error });
    }
  }

  #tellMounted({ mounted, kept }: Generation): Promise<void> {
    const fresh = mounted.filter(({ unit }) => !kept.includes(unit.id));
    const ready = fresh.map(({ unit, onSessionReady, mounted: { coordinator } }) => ({
      id: unit.id,
      onSessionReady,
      coordinator,
    }));
    return notifyMounted(ready, this.host.coordinator, this.#options.logger);
  }

  #report(previous: Generation | undefined, now: Generation, drained: DrainReport): ReloadReport {
    const isKept = (id: string) => now.kept.includes(id);
    return {
      generation: this.#count,
      kept: now.kept,
      mounted: ids(now.mounted).filter((id) => !isKept(id)),
      removed: ids(previous?.mounted ?? []).filter((id) => !isKept(id)),
      failed: now.failed.map(({ unit }) => unit.id),
      drained,
    };
  }
}

function ids(units: Generation["mounted"]): string[] {
  return units.map(({ unit }) => unit.id);
}

function face(opened: Opened): OpenedHost {
  const close = (options?: { graceMs?: number | undefined }) => opened.close(options);
  return {
    ...opened.host,
    get plan() {
      return opened.plan;
    },
    status: () => opened.status(),
    reload: (input) => opened.reload(input),
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}

function readProblems(error: unknown): readonly Problem[] {
  if (!isToolmountError(error)) return [];
  const { problems } = error.details as { readonly problems?: readonly Problem[] };
  return problems ?? [{ code: error.code, message: error.message }];
}
