import { messageOf } from "@toolmount/core/errors";
import type { Coordinator, Logger } from "@toolmount/core";

interface ReadyModule {
  readonly id: string;
  /** The export `onSessionReady`, or that of the adapter for a module of another system. */
  readonly onSessionReady: unknown;
  readonly coordinator: Coordinator;
}

/**
 * Notifies modules that all modules of the plan are mounted: calls `onSessionReady(coordinator)` of each, in the order
 * of mounting, one after the other, and then emits `plan:mounted`. A failure changes nothing; it is logged and emitted
 * as `module:on_session_ready_failed`. A function that is not async is not called. Source: Amplifier's CONTRACTS.md.
 */
export async function notifyMounted(
  modules: readonly ReadyModule[],
  { hooks }: Coordinator,
  logger: Logger,
): Promise<void> {
  const failed: { readonly module_id: string; readonly error: string }[] = [];
  for (const { id, onSessionReady, coordinator } of modules) {
    if (onSessionReady === undefined) continue;
    if (isAsync(onSessionReady))
      await onSessionReady(coordinator).catch(
        (error: unknown) => void failed.push({ module_id: id, error: messageOf(error) }),
      );
    else logger.warn({ module: id }, "onSessionReady is not an async function and was not called");
  }
  await hooks.emit("plan:mounted", { failed });
  for (const failure of failed) {
    logger.warn(failure, "onSessionReady of a module failed");
    await hooks.emit("module:on_session_ready_failed", { ...failure });
  }
}

function isAsync(value: unknown): value is (coordinator: Coordinator) => Promise<unknown> {
  return typeof value === "function" && value.constructor.name === "AsyncFunction";
}
