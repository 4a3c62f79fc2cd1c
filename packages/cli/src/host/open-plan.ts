import { createMemoryStore } from "@toolmount/core";
import type { OpenedHost, OpenHostOptions, PlanInput } from "@toolmount/loader";
import { mountDefaultState, type DefaultAudit } from "./default-state.ts";
import { loaderOptions } from "./loader-options.ts";
import { watchCalls } from "./watch-calls.ts";
import type { PlanOptions } from "../options/plan-options.ts";
import { tapeOf, type TapeOptions } from "../options/tape-options.ts";
import type { Shell } from "../process/shell.ts";

/**
 * Opens a plan's host. A plan without `state` gets the command's own, so that a call can wait for an answer; without
 * `audit`, calls are audited there: those of tools that may change something, or with `mixed` all. A replay keeps
 * its questions and sessions in memory, and audits nothing of its own.
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
