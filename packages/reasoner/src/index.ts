// The module
export { config, settingsSchema, type Agent, type Config, type Settings } from "./config/settings.ts";
export { settingsOf } from "./config/plan-settings.ts";
export { mount } from "./mount.ts";
// The reasoner
export { createReasoner } from "./reasoner.ts";
export type { ReasonerOptions } from "./session-access.ts";
export type {
  ContextFacts,
  Reasoner,
  ResumeOptions,
  RunOptions,
  SessionDetails,
  SessionSummary,
  TurnHost,
  TurnOptions,
} from "./reasoner-types.ts";
// Turns
export type { ClientResult, TurnEvent, TurnResult } from "./turn/turn-types.ts";
export { outcomeText } from "./turn/model-text.ts";
export type { AuthoredText, Prompt } from "./session/author.ts";
export type { SessionCall } from "./session/past-calls.ts";
export type { Said } from "./session/said.ts";
export type { WaitingCall } from "./session/waiting.ts";
export type { Cost, Usage } from "./provider/usage.ts";
// Models
export { ModelError } from "./provider/model-error.ts";
export { modelVariables, type ModelVariables } from "./provider/open-model.ts";
export { createResponsesModel } from "./provider/responses-model.ts";
export { startReplay, type Replay } from "./provider/replay.ts";
