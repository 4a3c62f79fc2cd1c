import { redactingLogger } from "@toolmount/core/internal";
import { createSecretTexts, type SecretTexts } from "@toolmount/core/text";
import { createHost, createMemoryStore, type Host } from "@toolmount/core";
import { loadPlan, type LoadedPlan, type OpenedPlan, type PlanInput } from "../mount/load-plan.ts";
import type { Replay } from "@toolmount/tape";
import type { ResolvedOptions } from "./defaults.ts";
import { createProcessMark } from "./process-mark.ts";
import { PlanHost } from "./plan-host.ts";
import type { BootEntry, HostStatus, ReloadReport } from "./status.ts";

declare global {
  // This repeats the declaration of TypeScript's library, so that consumers without it in their `lib` can compile this package's
  // types.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** A host whose modules come from a plan. */
export interface OpenedHost extends Host {
  /** The plan that is mounted now, which a reload can replace. */
  readonly plan: OpenedPlan;
  /** Describes each module of the plan: whether it is mounted, from where, with which tools, and its problems. */
  status(): HostStatus;
  /**
   * Returns the modules as a tree in the order of mounting, with the time of each step. A module is below the module that needs
   * it; if several need it, below the first of them. Modules that failed come last.
   */
  bootTree(): readonly BootEntry[];
  /**
   * Reads the plan again, or the plan `input`, and mounts it as a new generation. Unchanged modules are kept. Running calls end
   * in the generation in which they began. Rejects with `PLAN_INVALID`, `PLAN_NOT_FOUND` or `HOST_CLOSED`; the host then stays
   * as it was.
   */
  reload(input?: PlanInput): Promise<ReloadReport>;
  /**
   * With the option `replay`, returns a sentence for each difference between the calls until now and the recorded ones. Recorded
   * calls that were not made count too, so call it when the work is done. Empty without `replay`.
   */
  replayDifferences(): readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a host with options whose defaults are filled in; see `openHost`. */
export async function openWithDefaults(input: PlanInput, given: ResolvedOptions): Promise<OpenedHost> {
  const secrets = shared(given.secrets);
  const options = { ...given, secrets, logger: redactingLogger(given.logger, secrets) };
  const plan = await loadPlan(input, options);
  secrets.add(plan.secrets, plan.guesses);
  const store = keepsInMemory(plan, options) ? createMemoryStore() : options.store;
  // Code for tapes is loaded only for hosts with the option `record` or `replay`, which few hosts have.
  const hasTape = options.replay !== undefined || options.record !== undefined;
  const tapes = hasTape ? await import("./tape-file.ts") : null;
  const replay = (await tapes?.readReplay(options)) ?? null;
  const host = createHost({
    ...options,
    store,
    process: createProcessMark(),
    runner: replay?.runner ?? options.runner,
  });
  if (options.resolver !== undefined) host.coordinator.mount("module-source-resolver", options.resolver);
  const planHost = new PlanHost(host, options, input, secrets);
  let stopRecording = () => {};
  try {
    if (tapes !== null) stopRecording = tapes.startRecording(host, options);
    replay?.watch(host);
    await planHost.mount(plan);
  } catch (error) {
    await host.close();
    stopRecording();
    throw error;
  }
  return toPublicHost(planHost, replay, stopRecording);
}

function shared(secrets: ResolvedOptions["secrets"] = []): SecretTexts {
  return "mask" in secrets ? secrets : createSecretTexts(secrets);
}

/** Tests whether core's own store in memory is used: the plan says `state: memory`, and the application gave no store. */
function keepsInMemory({ opened }: LoadedPlan, { store }: ResolvedOptions): boolean {
  return store === undefined && opened.written["state"] === "memory";
}

function toPublicHost(planHost: PlanHost, replay: Replay | null, stopRecording: () => void): OpenedHost {
  const close: Host["close"] = async (options) => {
    const report = await planHost.close(options);
    stopRecording();
    return report;
  };
  return {
    ...planHost.host,
    get plan() {
      return planHost.plan;
    },
    status: () => planHost.status(),
    bootTree: () => planHost.bootTree(),
    reload: (input) => planHost.reload(input),
    replayDifferences: () => replay?.finish() ?? [],
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}
