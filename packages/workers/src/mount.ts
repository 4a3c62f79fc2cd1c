import type { Coordinator } from "@toolmount/core";
import type { WorkersConfig } from "./config.ts";
import { openFleetRunners } from "./fleet/open-runners.ts";
import { openLayers } from "./layer/open-layers.ts";
import { openProcesses } from "./process/open-processes.ts";

/** Mounts the runners that entries of a plan ask for with `run`. */
export async function mount(coordinator: Coordinator, { runners }: WorkersConfig): Promise<void> {
  for (const settings of runners) {
    if (settings.in !== "process") continue;
    const runner = await openProcesses(coordinator, settings);
    coordinator.registerCleanup(() => runner.close());
    coordinator.mount("runners", runner, { name: settings.name });
  }
  for (const settings of runners) if (settings.in === "layer") openLayers(coordinator, settings);
  const fleets = runners.filter((settings) => settings.in === "fleet");
  if (fleets.length > 0) openFleetRunners(coordinator, fleets);
}
