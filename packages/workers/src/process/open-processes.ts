import { dirname, join, resolve } from "node:path";
import type { Coordinator } from "@toolmount/core";
import type { Grants } from "@toolmount/sandbox";
import { chooseBorder } from "@toolmount/sandbox";
import { processEnvironment } from "@toolmount/sandbox";
import type { FleetSettings, ProcessSettings } from "../config.ts";
import { createProcessRunner, type ProcessRunner } from "./process-runner.ts";

/** Ids of the hosts that have already logged that their default border is the weaker one. */
const warned = new Set<string>();

/** Opens a runner for processes behind a border. Rejects with `SANDBOX_UNAVAILABLE` if the border does not work. */
export async function openProcesses(
  coordinator: Coordinator,
  settings: ProcessSettings | (FleetSettings & Pick<ProcessSettings, "border">),
): Promise<ProcessRunner> {
  const { processes, startTimeoutMs } = settings;
  const grants = grantsOf(coordinator, settings);
  const border = await chooseBorder(settings.border, grants, (problem) => warn(coordinator, problem));
  const { logger } = coordinator;
  const granted = settings.in === "process" ? settings : undefined;
  return createProcessRunner({ border, grants, processes, startTimeoutMs, logger, granted });
}

/** Logs once for each host why a weaker border is used, because every entry with `strictest` gets the same border. */
function warn(coordinator: Coordinator, problem: string): void {
  const id = coordinator.getCapability("host.id") ?? "";
  if (warned.has(id)) return;
  warned.add(id);
  const instead = process.platform === "linux" ? "" : "; border: srt is stricter here";
  coordinator.logger.warn(
    { problem },
    `modules run behind Node's permission model, which is no wall against hostile code, because bubblewrap does not work here: ${problem}${instead}`,
  );
}

function grantsOf(
  coordinator: Coordinator,
  settings: Pick<ProcessSettings, "read" | "write" | "network" | "memoryMb" | "env">,
): Grants {
  const { read, write, network, memoryMb, env } = settings;
  const cwd = coordinator.getCapability("session.working_dir") ?? "/";
  const inPlan = (path: string) => resolve(cwd, path);
  return {
    read: read.map(inPlan),
    write: write.map(inPlan),
    denied: coordinator.getCapability("session.protected_paths") ?? [],
    secret: [
      ...(coordinator.getCapability("session.secret_paths") ?? []),
      ...(coordinator.getCapability("session.plan_files") ?? []),
      ...repositories(cwd),
    ],
    network,
    memoryMb,
    env: processEnvironment(env),
    cwd,
  };
}

/** Returns `.git` in the plan's folder and in those above it, because a repository's history may have removed secrets. */
function repositories(folder: string): string[] {
  const above = dirname(folder);
  return [join(folder, ".git"), ...(above === folder ? [] : repositories(above))];
}
