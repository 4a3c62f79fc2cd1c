// What would have happened: a plan's tests, and recorded calls under another policy
export { testPlan, type MutantReport, type PlanTestReport, type TestPlanOptions } from "./tests/test-plan.ts";
export type { Answer, Expectation, PlanReplay, PlanTest } from "./tests/read.ts";
export type { ReplayReport } from "./tests/replay.ts";
export type { TestReport } from "./tests/run.ts";
export { backtest } from "./learn/backtest.ts";
export type { ChangedGroup, PolicyDiff } from "./learn/policy-diff.ts";

// What happened
export { readAuditedCalls, type AuditedCall, type CallFilter } from "./audit/audited-calls.ts";
export { exportFormats, exportLines, type ExportFormat } from "./audit/export-calls.ts";
