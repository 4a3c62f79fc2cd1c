export type { Json, JsonObject, JsonSchema } from "./json.ts";
export { systemClock, type Clock, type Timer } from "./clock.ts";
export { silentLogger, type Logger } from "./logger.ts";
export type { SchemaOutput, StandardSchema, ToolSchema } from "./standard-schema.ts";
export {
  data,
  failure,
  type ContentBlock,
  type FailureResult,
  type PartialResult,
  type SuccessResult,
  type ToolResult,
  type ToolReturn,
  type Truncation,
} from "./result.ts";
export type { CallStatus, Injection, Phase, ToolOutcome } from "./outcome.ts";
export type { CallContext, CallInfo, CallRequest, Progress, SessionState, ToolContext } from "./context.ts";
export {
  defaultTimeoutMs,
  type Category,
  type ConsequenceLevel,
  type FailureWording,
  type PartialContext,
  type PendingCall,
  type Tool,
  type ToolDefinition,
  type ToolInfo,
  type ToolSpecification,
  type ToolStatus,
} from "./definition.ts";
export {
  errorCodes,
  errorMessage,
  isToolmountError,
  ToolError,
  ToolmountError,
  type ErrorCode,
  type ErrorDetails,
  type PlanPosition,
} from "./errors.ts";
export { nearestNames } from "./nearest.ts";
export { isToolInterrupt, ToolInterrupt } from "./interrupt.ts";
export type * from "./hook-types.ts";
export type * from "./ports.ts";
export type * from "./profile.ts";
export type {
  Capabilities,
  ContextProvider,
  Coordinator,
  Mount,
  MountPoints,
  MountReturn,
} from "./coordinator.ts";
export type * from "./host-types.ts";
export type * from "./session-types.ts";
export { activateTools, activeTools } from "./activation.ts";
export { guidanceOf } from "./guidance.ts";
export { changeSessionMode, sessionMode } from "./session-mode.ts";
export { defaultMode } from "./modes.ts";
export { toolsOfMode } from "./offer.ts";
export { summaryOf } from "./guidance.ts";
export type * from "./approval-types.ts";
export type * from "./store-ports.ts";
export { createHost } from "./host.ts";
export type { ArgumentShape, ArgumentShapes } from "./reshape-arguments.ts";
export { createMemoryStore } from "./memory-store.ts";
export { checkAudit, type AuditProblem } from "./audit.ts";
export { matchesArguments, matchesGlob } from "./match-arguments.ts";
export { createRedactor, mask, namesSecret, redact, truncateText, type Redactor } from "./redact.ts";
export { redactingLogger } from "./redacting-logger.ts";
export { allEvents, hostEvents, type EventName } from "./event-names.ts";
export { callChannelName, type CallTrace } from "./trace.ts";
export {
  modelChannelName,
  traceModel,
  traceTurn,
  turnChannelName,
  type ModelTrace,
  type TraceFailure,
  type TraceUsage,
  type TurnTrace,
} from "./agent-trace.ts";
export type * from "./agent-types.ts";
export { traceFields, type TraceFields } from "./log-fields.ts";
export {
  createCancellation,
  type CancellationState,
  type CancellationToken,
  type RunningCalls,
} from "./cancellation.ts";
export { authoredDefinition, defineTool } from "./tool.ts";
export { canonicalJson, digestOf } from "./canonical.ts";
export { lockDigest } from "./lock-digest.ts";
export { ContractBreach, isContractBreach } from "./complete.ts";
export {
  escapeHidden,
  maxTextLength,
  scanText,
  type TextFinding,
  type TextFindingKind,
} from "./text-scan.ts";
export { scanDefinition, type DefinitionFinding, type DefinitionFindingKind } from "./definition-scan.ts";
export { findSecrets, type SecretPlace } from "./secret-text.ts";
export { findCostlyPattern } from "./pattern-cost.ts";
export { createRunnerContext, type RunnerMembers } from "./runner-context.ts";
