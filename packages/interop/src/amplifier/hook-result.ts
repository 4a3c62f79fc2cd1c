import type { HookResult } from "@toolmount/core";
import { isRecord } from "../schema/guards.ts";

/** A hook's answer with Amplifier's names. Times are seconds. Source: HOOKS_API, HookResult. */
export interface AmplifierHookResult {
  readonly action?: string;
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly reason?: string | null;
  readonly context_injection?: string | null;
  readonly context_injection_role?: string;
  /** Since contract 2.0: several texts, in order. If it is not empty, the fields for a single text are ignored. */
  readonly context_injections?: readonly AmplifierInjection[];
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

/** One text of `context_injections`, with Amplifier's names of the fields. */
export interface AmplifierInjection {
  readonly content: string;
  readonly role?: string;
  readonly ephemeral?: boolean;
  readonly append_to_last_tool_result?: boolean;
}

/** Pairs of Amplifier's name and our name of each field. */
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

/** Default values of the fields. */
const defaults: Required<Omit<AmplifierHookResult, "context_injections">> = {
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
 * Turns a hook's answer into one of ours. Fields may have Amplifier's names or ours, and null counts as absent. A value that is
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
  const list = given["context_injections"];
  // An empty list is the default of contract 2.0, so it counts as absent.
  const several = Array.isArray(list) && list.length === 0 ? undefined : (list ?? undefined);
  const injections = several === undefined ? {} : { contextInjections: fromInjections(several) };
  return { ...Object.fromEntries([...ours, ...theirs]), ...injections } as HookResult;
}

/** Renames the fields of each text. A value that is not a list of objects is passed on, so that the answer is refused. */
function fromInjections(given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  return given.map((each: unknown) => {
    if (!isRecord(each)) return each;
    const { append_to_last_tool_result: appendToLastToolResult, ...rest } = each;
    return { ...rest, ...(appendToLastToolResult !== undefined && { appendToLastToolResult }) };
  });
}

/** Turns one of our answers into Amplifier's form, with default values. */
export function toAmplifierHookResult(
  result: HookResult,
): Required<Omit<AmplifierHookResult, "context_injections">> {
  const given = result as Readonly<Record<string, unknown>>;
  const fields = names
    .filter(([, here]) => given[here] !== undefined)
    .map(([there, here]) => [there, there === "approval_timeout" ? Number(given[here]) / 1000 : given[here]]);
  return { ...defaults, ...Object.fromEntries(fields) } as typeof defaults;
}
