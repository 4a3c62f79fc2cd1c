import type { Coordinator, Logger } from "@toolmount/core";
import type { LoadedModule } from "../modules/recognize.ts";

/** A module that was just mounted. */
export interface ReadyModule {
  readonly id: string;
  readonly module: LoadedModule;
  readonly coordinator: Coordinator;
}

/**
 * Tells modules that all of the plan are mounted: `onSessionReady(coordinator)` of each, in the order of mounting, one
 * after the other, and then the event `plan:mounted`. A failure changes nothing and is told as
 * `module:on_session_ready_failed`; a function that is not async is left out. Source: Amplifier's CONTRACTS.md.
 */
export async function tellMounted(
  modules: readonly ReadyModule[],
  host: Coordinator,
  logger: Logger,
): Promise<void> {
  const failed: Failure[] = [];
  for (const { id, module, coordinator } of modules) {
    const ready = module.kind === "mount" ? module.onSessionReady : undefined;
    if (ready === undefined) continue;
    if (!isAsync(ready))
      logger.warn({ module: id }, "onSessionReady is not an async function and was left out");
    else
      await ready(coordinator).catch(
        (error: unknown) => void failed.push({ module_id: id, error: messageOf(error) }),
      );
  }
  const { data } = await host.hooks.emit("plan:mounted", { failed });
  for (const failure of readFailures(data?.["failed"]) ?? failed) {
    logger.warn(failure, "a module failed once all were mounted");
    await host.hooks.emit("module:on_session_ready_failed", { ...failure });
  }
}

interface Failure {
  readonly module_id: string;
  readonly error: string;
}

/** What gates of the event added; adapted modules tell of their failures in this way. */
function readFailures(value: unknown): readonly Failure[] | undefined {
  return Array.isArray(value) ? (value as Failure[]) : undefined;
}

type Ready = (coordinator: Coordinator) => Promise<unknown>;

function isAsync(value: unknown): value is Ready {
  return typeof value === "function" && value.constructor.name === "AsyncFunction";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
