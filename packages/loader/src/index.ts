export { openHost } from "./open-host.ts";
export type { OpenedHost, ReloadReport } from "./opened.ts";
export type { OpenHostOptions } from "./options.ts";
export type { OpenedPlan, PlanInput, PlanObject } from "./load-plan.ts";
export type { EntryStatus, HostStatus } from "./status.ts";
export type { GivenModule, GivenModules } from "./resolve.ts";
export type {
  FoundSource,
  ModuleSource,
  ModuleSourceResolver,
  SourceScheme,
  SourceSchemes,
} from "./source-scheme.ts";
export type { PlanModes } from "./modes.ts";
export type { Environment } from "./interpolate.ts";
export type { ModuleExports } from "./import.ts";
export { formatProblems, type Problem } from "./problems.ts";
export { listPlan, type ListedEntry, type PlanListing } from "./list.ts";
export type { ManifestTool, ModuleManifest } from "./manifest.ts";
export { describeModule, type DescribeOptions } from "./describe.ts";
export { describePackage, type DescribedPackage } from "./describe-package.ts";
export { importPackage, type ImportedPackage } from "./import-package.ts";
export { planFileNames } from "./find.ts";
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
  type LockOptions,
  type LockReport,
} from "./tools-of-plans.ts";
export type { EditOptions, EditReport, NewEntry } from "./edit.ts";
export type { PackageDoubt } from "./examine.ts";
export type { LockChange, LockedTool, PlanLock } from "./lock.ts";
export type { ServerList } from "./mcp-lists.ts";
export type { InspectedEntry, InspectedPlan, InspectedTool } from "./inspect.ts";
export type { ExplainedAnswer, ExplainedTool, ExplainOptions, Explanation } from "./explain.ts";
export type { EffectivePlan, EffectiveValue } from "./effective.ts";
export type { InstalledSource, InstallOptions, InstallReport } from "./install.ts";
export type { PlanSchemaParts } from "./plan-json-schema.ts";
export type { ToolOrigin } from "./origins.ts";
export type { Lint } from "./lint-sections.ts";
