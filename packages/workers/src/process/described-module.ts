import type {
  Clock,
  DescribedHook,
  DescribedModule,
  EventData,
  HookResult,
  JsonObject,
  Logger,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { z } from "zod";
import type { Contribution } from "../far/contributions.ts";
import { capabilityOf } from "../far/crossing.ts";
import type { DescribedTool } from "../far/described-tool.ts";
import type { ReportedCapability, ReportedHook } from "../far/far-message.ts";
import type { Question } from "../far/messages.ts";
import { placeholder } from "./placeholder.ts";

/** A process's report about its module. */
export interface DescribedByProcess {
  readonly tools: readonly DescribedTool[];
  readonly contributions: readonly Contribution[];
  readonly hooks: readonly ReportedHook[];
  readonly capabilities: readonly ReportedCapability[];
}

/** Asks a module's process a question. Rejects if there is no answer before `signal` aborts. */
type Ask = (question: Question, signal: AbortSignal) => Promise<unknown>;

interface DescribeOptions {
  /** Events and capabilities that the plan grants. They are checked, because the process may have forged its report. */
  readonly granted: { readonly hooks: readonly string[]; readonly capabilities: readonly string[] };
  readonly ask: Ask;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Returns what the host mounts for a module in a process. Throws if the report has something that the plan does not grant. */
export function describedModule(report: DescribedByProcess, options: DescribeOptions): DescribedModule {
  const { granted } = options;
  const { hooks, capabilities } = report;
  const excess =
    hooks.find(({ event }) => !granted.hooks.includes(event))?.event ??
    capabilities.find(({ name }) => !granted.capabilities.includes(name))?.name;
  if (excess !== undefined) throw new Error(`its process reports "${excess}", which the plan does not allow`);
  return {
    tools: report.tools.map(placeholder),
    contributions: report.contributions,
    hooks: hooks.map((hook) => hookOf(hook, options)),
    capabilities: capabilities.map(({ name, shape }) => ({
      name,
      value: capabilityOf(name, shape, (method, given) =>
        askInTime({ capability: name, method, arguments: given }, capabilityMs, options),
      ),
    })),
  };
}

/** Milliseconds within which a hook has to answer, unless it states another time; the same as core's for gates. */
const hookMs = 5_000;

/** Milliseconds within which a method of a capability has to answer. */
const capabilityMs = 30_000;

/** Maximum number of events that wait for one observer; it misses further ones. */
const maxObserved = 256;

/** Returns a hook that asks the process. If a gate fails, core denies; if an observer fails, core logs it. */
function hookOf({ id, kind, event, ...given }: ReportedHook, options: DescribeOptions): DescribedHook {
  const { timeoutMs = hookMs } = given;
  const ask = async (name: string, data: EventData) => {
    const question = { hook: id, event: name, data: dataOf(data) };
    return readAnswer(await askInTime(question, timeoutMs, options));
  };
  const handler = kind === "gate" ? ask : limited(ask, event, options.logger);
  return { kind, event, handler, options: given };
}

function limited(ask: DescribedHook["handler"], event: string, logger: Logger): DescribedHook["handler"] {
  let running = 0;
  return async (name, data) => {
    if (running >= maxObserved) {
      logger.warn({ event }, `an observer in a process misses an event: ${maxObserved} others wait for it`);
      return undefined;
    }
    running++;
    try {
      return await ask(name, data);
    } finally {
      running--;
    }
  };
}

async function askInTime(
  question: Question,
  timeoutMs: number,
  { ask, clock }: DescribeOptions,
): Promise<unknown> {
  const controller = new AbortController();
  const late = () =>
    controller.abort(new DOMException(`it did not answer within ${timeoutMs} ms`, "TimeoutError"));
  const timer = clock.setTimer(late, timeoutMs);
  const isLate = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error), {
      once: true,
    });
  });
  try {
    return await Promise.race([ask(question, controller.signal), isLate]);
  } finally {
    timer.cancel();
  }
}

/** Returns an event's data as JSON, without members that are functions. Throws if it cannot be written, as with a circle. */
function dataOf(data: EventData): JsonObject {
  try {
    return JSON.parse(JSON.stringify(data)) as JsonObject;
  } catch (error) {
    throw new Error(`the event cannot cross a border: ${messageOf(error)}`, { cause: error });
  }
}

const text = z.string().max(1_000_000).nullish();

const injection = z.object({
  content: z.string().max(1_000_000),
  role: z.enum(["system", "user", "assistant"]).optional(),
  ephemeral: z.boolean().optional(),
  appendToLastToolResult: z.boolean().optional(),
});

/**
 * Checks the answer of a hook, which its process may have forged. Only the plan and its approvers can make a question without
 * an answer count as an approval.
 */
const hookAnswer = z
  .object({
    action: z.enum(["continue", "deny", "modify", "inject_context", "ask_user"]).optional(),
    data: z.record(z.string(), z.json()).nullish(),
    reason: text,
    contextInjection: text,
    contextInjectionRole: z.enum(["system", "user", "assistant"]).optional(),
    contextInjections: z.array(injection).max(100).nullish(),
    ephemeral: z.boolean().optional(),
    approvalPrompt: text,
    approvalOptions: z.array(z.string().max(1_000)).max(32).optional(),
    approvalTimeoutMs: z.int().min(1).optional(),
    approvalDefault: z.literal("deny", { error: "a hook behind a border cannot approve" }).optional(),
    suppressOutput: z.boolean().optional(),
    userMessage: text,
    userMessageLevel: z.enum(["info", "warning", "error"]).optional(),
    userMessageSource: text,
    appendToLastToolResult: z.boolean().optional(),
  })
  .nullish();

function readAnswer(answer: unknown): HookResult | undefined {
  const parsed = hookAnswer.safeParse(answer);
  if (parsed.success) return (parsed.data ?? undefined) as HookResult | undefined;
  const { path, message } = parsed.error.issues[0]!;
  throw new Error(`its answer is not valid: ${path.join(".")}: ${message}`);
}
