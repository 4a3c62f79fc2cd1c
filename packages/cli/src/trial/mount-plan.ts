import { existsSync } from "node:fs";
import type { PlanOptions } from "../options/plan-options.ts";
import type { Shell } from "../process/shell.ts";
import type { MountReport, MountRequest } from "./mount-process.ts";
import { runTrial, type TrialResult } from "./run-trial.ts";

interface Step {
  readonly during: "import";
}

/** Mounts a plan in a separate process, so that no module can end or block the command. Throws the errors of opening the plan. */
export function mountInProcess(
  plan: string | undefined,
  { env: overlays }: PlanOptions,
  shell: Shell,
  /** Whether it also connects to the plan's MCP servers. */
  probe?: boolean,
): Promise<TrialResult<MountReport, Step>> {
  const { verbosity } = shell.settings;
  const request: MountRequest = { plan, cwd: shell.cwd, overlays, verbosity, probe };
  return shell.interruptible(({ signal }) =>
    runTrial<MountReport, Step>("mount-process", request, { during: "import" }, signal),
  );
}

/** Tests whether a plan has a lock file. Only mounting shows whether its tools are still those of the lock. */
export async function isLocked(plan: string | undefined, { env: overlays }: PlanOptions): Promise<boolean> {
  if (plan === undefined) return false;
  const { lockFileOf } = await import("@toolmount/loader/commands");
  return existsSync(lockFileOf(plan, overlays));
}
