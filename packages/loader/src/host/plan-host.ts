import {
  compareLocks,
  definitionsChannel,
  makeLock,
  type LockChange,
  type PlanLock,
} from "../plan/lock-file.ts";
import {
  isToolmountError,
  ToolmountError,
  type DrainReport,
  type Host,
  type HostChain,
  type ToolInfo,
} from "@toolmount/core";
import type { SecretTexts } from "@toolmount/core/text";
import { findPosition, type Path } from "../diagnostics/positions.ts";
import type { Problem } from "../diagnostics/problems.ts";
import { createPackageImport } from "../modules/package-import.ts";
import { writableObeyedNames } from "../programs/obeyed-names.ts";
import { buildGeneration } from "../mount/build-generation.ts";
import { describeFailure, failedWait } from "../mount/failed-use.ts";
import type { Generation } from "../mount/generation.ts";
import { loadPlan, type LoadedPlan, type OpenedPlan, type PlanInput } from "../mount/load-plan.ts";
import { createMountContext } from "../mount/mount-context.ts";
import { notifyMounted } from "../mount/notify-mounted.ts";
import type { ResolvedOptions } from "./defaults.ts";
import { chainOf } from "./plan-chain.ts";
import { protectedPaths, type ProtectedPaths } from "./protected-paths.ts";
import { secretPaths } from "./secret-paths.ts";
import {
  describeBoot,
  describeEntries,
  type BootEntry,
  type HostStatus,
  type ReloadReport,
} from "./status.ts";

type CloseOptions = Parameters<Host["close"]>[0];

export class PlanHost {
  readonly host: Host;
  readonly #options: ResolvedOptions;
  readonly #secrets: SecretTexts;
  #input: PlanInput;
  #current: { readonly plan: LoadedPlan; readonly generation: Generation } | undefined;
  #count = 0;
  #reloadProblems: readonly Problem[] = [];
  #lastReload: Promise<unknown> = Promise.resolve();
  #closed: Promise<DrainReport> | undefined;
  #undoCapabilities: () => void = () => {};

  constructor(host: Host, options: ResolvedOptions, input: PlanInput, secrets: SecretTexts) {
    this.#secrets = secrets;
    this.host = host;
    this.#options = options;
    this.#input = input;
  }

  get plan(): OpenedPlan {
    return this.#requireMounted().plan.opened;
  }

  async mount(plan: LoadedPlan): Promise<ReloadReport> {
    const previous = this.#current?.generation;
    const { drained, ...generation } = await this.#build(plan, previous);
    this.#current = { plan, generation };
    this.#count++;
    await this.#reportFailures(generation, plan);
    await this.#notifyMounted(generation);
    return this.#describeReload(previous, generation, drained);
  }

  /** Builds a generation. Modules see the new plan's capabilities while they mount; if that fails, the old plan's are restored. */
  async #build(plan: LoadedPlan, previous: Generation | undefined) {
    const id = this.host.coordinator.getCapability("host.id") ?? "";
    const chain = await chainOf(plan.opened.file, { id, ...this.#options });
    const untouchable = await protectedPaths(plan, this.#options.overlays);
    const undo = this.#registerCapabilities(plan, untouchable, await secretPaths(plan), chain);
    try {
      const built = await buildGeneration(plan, {
        ...createMountContext(plan, this.#options),
        host: this.host,
        drainMs: this.#options.drainMs,
        previous,
        requireOpen: () => this.#requireOpen(),
      });
      this.#undoCapabilities();
      this.#undoCapabilities = undo;
      return built;
    } catch (error) {
      undo();
      throw error;
    }
  }

  #registerCapabilities(
    plan: LoadedPlan,
    { plan: own, obeyed }: ProtectedPaths,
    secret: readonly string[],
    chain: HostChain,
  ): () => void {
    const { coordinator } = this.host;
    const { lock } = plan;
    const undos = [
      coordinator.registerCapability("session.working_dir", plan.opened.folder),
      coordinator.registerCapability("session.protected_paths", [...own, ...obeyed]),
      coordinator.registerCapability("session.obeyed_paths", [...obeyed, ...writableObeyedNames]),
      coordinator.registerCapability("session.secret_paths", secret),
      coordinator.registerCapability("session.plan_files", plan.opened.files),
      coordinator.registerCapability("host.chain", chain),
      coordinator.registerCapability(definitionsChannel, lock && ((id: string) => lock.definitions?.[id])),
      coordinator.registerCapability("mount.later", this.#options.laterServers === true),
      coordinator.registerCapability("host.import_package", createPackageImport(plan.opened.folder)),
      coordinator.registerCapability("plan.position", (path: Path) => findPosition(plan.map, path)),
    ];
    return () => undos.forEach((undo) => undo());
  }

  /** Reloads the plan after earlier reloads have ended. */
  reload(input: PlanInput): Promise<ReloadReport> {
    const next = this.#lastReload.then(() => this.#reload(input));
    this.#lastReload = next.catch(() => {});
    return next;
  }

  async #reload(input: PlanInput): Promise<ReloadReport> {
    // A reload may have nothing else to wait for, so reloads in a row could keep timers of running calls from firing.
    await new Promise((resolve) => void setImmediate(resolve));
    this.#requireOpen();
    try {
      const from = input ?? this.plan.file ?? this.#input;
      const plan = await loadPlan(from, this.#options);
      this.#secrets.add(plan.secrets, plan.guesses);
      const report = await this.mount(plan);
      this.#input = from;
      this.#reloadProblems = [];
      return report;
    } catch (error) {
      this.#reloadProblems = problemsOf(error);
      throw error;
    }
  }

  status(): HostStatus {
    const { plan, generation } = this.#requireMounted();
    const { file, name } = plan.opened;
    return {
      state: this.#closed === undefined ? "open" : "closed",
      plan: { file, name },
      generation: this.#count,
      entries: describeEntries(generation, plan, this.#closed === undefined),
      lockChanges: findLockChanges(
        plan.lock,
        generation,
        this.host.tools({ includeDeprecated: true, includeInternal: true }),
      ),
      reloadProblems: this.#reloadProblems,
    };
  }

  bootTree(): readonly BootEntry[] {
    return describeBoot(this.#requireMounted().generation);
  }

  close(options?: CloseOptions): Promise<DrainReport> {
    return (this.#closed ??= this.#close(options));
  }

  /** Closes the host. A running reload notices this at its next step and undoes what it mounted. */
  async #close(options?: CloseOptions): Promise<DrainReport> {
    const report = await this.host.close(options);
    await this.#lastReload;
    return report;
  }

  #requireOpen(): void {
    if (this.#closed !== undefined) throw new ToolmountError("HOST_CLOSED", {});
  }

  #requireMounted() {
    if (this.#current === undefined) throw new ToolmountError("HOST_CLOSED", {});
    return this.#current;
  }

  async #reportFailures({ mounted, failed, kept }: Generation, plan: LoadedPlan): Promise<void> {
    const away = mounted
      .filter(({ use }) => !kept.includes(use.id))
      .flatMap((use) => failedWait(use, plan) ?? []);
    for (const failure of [...failed, ...away]) {
      const { facts, message, event } = describeFailure(failure);
      this.#options.logger.warn(facts, message);
      await this.host.coordinator.hooks.emit("module:load_failed", event);
    }
  }

  #notifyMounted({ mounted, kept }: Generation): Promise<void> {
    const fresh = mounted
      .filter(({ use }) => !kept.includes(use.id))
      .map(({ use, onSessionReady, mounted: { coordinator } }) => ({
        id: use.id,
        onSessionReady,
        coordinator,
      }));
    return notifyMounted(fresh, this.host.coordinator, this.#options.logger);
  }

  #describeReload(
    previous: Generation | undefined,
    { mounted, failed, kept }: Generation,
    drained: DrainReport,
  ): ReloadReport {
    const notKept = (uses: Generation["mounted"]) =>
      uses.map(({ use }) => use.id).filter((id) => !kept.includes(id));
    return {
      generation: this.#count,
      kept,
      mounted: notKept(mounted),
      removed: notKept(previous?.mounted ?? []),
      failed: failed.map(({ use }) => use.id),
      drained,
    };
  }
}

function problemsOf(error: unknown): readonly Problem[] {
  if (!isToolmountError(error)) return [];
  const { problems } = error.details as { readonly problems?: readonly Problem[] };
  return problems ?? [{ code: error.code, message: error.message }];
}

/** Returns the tools of a generation's entries that differ from the lock file; empty without a lock file. */
function findLockChanges(
  lock: PlanLock | undefined,
  { mounted }: Generation,
  tools: readonly ToolInfo[],
): LockChange[] {
  if (lock === undefined) return [];
  const ofEntries = mounted.filter(({ use }) => use.entry !== null);
  const modules = new Map(
    ofEntries.map(({ use, resolution: { version }, integrity }) => [use.id, { version, integrity }]),
  );
  return compareLocks(
    lock,
    makeLock(
      tools.filter(({ owner }) => modules.has(owner)),
      modules,
    ),
  );
}
