// The module, and its compiler of JSON Schema
export { config, mount } from "./module.ts";
export { createSchemaCompiler } from "./schema/compiler.ts";

// Results and hooks of Aptix and Amplifier
export { InvokeResult } from "./aptix/envelope.ts";
export { AgentToolRegistry } from "./aptix/registry.ts";
export {
  fromInvokeResult,
  toAgentToolCallResult,
  toInvokeResult,
  type AgentToolCallResult,
  type InvokeMessage,
  type ProjectedTool,
} from "./aptix/invoke-result.ts";
export {
  fromAmplifierHookResult,
  toAmplifierHookResult,
  type AmplifierHookResult,
} from "./amplifier/hook-result.ts";
export {
  fromAmplifierResult,
  toAmplifierResult,
  type AmplifierError,
  type AmplifierToolResult,
} from "./amplifier/tool-result.ts";

// Tools in and out: model APIs and libraries
export { outcomeText, type ForeignWork, type OfferedTool } from "./schema/definition.ts";
export {
  fromOpenAITool,
  toChatTools,
  toOpenAI,
  type OpenAIExport,
  type OpenAIOutput,
  type OpenAITool,
} from "./providers/openai.ts";
export {
  fromAnthropicTool,
  toAnthropic,
  type AnthropicContent,
  type AnthropicExport,
  type AnthropicResult,
  type AnthropicTool,
} from "./providers/anthropic.ts";
export {
  fromGeminiFunction,
  toGemini,
  type GeminiData,
  type GeminiExport,
  type GeminiFunction,
  type GeminiResponse,
} from "./providers/gemini.ts";
export { fromBfclFunction, type BfclImport } from "./providers/bfcl.ts";
export { fromAiSdkTool } from "./libraries/ai-sdk.ts";
export {
  toAnthropicRunner,
  type AnthropicRunnableTool,
  type AnthropicRunnerExport,
} from "./providers/anthropic-runner.ts";
export {
  toClaudeAgentTools,
  type ClaudeAgentExport,
  type ClaudeAgentResult,
  type ClaudeAgentTool,
} from "./providers/claude-agent.ts";
export { toGeminiCallable, type GeminiCall, type GeminiCallable } from "./providers/gemini-callable.ts";
export { toMastraTools, type MastraCallContext, type MastraTool } from "./providers/mastra.ts";
export type { AgentContext, AgentHost } from "./providers/agent-calls.ts";
export type { LibraryQuestion } from "./providers/agent-questions.ts";
export type { LangChainConfig } from "./providers/graph-steps.ts";
export {
  AiSdkToolFailure,
  toAiSdkTools,
  type AiSdkCallOptions,
  type AiSdkContext,
  type AiSdkTool,
} from "./providers/ai-sdk.ts";
export { answerAiSdkApprovals, type AiSdkApprovalMessage } from "./providers/ai-sdk-approvals.ts";
export { fromLangChainTool } from "./libraries/langchain.ts";
export {
  toLangChainTools,
  type LangChainContext,
  type LangChainResult,
  type LangChainTool,
} from "./providers/langchain.ts";
export {
  answerInterruptions,
  toOpenAIAgentsTools,
  type InterruptedRun,
  type OpenAIAgentsOutput,
  type OpenAIAgentsTool,
} from "./providers/openai-agents.ts";

// Profiles of the validator
export { aptixProfile } from "./aptix/profile.ts";
export { amplifierProfile } from "./amplifier/profile.ts";
export { forgeProfile } from "./forge/profile.ts";

// Models: the port, and those of the AI SDK
export { modelError } from "./models/model.ts";
export type * from "./models/model.ts";
export { createAiSdkModel, type AiSdkModelOptions } from "./models/ai-sdk-model.ts";
export type { AiSdkLanguageModel } from "./models/ai-sdk-types.ts";
