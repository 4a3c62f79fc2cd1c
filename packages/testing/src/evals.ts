// Judging what a model chose
export { createCallCollector, type SeenCall, type SeenEvent, type SeenTurn } from "./evals/turn.ts";
export {
  judgeTurn,
  type EvalExpectation,
  type EvalLimits,
  type ExpectedCall,
  type TextExpectation,
} from "./evals/judge-turn.ts";
export { judgeState } from "./evals/judge-state.ts";
export {
  countChoices,
  findOverlaps,
  type EvalChoice,
  type Overlap,
  type ToolChoices,
} from "./evals/count-choices.ts";
// Keeping evaluations true
export { checkDescriptions, type EvalPrompt } from "./evals/check-descriptions.ts";
export { compareRuns, type EvalRun } from "./evals/history.ts";
// Statistics over several runs
export {
  mcNemar,
  meanInterval,
  passAll,
  runsToShow,
  wilsonInterval,
  type Interval,
} from "./evals/statistics.ts";
// With vitest-evals
export {
  createEvalHarness,
  type EvalHarness,
  type HarnessEvent,
  type HarnessJson,
  type HarnessRun,
  type HarnessTurn,
  type RunPrompt,
} from "./evals/harness.ts";
