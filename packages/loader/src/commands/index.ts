// Functions that the `toolmount` command uses for plans and packages, apart from opening a host.

// Read a plan
export { planError } from "../diagnostics/problems.ts";
export { findPlan, planFileNames } from "../plan/find-plan.ts";
export {
  inspectPlan,
  lintPlan,
  type InspectedEntry,
  type InspectedPlan,
  type InspectedTool,
} from "./inspect.ts";
export {
  askAboutTools,
  askAll,
  explainTool,
  type AskedTool,
  type ExplainedAnswer,
  type ExplainedTool,
  type ExplainOptions,
  type Explanation,
} from "./explain.ts";
export { readEffectivePlan, type EffectivePlan, type EffectiveValue } from "./effective-plan.ts";
export type { NextFile } from "./next-files.ts";
export type { ToolOrigin } from "./origins.ts";
export type { Lint } from "./lint-sections.ts";
export { planSchemas } from "./plan-schemas.ts";

// Change a plan
export { parsePlanText, readPlanFile, type PlanFile } from "./plan-text.ts";
export {
  tryEntries,
  type EditedSection,
  type NewEntry,
  type TriedEntries,
  type TryOptions,
} from "./try-entries.ts";
export { readMcpServers, type McpServers } from "./mcp-servers.ts";
export { readPlanSources, type PlanSource, type PlanSources } from "./plan-sources.ts";
export { lockPlan, type LockOptions, type LockReport } from "./lock-plan.ts";
export { readLock } from "../plan/lock-file.ts";
export { lockFileOf } from "../plan/lock-file-name.ts";
export {
  compareLocks,
  makeLock,
  type LockChange,
  type LockDifference,
  type LockedTool,
  type PlanLock,
} from "../plan/lock-file.ts";

// Read JSON
export { copyJson } from "../diagnostics/json.ts";

// Read a module
export { describeModule, type DescribeOptions } from "./describe-module.ts";
export {
  describePackage,
  importPackage,
  type DescribedPackage,
  type ImportedPackage,
} from "./import-package.ts";
export {
  findPackage,
  readPackage,
  type ManifestTool,
  type ModuleManifest,
  type PackageFacts,
} from "../modules/manifest.ts";
export type { FetchedSource } from "../modules/fetched-source.ts";
export { isRemote, readRemote, type RemotePackage } from "../modules/source.ts";
export { createPackageImport } from "../modules/package-import.ts";
