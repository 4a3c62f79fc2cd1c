import { resolve } from "node:path";
import type { Coordinator, Runner } from "@toolmount/core";
import type { Grants } from "./border/border.ts";
import { chooseBorder } from "./border/choose-border.ts";
import { processEnvironment } from "./border/environment.ts";
import type { ProcessSettings, WorkersConfig } from "./config.ts";
import { createProcessRunner } from "./process/process-runner.ts";

/** Mounts the runners that entries of a plan ask for with `run`. */
export async function mount(coordinator: Coordinator, { runners }: WorkersConfig): Promise<void> {
  for (const settings of runners) {
    const runner = await openProcesses(coordinator, settings);
    coordinator.registerCleanup(() => runner.close());
    coordinator.mount("runners", runner, { name: settings.name });
  }
}

async function openProcesses(coordinator: Coordinator, settings: ProcessSettings): Promise<Required<Runner>> {
  const { processes, startTimeoutMs } = settings;
  const grants = grantsOf(coordinator, settings);
  const border = await chooseBorder(settings.border, grants);
  return createProcessRunner({ border, grants, processes, startTimeoutMs, logger: coordinator.logger });
}

function grantsOf(coordinator: Coordinator, settings: ProcessSettings): Grants {
  const { read, write, network, memoryMb, env } = settings;
  const cwd = coordinator.getCapability("session.working_dir") ?? "/";
  const inPlan = (path: string) => resolve(cwd, path);
  return {
    read: read.map(inPlan),
    write: write.map(inPlan),
    denied: coordinator.getCapability("session.protected_paths") ?? [],
    network,
    memoryMb,
    env: processEnvironment(env),
    cwd,
  };
}
