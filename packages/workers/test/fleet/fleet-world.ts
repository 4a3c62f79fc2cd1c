import { fileURLToPath } from "node:url";
import {
  createHost,
  type Coordinator,
  type EventData,
  type FleetEngine,
  type Host,
  type HostOptions,
  type JsonObject,
  type Logger,
  type ToolShape,
} from "@toolmount/core";
import { openLedger } from "@toolmount/store";
import { config, mount, openWorkers, type Workers, type WorkersOptions } from "@toolmount/workers";
import type { World } from "../world.ts";

/** A database and how a plan names the fleet. */
export interface FleetPlace {
  /** URL of the database with the ledger. */
  readonly database: string;
  readonly run?: JsonObject | undefined;
  readonly module?: string | undefined;
  /** What the plan changes about the tool. */
  readonly shape?: ToolShape | undefined;
  readonly logger?: Logger | undefined;
  /** What delivers the calls in place of BullMQ. */
  readonly engine?: FleetEngine | undefined;
}

/** The place of a process that gets its facts as words; `-` is the database as engine. */
export function fleetPlace(database: string, engine: string, leaseMs: number): FleetPlace {
  const run = { leaseMs, waitMs: 900_000, ...(engine !== "-" && { engine }) };
  return { database, run, module: "../modules/fleet-tools.ts" };
}

/** Mounts a module whose calls go to a fleet: a host that sends them, or a worker that runs them. */
export async function fleetHost(place: FleetPlace, options: HostOptions = {}): Promise<Host> {
  const { database, run = {}, module = "../modules/probes.ts" } = place;
  const host = createHost({ logger: place.logger, ...options });
  host.coordinator.registerCapability("session.working_dir", "/tmp");
  host.coordinator.registerCapability("fleet.ledger", {
    url: database,
    open: (more) => openLedger(database, more),
  });
  const { engine } = place;
  if (engine !== undefined) host.coordinator.registerCapability("fleet.engine", async () => engine);
  const draft = host.draft();
  const settings = config.parse({ runners: [{ name: "fleet", in: "fleet", ...run }] });
  await mount(draft.addModule({ id: "@toolmount/workers" }).coordinator, settings);
  const specifier = fileURLToPath(new URL(module, import.meta.url));
  const { coordinator } = draft.addModule({
    id: "tests",
    module: { specifier, config: {} },
    shapeTool: () => ({ ...place.shape, runner: "fleet" }),
  });
  ((await import(specifier)) as { mount(coordinator: Coordinator): void }).mount(coordinator);
  await draft.commit();
  return host;
}

/** A worker in this process. */
interface WorkerHere extends AsyncDisposable {
  readonly host: Host;
  readonly workers: Workers;
}

export async function worker(place: FleetPlace, options: Partial<WorkersOptions> = {}): Promise<WorkerHere> {
  const host = await fleetHost(place);
  const workers = await openWorkers(host, { logger: place.logger ?? host.coordinator.logger, ...options });
  return {
    host,
    workers,
    async [Symbol.asyncDispose]() {
      await workers.close({ graceMs: 1 });
      await host.close({ graceMs: 1 });
    },
  };
}

/** A host and a worker of one fleet. */
export async function fleetWorld(place: FleetPlace, options: HostOptions = {}): Promise<World> {
  const here = await worker(place);
  const host = await fleetHost(place, options);
  const events: { event: string; data: EventData }[] = [];
  host.coordinator.hooks.observe("*", (event, data) => void events.push({ event, data }));
  return {
    host,
    events,
    act: (act, value, context) =>
      host.call({ name: "probe", arguments: value === undefined ? { act } : { act, value } }, context),
    async [Symbol.asyncDispose]() {
      await host.close({ graceMs: 1 });
      await here[Symbol.asyncDispose]();
    },
  };
}
