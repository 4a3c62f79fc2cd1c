import { systemClock, type Coordinator, type FleetEngine, type ToolInfo } from "@toolmount/core";
import type { FleetSettings } from "../config.ts";
import { openProcesses } from "../process/open-processes.ts";
import type { ProcessRunner } from "../process/process-runner.ts";
import { openEngineOf } from "./open-engine.ts";
import { FleetHost } from "./fleet-host.ts";
import { FleetRunner } from "./fleet-runner.ts";

/** Mounts the runners of fleets. They connect only at the first call, because a worker mounts them, too, but sends no calls. */
export function openFleetRunners(coordinator: Coordinator, fleets: readonly FleetSettings[]): void {
  const source = coordinator.getCapability("fleet.ledger");
  if (source === null)
    throw new Error(
      "a fleet needs a ledger in Postgres; add to the plan: state: postgres://user@host/database",
    );
  const { logger } = coordinator;
  const clock = systemClock;
  const engineUrls = new Map(fleets.map(({ queue, engine }) => [queue, engine ?? source.url]));
  const engines = new Map<string, Promise<FleetEngine>>();
  const engineOf = (queue: string) => {
    const url = engineUrls.get(queue) ?? source.url;
    return remembered(engines, url, () => openEngineOf(coordinator, url, logger));
  };
  const hosts = new Map<"", Promise<FleetHost>>();
  const host = () =>
    remembered(hosts, "", async () => {
      const opened = new FleetHost({ ledger: await source.open(), engineOf, logger, clock });
      await opened.start();
      return opened;
    });
  const processes = new Map<string, Promise<ProcessRunner>>();
  const processesOf = (settings: FleetSettings) => {
    const { border, name } = settings;
    if (border === undefined) return null;
    return () => remembered(processes, name, () => openProcesses(coordinator, { ...settings, border }));
  };
  coordinator.registerCleanup(async () => {
    for (const opened of [...processes.values(), ...hosts.values(), ...engines.values()])
      await opened.then((each) => each.close()).catch(() => undefined);
  });
  const toolOf = (name: string) => coordinator.get("tools", name) as ToolInfo | null;
  for (const settings of fleets) {
    const options = { settings, host, processes: processesOf(settings), toolOf, logger, clock };
    coordinator.mount("runners", new FleetRunner(options), { name: settings.name });
  }
}

/** Returns the value of a key, which is made once. If making it failed, it is tried again. */
function remembered<Key, Value>(
  known: Map<Key, Promise<Value>>,
  key: Key,
  make: () => Promise<Value>,
): Promise<Value> {
  const before = known.get(key);
  if (before !== undefined) return before;
  const made = make();
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}
