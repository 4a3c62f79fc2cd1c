import type { HookResult } from "@toolmount/core";
import { isRecord } from "../schema/guards.ts";

/** A hook's answer under Amplifier's names. Times are seconds. Source: HOOKS_API, HookResult. */
export interface AmplifierHookResult {
  readonly action?: string;
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly reason?: string | null;
  readonly context_injection?: string | null;
  readonly context_injection_role?: string;
  readonly ephemeral?: boolean;
  readonly approval_prompt?: string | null;
  readonly approval_options?: readonly string[] | null;
  readonly approval_timeout?: number;
  readonly approval_default?: string;
  readonly suppress_output?: boolean;
  readonly user_message?: string | null;
  readonly user_message_level?: string;
  readonly user_message_source?: string | null;
  readonly append_to_last_tool_result?: boolean;
}

/** Amplifier's name and ours of each field. */
const names = [
  ["action", "action"],
  ["data", "data"],
  ["reason", "reason"],
  ["context_injection", "contextInjection"],
  ["context_injection_role", "contextInjectionRole"],
  ["ephemeral", "ephemeral"],
  ["approval_prompt", "approvalPrompt"],
  ["approval_options", "approvalOptions"],
  ["approval_timeout", "approvalTimeoutMs"],
  ["approval_default", "approvalDefault"],
  ["suppress_output", "suppressOutput"],
  ["user_message", "userMessage"],
  ["user_message_level", "userMessageLevel"],
  ["user_message_source", "userMessageSource"],
  ["append_to_last_tool_result", "appendToLastToolResult"],
] as const;

/** The defaults of the fields. */
const defaults: Required<AmplifierHookResult> = {
  action: "continue",
  data: null,
  reason: null,
  context_injection: null,
  context_injection_role: "system",
  ephemeral: false,
  approval_prompt: null,
  approval_options: null,
  approval_timeout: 300,
  approval_default: "deny",
  suppress_output: false,
  user_message: null,
  user_message_level: "info",
  user_message_source: null,
  append_to_last_tool_result: false,
};

/**
 * A hook's answer as one of ours. Fields may have Amplifier's names or ours, and null counts as absent. A value that is
 * not an object is returned as it is.
 */
export function fromAmplifierHookResult(given: unknown): HookResult | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isRecord(given)) return given;
  const has = (name: string) => given[name] !== undefined && given[name] !== null;
  const ours = names.filter(([, here]) => has(here)).map(([, here]) => [here, given[here]]);
  const theirs = names
    .filter(([there]) => has(there))
    .map(([there, here]) => [
      here,
      there === "approval_timeout" ? Number(given[there]) * 1000 : given[there],
    ]);
  return Object.fromEntries([...ours, ...theirs]) as HookResult;
}

/** One of our answers under Amplifier's names, with its defaults. */
export function toAmplifierHookResult(result: HookResult): Required<AmplifierHookResult> {
  const given = result as Readonly<Record<string, unknown>>;
  const fields = names
    .filter(([, here]) => given[here] !== undefined)
    .map(([there, here]) => [there, there === "approval_timeout" ? Number(given[here]) / 1000 : given[here]]);
  return { ...defaults, ...Object.fromEntries(fields) } as Required<AmplifierHookResult>;
}
