// The module
export { config, type FleetSettings, type ProcessSettings, type WorkersConfig } from "./config.ts";
export { mount } from "./mount.ts";

// Processes
export {
  createProcessRunner,
  type ProcessRunner,
  type ProcessRunnerOptions,
} from "./process/process-runner.ts";

// Layers
export {
  layersOf,
  type EntryDifference,
  type HostLayers,
  type KeepContext,
  type Waiting,
  type WaitingChange,
  type WaitingSession,
} from "./layer/host-layers.ts";
export { keepToolName } from "./layer/keep-tool.ts";
export { offerToKeep } from "./layer/ask-tool.ts";
export { mainSession, type MadeCall, type SessionLayers } from "./layer/session-layer.ts";

// Fleets
export { fleetQueues, openWorkers, type Workers, type WorkersOptions } from "./fleet/open-workers.ts";
export { examineEngines } from "./fleet/open-engine.ts";
