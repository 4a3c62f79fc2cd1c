// JSON
export type { Json, JsonObject, JsonSchema } from "./json/json.ts";

// Writing a tool
export { defineTool } from "./registry/define-tool.ts";
export { toolsFrom, type FunctionTool } from "./registry/tools-from.ts";
export {
  changedSince,
  data,
  failure,
  type ContentBlock,
  type FailureResult,
  type PartialResult,
  type SuccessResult,
  type ToolResult,
  type ToolReturn,
  type Truncation,
} from "./contract/result.ts";
export { omissionLine, type Omission } from "./contract/omission.ts";
export { ToolError } from "./contract/errors.ts";
export { isToolInterrupt, ToolInterrupt } from "./contract/interrupt.ts";
export { defaultTimeoutMs } from "./contract/tool.ts";
export { contractVersion } from "./contract/version.ts";
export type * from "./contract/tool.ts";
export type { SchemaOutput, StandardSchema, ToolSchema } from "./contract/standard-schema.ts";
export type { CallInfo, Progress, SessionState, ToolContext } from "./contract/context.ts";

// Writing a module
export type * from "./contract/coordinator.ts";
export type * from "./contract/hooks.ts";
export type * from "./contract/host-chain.ts";
export { allEvents, hostEvents, type EventName } from "./contract/event-names.ts";
export type * from "./contract/agents.ts";

// Running a host
export { createHost } from "./host/create-host.ts";
export type * from "./contract/host.ts";
export type { CallContext, CallPlace, CallRequest, PlacedRequest } from "./contract/context.ts";
export type { CallStatus, Injection, Phase, ToolOutcome } from "./contract/outcome.ts";
export type * from "./contract/session.ts";
export { ownSession, userIn } from "./call/call-state.ts";
export type { SessionId } from "./contract/own-session.ts";
export {
  createCancellation,
  type CancellationState,
  type CancellationToken,
  type RunningCalls,
} from "./contract/cancellation.ts";
export type { Clock, Timer } from "./contract/clock.ts";
export { systemClock } from "./scheduling/time.ts";
export { silentLogger, type Logger } from "./contract/logger.ts";

// Errors
export {
  errorCodes,
  errorMessage,
  isToolmountError,
  RunnerFailure,
  ToolmountError,
  type ErrorCode,
  type ErrorDetails,
  type PlanPosition,
} from "./contract/errors.ts";

// Approvals, state and audit
export type * from "./contract/approvals.ts";
export type * from "./contract/audit.ts";
export type * from "./contract/stores.ts";
export type * from "./contract/state-store.ts";
export type * from "./contract/server-sign-in.ts";
export type * from "./contract/work.ts";
export type * from "./contract/changes.ts";
export type * from "./contract/preview.ts";
export type * from "./contract/rehearsal.ts";
export { createMemoryStore } from "./pending/memory-store.ts";
export { checkAudit, checkSink, type AuditProblem } from "./pending/audit.ts";

// Ports: policies, approvers, runners, adapters, schema compilers, modes
export type * from "./contract/ports.ts";
export type * from "./contract/runner.ts";
export type * from "./contract/origins.ts";
export type * from "./contract/ledger.ts";

export { createRunnerContext, type RunnerMembers } from "./contract/context.ts";
