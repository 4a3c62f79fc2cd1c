// Publishes calls, turns, requests to models and requests of MCP on Node's tracing channels.
export { callChannelName, safeListener, type CallTrace } from "./contract/call-trace.ts";
export { traceFields, type TraceFields } from "./call/trace.ts";
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
export {
  beginMcp,
  endMcp,
  mcpChannelName,
  mcpSessionChannelName,
  publishMcpSession,
  tracesMcp,
  type McpSessionTrace,
  type McpTrace,
} from "./contract/mcp-trace.ts";
