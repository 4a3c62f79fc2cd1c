// For packages that are released together with this one. Any release may change or remove these names.
export { auditSinkOf } from "./audit/audit-sink.ts";
export { callOf, isWanted, RunJoiner } from "./audit/audited-calls.ts";
export { followRecords } from "./audit/follow-records.ts";
export { newestCalls, newestEntries } from "./audit/newest-calls.ts";
export { openJudge, type Judge } from "./learn/judge-host.ts";
export { diffPolicy } from "./learn/policy-diff.ts";
export {
  readCallsOf,
  readCallsOfAudit,
  readNewestCallsOf,
  type RecordedCall,
} from "./learn/recorded-calls.ts";
export { suggestRules, type Suggestion } from "./learn/suggest-rules.ts";
export {
  flowLinesOf,
  suggestFromSessions,
  type FlowLines,
  type SessionSuggestion,
  type SuggestedFlows,
} from "./learn/suggest-from-sessions.ts";
export { judgeCalls, type Verdict } from "./plan-tests/judge-calls.ts";
export type { AskedModel, Asking, OpenReasoner } from "./plan-evals/asking.ts";
export { compareSides, describeComparison, type Comparison } from "./plan-evals/compare.ts";
export { percent, problemsOf, toJunit, toMarkdown, type WrittenEvals } from "./plan-evals/files.ts";
export { improveTool, type Improvement } from "./plan-evals/improve.ts";
export { chooseEvals } from "./plan-evals/read.ts";
export type { EvalReport } from "./plan-evals/run.ts";
export { runSide, type SideOptions } from "./plan-evals/side.ts";
export { countPassed, gateFailures, isFlaky, summarize, type EvalSummary } from "./plan-evals/summary.ts";
export { swapDescriptions } from "./plan-evals/swap.ts";
export { openEvalTape } from "./plan-evals/tape.ts";
