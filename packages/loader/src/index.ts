// Open a host
export { openHost } from "./host/open-host.ts";
export type { OpenHostOptions } from "./host/options.ts";
export type { PlanInput, PlanObject } from "./mount/load-plan.ts";
export type { Environment } from "./plan/interpolate.ts";

// The host
export type { OpenedHost } from "./host/opened-host.ts";
export type { BootEntry, EntryStatus, HostStatus, ReloadReport } from "./host/status.ts";
export type { LockChange, LockDifference, LockedTool } from "./plan/lock-file.ts";
export type { OpenedPlan } from "./mount/load-plan.ts";
export type { Problem } from "./diagnostics/problems.ts";
export type { StepTimes } from "./mount/step-times.ts";

// Give it modules, and find them
export type { ModuleExports } from "./modules/source.ts";
export type { GivenModule, GivenModules } from "./modules/source.ts";
export type {
  FoundSource,
  ModuleSource,
  ModuleSourceResolver,
  SourceScheme,
  SourceSchemes,
} from "./modules/source-resolver.ts";
export type { PlanModes } from "./plan/schema.ts";
