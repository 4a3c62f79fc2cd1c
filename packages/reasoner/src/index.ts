export { config, settingsSchema, settingsOf, type Agent, type Config, type Settings } from "./config.ts";
export { mount } from "./mount.ts";
export { createReasoner, type ReasonerOptions } from "./reasoner.ts";
export type {
  Reasoner,
  ResumeOptions,
  RunOptions,
  SessionDetails,
  SessionSummary,
  TurnHost,
  TurnOptions,
} from "./reasoner-types.ts";
export type { ClientResult, TurnEvent, TurnResult, WaitingCall } from "./turn/turn-types.ts";
export type { Cost, Usage } from "./provider/usage.ts";
export { ProviderError, type ProviderErrorKind, type ProviderFailure } from "./provider/provider-error.ts";
export { startReplay, type Replay } from "./provider/replay.ts";
