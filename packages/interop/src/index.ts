export { config, mount } from "./module.ts";
export { createSchemaCompiler } from "./json-schema.ts";
export { mendSchema, type MendedSchema } from "./mend-schema.ts";
export { aptixAdapter } from "./aptix.ts";
export { createAptixLogger, type AptixLogger } from "./aptix-logger.ts";
export { InvokeResult } from "./aptix-envelope.ts";
export {
  fromInvokeResult,
  toAgentToolCallResult,
  toInvokeResult,
  type AgentToolCallResult,
  type InvokeMessage,
  type ProjectedTool,
} from "./invoke-result.ts";
export { createAmplifierAdapter } from "./amplifier.ts";
export { createAmplifierCoordinator, type AmplifierCoordinator } from "./amplifier-coordinator.ts";
export { tellAllMounted } from "./amplifier-module.ts";
export { createAmplifierWorld, type AmplifierSession, type AmplifierWorld } from "./amplifier-world.ts";
export type { AmplifierHooks } from "./amplifier-hooks.ts";
export { fromAmplifierHookResult, toAmplifierHookResult, type AmplifierHookResult } from "./hook-result.ts";
export {
  fromModuleResult,
  toModelText,
  toModuleResult,
  type ModuleError,
  type ModuleResult,
} from "./module-result.ts";
export { forgeAdapter } from "./forge.ts";
export { dropOptionalNulls } from "./optional-nulls.ts";
export { createNameMap, type NameMap, type NameRule } from "./provider-names.ts";
export { outcomeText, type ForeignWork, type OfferedTool } from "./foreign-definition.ts";
export { fromOpenAITool, toChatTools, toOpenAI, type OpenAIExport, type OpenAITool } from "./openai.ts";
export {
  fromAnthropicTool,
  toAnthropic,
  type AnthropicContent,
  type AnthropicExport,
  type AnthropicResult,
  type AnthropicTool,
} from "./anthropic.ts";
export {
  fromGeminiFunction,
  toGemini,
  type GeminiExport,
  type GeminiFunction,
  type GeminiResponse,
} from "./gemini.ts";
export {
  AiSdkToolFailure,
  fromAiSdkTool,
  toAiSdkTools,
  type AiSdkCallOptions,
  type AiSdkTool,
} from "./ai-sdk.ts";
export {
  fromLangChainTool,
  isLangGraphInterrupt,
  toLangChainTools,
  type LangChainConfig,
  type LangChainTool,
} from "./langchain.ts";
export { aptixProfile } from "./aptix-profile.ts";
export { amplifierProfile } from "./amplifier-profile.ts";
export { forgeProfile } from "./forge-profile.ts";
