export { config, mount } from "./module.ts";
export { createSchemaCompiler } from "./schema/compiler.ts";
export { repairSchema, type RepairedSchema } from "./schema/repair.ts";
export { aptixAdapter } from "./aptix/adapter.ts";
export { createAptixLogger, type AptixLogger } from "./aptix/logger.ts";
export { InvokeResult } from "./aptix/envelope.ts";
export {
  fromInvokeResult,
  toAgentToolCallResult,
  toInvokeResult,
  type AgentToolCallResult,
  type InvokeMessage,
  type ProjectedTool,
} from "./aptix/invoke-result.ts";
export { createAmplifierAdapter } from "./amplifier/adapter.ts";
export { createAmplifierCoordinator, type AmplifierCoordinator } from "./amplifier/coordinator.ts";
export { notifyAllMounted } from "./amplifier/module.ts";
export {
  createAmplifierSessions,
  type AmplifierSession,
  type AmplifierSessions,
} from "./amplifier/sessions.ts";
export type { AmplifierHooks } from "./amplifier/hooks.ts";
export {
  fromAmplifierHookResult,
  toAmplifierHookResult,
  type AmplifierHookResult,
} from "./amplifier/hook-result.ts";
export {
  fromAmplifierResult,
  toModelText,
  toAmplifierResult,
  type AmplifierError,
  type AmplifierToolResult,
} from "./amplifier/tool-result.ts";
export { forgeAdapter } from "./forge/adapter.ts";
export { dropOptionalNulls } from "./schema/optional-nulls.ts";
export { createNameMap, type NameMap, type NameRule } from "./providers/tool-names.ts";
export { outcomeText, type ForeignWork, type OfferedTool } from "./schema/definition.ts";
export {
  fromOpenAITool,
  toChatTools,
  toOpenAI,
  type OpenAIExport,
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
  type GeminiExport,
  type GeminiFunction,
  type GeminiResponse,
} from "./providers/gemini.ts";
export { fromBfclFunction, type BfclImport } from "./providers/bfcl.ts";
export { fromAiSdkTool } from "./libraries/ai-sdk.ts";
export { AiSdkToolFailure, toAiSdkTools, type AiSdkCallOptions, type AiSdkTool } from "./providers/ai-sdk.ts";
export { fromLangChainTool } from "./libraries/langchain.ts";
export {
  isLangGraphInterrupt,
  toLangChainTools,
  type LangChainConfig,
  type LangChainTool,
} from "./providers/langchain.ts";
export { aptixProfile } from "./aptix/profile.ts";
export { amplifierProfile } from "./amplifier/profile.ts";
export { forgeProfile } from "./forge/profile.ts";

// Models: the port, and those of the AI SDK
export { kindOfStatus, modelError, readRetryAfter } from "./models/model.ts";
export type * from "./models/model.ts";
export { createAiSdkModel, type AiSdkModelOptions } from "./models/ai-sdk-model.ts";
export type { AiSdkLanguageModel } from "./models/ai-sdk-types.ts";
export {
  createModelProvider,
  findModelProvider,
  knownProviders,
  listServerModels,
  type KnownProvider,
} from "./models/providers.ts";
export { saysContextIsFull } from "./models/ai-sdk-error.ts";
export { knownContextTokens } from "./models/context-windows.ts";
export { readFailedToolCall, type FailedToolCall } from "./models/failed-tool-call.ts";
export { createModuleProvider, type ProviderModule } from "./models/module-provider.ts";
export { describeProviders, type ProviderStatus } from "./models/describe-providers.ts";
