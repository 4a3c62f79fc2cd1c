export { openHost } from "./host/open-host.ts";
export type { OpenedHost, ReloadReport } from "./host/opened-host.ts";
export type { OpenHostOptions } from "./host/options.ts";
export type { OpenedPlan, PlanInput, PlanObject } from "./mount/load-plan.ts";
export type { EntryStatus, HostStatus } from "./host/status.ts";
export type { GivenModule, GivenModules } from "./modules/resolve.ts";
export type {
  FoundSource,
  ModuleSource,
  ModuleSourceResolver,
  SourceScheme,
  SourceSchemes,
} from "./modules/source-resolver.ts";
export type { PlanModes } from "./mount/modes-module.ts";
export type { Environment } from "./plan/interpolate.ts";
export type { ModuleExports } from "./modules/import.ts";
export { formatProblems, type Problem } from "./diagnostics/problems.ts";
export { listPlan, type ListedEntry, type PlanListing } from "./commands/list.ts";
export type { ManifestTool, ModuleManifest } from "./modules/manifest.ts";
export { describeModule, type DescribeOptions } from "./commands/describe-module.ts";
export { describePackage, type DescribedPackage } from "./commands/describe-package.ts";
export { importPackage, type ImportedPackage } from "./commands/import-package.ts";
export { planFileNames } from "./plan/find-plan.ts";
export {
  addEntries,
  examineEntries,
  explainTool,
  inspectPlan,
  installSources,
  lockPlan,
  printPlanSchemas,
  readEffectivePlan,
  readServerList,
  removeEntry,
} from "./commands/lazy.ts";
export type { LockOptions, LockReport } from "./commands/lock-plan.ts";
export type { EditOptions, EditReport, NewEntry } from "./commands/edit-plan.ts";
export type { PackageDoubt } from "./commands/examine-packages.ts";
export type { LockChange, LockedTool, PlanLock } from "./plan/lock-file.ts";
export type { ServerList } from "./commands/import-mcp-servers.ts";
export type { InspectedEntry, InspectedPlan, InspectedTool } from "./commands/inspect.ts";
export type { ExplainedAnswer, ExplainedTool, ExplainOptions, Explanation } from "./commands/explain.ts";
export type { EffectivePlan, EffectiveValue } from "./commands/effective-plan.ts";
export type { InstalledSource, InstallOptions, InstallReport } from "./commands/install-sources.ts";
export type { PlanSchemaParts } from "./commands/json-schema.ts";
export type { ToolOrigin } from "./commands/origins.ts";
export type { Lint } from "./commands/lint-sections.ts";
