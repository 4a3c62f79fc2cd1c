export {
  config,
  type Budgets,
  type CommandHook,
  type Level,
  type PolicyConfig,
  type Rule,
} from "./config.ts";
export { mount } from "./mount.ts";
export { lint } from "./lint.ts";
export { createRule } from "./rule.ts";
export { createListPolicy, type ListName } from "./list-policy.ts";
export { createFlows } from "./flows/flow-policy.ts";
export type { FlowsConfig } from "./flows/schema.ts";
export { suggestFlows, type FlowSuggestion, type SuggestedFlow } from "./learn/suggest-flows.ts";
export type { RecordedSession, RecordedStep } from "./learn/recorded.ts";
export { createLevel } from "./level.ts";
export { mountCommandHook } from "./command-hook.ts";
export { createBudgets } from "./budgets.ts";
export { callSignature, mountLoopGuard } from "./loop-guard.ts";
export { createWebhookApprover, type WebhookOptions } from "./webhook-approver.ts";
