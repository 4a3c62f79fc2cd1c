import { createMemoryStore, ToolmountError, type EventData, type Host, type ToolInfo } from "@toolmount/core";
import type { OpenedHost, OpenHostOptions, PlanInput } from "@toolmount/loader";
import { mountDefaultState, type DefaultAudit } from "./default-state.ts";
import { loaderOptions } from "./loader-options.ts";
import type { PlanOptions } from "../options/plan-options.ts";
import { tapeOf, type TapeOptions } from "../options/tape-options.ts";
import type { Shell } from "../process/shell.ts";
import type { CallWatch } from "../process/watchdog.ts";

/**
 * Opens a plan's host. A plan without `state` gets the command's own store, so that a call can wait for an answer. Without
 * `audit`, calls are audited in that store: those of tools that may change something or, with `mixed`, all calls. A replay keeps
 * its questions and sessions in memory, and audits nothing.
 */
export async function openPlan(
  plan: PlanInput,
  options: PlanOptions & TapeOptions,
  shell: Shell,
  more: OpenHostOptions = {},
  defaultAudit: DefaultAudit = "changes",
): Promise<OpenedHost> {
  const { openHost } = await import("@toolmount/loader");
  const isReplay = options.replay !== undefined;
  const host = await openHost(plan, {
    ...loaderOptions(options, shell),
    ...tapeOf(options),
    ...(isReplay && { store: createMemoryStore() }),
    ...more,
  });
  watchCalls(host, shell.calls);
  if (!isReplay && more.store === undefined) mountDefaultState(host, defaultAudit);
  return host;
}

/** Opens a plan's host, and closes it after `act`. */
export async function withPlan<Result>(
  plan: PlanInput,
  options: PlanOptions,
  shell: Shell,
  act: (host: OpenedHost) => Promise<Result>,
): Promise<Result> {
  const host = await openPlan(plan, options, shell);
  try {
    return await act(host);
  } finally {
    await host.close();
  }
}

/** Reports the begin and the end of each call to the watchdog, which ends the process if a call blocks it for too long. */
export function watchCalls({ coordinator }: Pick<Host, "coordinator">, calls: CallWatch): void {
  const ends = new Map<unknown, () => void>();
  const end = (_event: string, { run_id }: EventData) => {
    ends.get(run_id)?.();
    ends.delete(run_id);
  };
  coordinator.hooks.observe("tool:pre", (_event, { run_id, tool_name }) => {
    const tool = String(tool_name);
    const info = coordinator.get("tools", tool) as Pick<ToolInfo, "timeoutMs"> | null;
    if (info === null) return;
    const { timeoutMs } = info;
    const error = () => new ToolmountError("TIMED_OUT", { tool, timeoutMs });
    ends.set(run_id, calls.begin({ tool, timeoutMs, error }));
  });
  coordinator.hooks.observe("tool:post", end);
  coordinator.hooks.observe("tool:error", end);
}
