export { config, mount } from "./module.ts";
export { createTelemetry, type Telemetry, type TelemetryOptions } from "./telemetry.ts";
