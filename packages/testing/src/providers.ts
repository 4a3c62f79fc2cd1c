// Strict servers of four APIs of models
export { startProvider } from "./providers/serve.ts";
export type { ProviderOptions, ProviderReply, ProviderScript, ProviderServer } from "./providers/serve.ts";
export type {
  BrokenRule,
  ProviderApi,
  ProviderRequest,
  Spoken,
  SpokenCall,
  SpokenUsage,
} from "./providers/api.ts";
// The APIs
export { anthropicApi } from "./providers/anthropic-messages.ts";
export { chatApi } from "./providers/chat-completions.ts";
export { geminiApi } from "./providers/gemini.ts";
export { responsesApi } from "./providers/responses.ts";
