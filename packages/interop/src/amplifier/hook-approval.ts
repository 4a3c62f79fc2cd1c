import { ToolmountError, type Logger } from "@toolmount/core";
import { escapeHiddenInLines } from "@toolmount/core/text";
import type { AmplifierSession } from "./sessions.ts";
import { isRecord } from "../schema/guards.ts";
import type { AmplifierHookResult, AmplifierInjection } from "./hook-result.ts";

/** The session and services with which a hook's requests are carried out. */
interface HookServices {
  readonly session: AmplifierSession;
  readonly logger: Logger;
  readonly sizeLimit: number | null;
  readonly tokenBudget: number | null;
  readonly context: unknown;
  readonly approvalSystem: unknown;
  readonly displaySystem: unknown;
  readonly now: () => string;
}

/**
 * Does what a hook asked for: injects its text into the context, shows its message, asks for approval. Resolves to the result,
 * or to `continue` or `deny` after an approval. A text above the size limit is an error (`OPTION_INVALID`); one above the
 * budget causes a warning.
 */
export async function processHookResult(
  result: AmplifierHookResult,
  event: string,
  hookName: string,
  services: HookServices,
): Promise<AmplifierHookResult> {
  const { context_injection: single, context_injections: several = [] } = result;
  const one = { content: single ?? "", role: result.context_injection_role, ephemeral: result.ephemeral };
  const injections = several.length > 0 ? several : one.content === "" ? [] : [one];
  for (const injection of injections) requireSize(injection, hookName, services);
  for (const injection of injections) await inject(injection, event, hookName, services);
  if (result.user_message && result.suppress_output !== true) await show(result, hookName, services);
  if (result.action === "ask_user") return askUser(result, hookName, services);
  return several.length > 0 ? withoutStored(result, several) : result;
}

/** Returns the result without those texts that are now stored; the agent's loop adds the others to the current request. */
function withoutStored(
  result: AmplifierHookResult,
  several: readonly AmplifierInjection[],
): AmplifierHookResult {
  const left = several.filter(({ ephemeral }) => ephemeral === true);
  const action = left.length === 0 && result.action === "inject_context" ? { action: "continue" } : {};
  return { ...result, context_injection: null, context_injections: left, ...action };
}

type Injection = Readonly<Record<"content", string>> & {
  readonly role?: string | undefined;
  readonly ephemeral?: boolean | undefined;
};

/** Throws for a text above the size limit; checked for every text before any is stored. */
function requireSize({ content: given }: Injection, hookName: string, { sizeLimit }: HookServices): void {
  const content = escapeHiddenInLines(given);
  if (sizeLimit === null || content.length <= sizeLimit) return;
  throw new ToolmountError("OPTION_INVALID", {
    option: "injection_size_limit",
    problem: `hook "${hookName}" injects ${content.length} characters, more than ${sizeLimit}`,
  });
}

async function inject(
  { content: given, role = "system", ephemeral }: Injection,
  event: string,
  hookName: string,
  { session, logger, tokenBudget, context, now }: HookServices,
): Promise<void> {
  const content = escapeHiddenInLines(given);
  session.injectedTokens += Math.ceil(content.length / 4);
  if (tokenBudget !== null && session.injectedTokens > tokenBudget)
    logger.warn(
      { hook: hookName, tokens: session.injectedTokens, budget: tokenBudget },
      "hooks inject more than their budget",
    );
  const add = member(context, "add_message");
  if (ephemeral === true || add === null) return;
  const metadata = { source: "hook", hook_name: hookName, event, timestamp: now() };
  await add({ role, content, metadata });
}

async function show(
  result: AmplifierHookResult,
  hookName: string,
  { displaySystem, logger }: HookServices,
): Promise<void> {
  const source = result.user_message_source ?? hookName;
  const level = result.user_message_level ?? "info";
  const display = member(displaySystem, "show_message");
  if (display === null) logger.info({ hook: hookName, level, source }, String(result.user_message));
  else await display(result.user_message, level, source);
}

/** Answers that grant the approval; any other denies it. */
const grants = new Set(["allow", "allow once", "allow always"]);

async function askUser(
  result: AmplifierHookResult,
  hookName: string,
  { approvalSystem }: HookServices,
): Promise<AmplifierHookResult> {
  const request = member(approvalSystem, "request_approval");
  if (request === null) return { action: "deny", reason: "there is no approval system to ask" };
  const prompt = result.approval_prompt ?? `allow what hook "${hookName}" asks about?`;
  const options = result.approval_options ?? ["Allow", "Deny"];
  const silence = result.approval_default ?? "deny";
  let answer: unknown;
  try {
    answer = await request(prompt, options, result.approval_timeout ?? 300, silence);
  } catch (error) {
    if (!(error instanceof Error && /Timeout/.test(error.name))) throw error;
    answer = silence;
  }
  const isGranted = typeof answer === "string" && grants.has(answer.trim().toLowerCase());
  return isGranted
    ? { action: "continue" }
    : { action: "deny", reason: `denied: ${String(answer).slice(0, 200)}` };
}

function member(thing: unknown, name: string): ((...parameters: unknown[]) => unknown) | null {
  const method = isRecord(thing) ? thing[name] : undefined;
  return typeof method === "function"
    ? (...parameters) => Reflect.apply(method, thing, parameters) as unknown
    : null;
}
