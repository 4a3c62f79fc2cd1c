// What would have happened: a plan's tests, and recorded calls under another policy
export {
  testPlan,
  type MutantReport,
  type PlanTestReport,
  type TestPlanOptions,
} from "./plan-tests/test-plan.ts";
export type { Answer, Expectation, PlanReplay, PlanTest } from "./plan-tests/read.ts";
export type { ReplayReport } from "./plan-tests/replay.ts";
export type { TestReport } from "./plan-tests/run.ts";
export { evaluatePlan, type EvaluatePlanOptions, type PlanEvalReport } from "./plan-evals/evaluate-plan.ts";
export type { AskedModel } from "./plan-evals/asking.ts";
export type { Chosen, PlanEval, Reply } from "./plan-evals/read.ts";
export type { EvalReport, EvalRun } from "./plan-evals/run.ts";
export type { EvalSummary, Gates } from "./plan-evals/summary.ts";
export { backtest } from "./learn/backtest.ts";
export type { ChangedGroup, PolicyDiff } from "./learn/policy-diff.ts";

// What happened
export { readAuditedCalls, type AuditedCall, type CallFilter } from "./audit/audited-calls.ts";
export { exportFormats, exportLines, type ExportFormat } from "./audit/export-calls.ts";
export { readStory, type Story, type StoryOptions, type StoryStep } from "./story/story.ts";
export type { StoryCall } from "./story/story-call.ts";
export { storyText } from "./story/story-text.ts";
export { recentSessions, type RecentSession } from "./story/recent-sessions.ts";
