export type { Json, JsonObject, JsonSchema } from "./json/json.ts";
export { systemClock, type Clock, type Timer } from "./contract/clock.ts";
export { silentLogger, type Logger } from "./contract/logger.ts";
export type { SchemaOutput, StandardSchema, ToolSchema } from "./contract/standard-schema.ts";
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
} from "./contract/result.ts";
export type { CallStatus, Injection, Phase, ToolOutcome } from "./contract/outcome.ts";
export {
  createRunnerContext,
  type CallContext,
  type CallInfo,
  type CallRequest,
  type Progress,
  type RunnerMembers,
  type SessionState,
  type ToolContext,
} from "./contract/context.ts";
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
} from "./contract/tool.ts";
export {
  errorCodes,
  errorMessage,
  isToolmountError,
  ToolError,
  ToolmountError,
  type ErrorCode,
  type ErrorDetails,
  type PlanPosition,
} from "./contract/errors.ts";
export { nearestNames } from "./text/nearest.ts";
export { isToolInterrupt, ToolInterrupt } from "./contract/interrupt.ts";
export type * from "./contract/hooks.ts";
export type * from "./contract/ports.ts";
export type * from "./contract/validation.ts";
export type {
  Capabilities,
  ContextProvider,
  Coordinator,
  Mount,
  MountPoints,
  MountReturn,
} from "./contract/coordinator.ts";
export type * from "./contract/host.ts";
export type * from "./contract/session.ts";
export { activateTools, activeTools } from "./sessions/activation.ts";
export { guidanceOf } from "./sessions/guidance.ts";
export { changeSessionMode, sessionMode } from "./sessions/mode.ts";
export { defaultMode } from "./sessions/mode-catalog.ts";
export { toolsOfMode } from "./sessions/offer.ts";
export { summaryOf } from "./sessions/guidance.ts";
export type * from "./contract/approvals.ts";
export type * from "./contract/stores.ts";
export { createHost } from "./host/create-host.ts";
export { createMemoryStore } from "./pending/memory-store.ts";
export { checkAudit, type AuditProblem } from "./pending/audit.ts";
export { matchesArguments, matchesGlob } from "./text/match.ts";
export { createRedactor, mask, namesSecret, redact, truncateText, type Redactor } from "./text/redact.ts";
export { redactingLogger } from "./text/redacting-logger.ts";
export { allEvents, hostEvents, type EventName } from "./contract/event-names.ts";
export { callChannelName, type CallTrace } from "./call/trace.ts";
export {
  modelChannelName,
  traceModel,
  traceTurn,
  turnChannelName,
  type ModelTrace,
  type TraceFailure,
  type TraceUsage,
  type TurnTrace,
} from "./contract/turn-trace.ts";
export type * from "./contract/agents.ts";
export { traceFields, type TraceFields } from "./call/log-fields.ts";
export {
  createCancellation,
  type CancellationState,
  type CancellationToken,
  type RunningCalls,
} from "./contract/cancellation.ts";
export { authoredDefinition, defineTool } from "./registry/define-tool.ts";
export { canonicalJson, digestOf } from "./json/canonical.ts";
export { lockDigest } from "./registry/lock-digest.ts";
export { ContractBreach, isContractBreach } from "./result/normalize.ts";
export {
  escapeHidden,
  maxTextLength,
  scanText,
  type TextFinding,
  type TextFindingKind,
} from "./scan/text.ts";
export { scanDefinition, type DefinitionFinding, type DefinitionFindingKind } from "./scan/definition.ts";
export { findSecrets, type SecretPlace } from "./scan/secrets.ts";
