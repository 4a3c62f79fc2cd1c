import { messageOf } from "../contract/errors.ts";
import { isoTime, type Clock } from "../contract/clock.ts";
import type { EventData, ContextInjection, HookResult } from "../contract/hooks.ts";
import type { Logger } from "../contract/logger.ts";
import type { Injection } from "../contract/outcome.ts";
import type { GateEntry, ObserverEntry } from "./registry.ts";
import { withTimeout } from "../scheduling/time.ts";

interface GateHost {
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Verdict {
  /** The event's data with every modification, in order. */
  data: EventData;
  modified: boolean;
  /** The first denial. The gates after it were not asked. */
  denied: { readonly reason: string; readonly gate: string } | null;
  ask: { readonly result: HookResult; readonly gate: string } | null;
  injections: Injection[] | null;
  /** Whether the first gate that injects text has set `suppressOutput`. */
  suppressed: boolean;
}

/** Asks gates in order. Returns null if no gate answered, and a promise only if a gate returned a promise. */
export function askGates(
  host: GateHost,
  gates: readonly GateEntry[],
  event: string,
  data: EventData,
): Verdict | null | Promise<Verdict> {
  let verdict: Verdict | null = null;
  for (let at = 0; at < gates.length; at++) {
    const gate = gates[at]!;
    const answer = askOne(host, gate, event, verdict === null ? data : verdict.data);
    if (answer === undefined) continue;
    verdict ??= { data, modified: false, denied: null, ask: null, injections: null, suppressed: false };
    if (answer instanceof Promise) return askRest(host, gates, at, event, verdict, answer);
    take(host, verdict, gate, answer);
    if (verdict.denied !== null) return verdict;
  }
  return verdict;
}

async function askRest(
  host: GateHost,
  gates: readonly GateEntry[],
  at: number,
  event: string,
  verdict: Verdict,
  first: Promise<unknown>,
): Promise<Verdict> {
  take(host, verdict, gates[at]!, await answerInTime(host, gates[at]!, first));
  for (const gate of gates.slice(at + 1)) {
    if (verdict.denied !== null) break;
    const answer = askOne(host, gate, event, verdict.data);
    take(host, verdict, gate, answer instanceof Promise ? await answerInTime(host, gate, answer) : answer);
  }
  return verdict;
}

/** The answer of a gate that failed. It counts as a denial. */
class Failed {
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }
}

function askOne(host: GateHost, gate: GateEntry, event: string, data: EventData): unknown {
  try {
    const answer: unknown = gate.handler(event, data);
    if (answer === undefined) return undefined;
    return isThenable(answer) && !(answer instanceof Promise) ? Promise.resolve(answer) : answer;
  } catch (error) {
    return logFailure(host, gate, error);
  }
}

function answerInTime(host: GateHost, gate: GateEntry, answer: Promise<unknown>): Promise<unknown> {
  return withTimeout<unknown>(
    host.clock,
    gate.timeoutMs,
    answer,
    () => new Failed(`it did not answer within ${gate.timeoutMs} ms`),
  ).catch((error: unknown) => logFailure(host, gate, error));
}

function logFailure(host: GateHost, gate: GateEntry, err: unknown): Failed {
  host.logger.error(
    { err, gate: gate.name, owner: gate.owner, event: gate.event },
    `a gate failed: ${messageOf(err)}`,
  );
  return new Failed("it failed");
}

function take(host: GateHost, verdict: Verdict, gate: GateEntry, answer: unknown): void {
  if (answer === undefined || answer === null) return;
  const problem = answer instanceof Failed ? answer.problem : problemOf(answer);
  if (problem !== null) {
    if (!(answer instanceof Failed))
      host.logger.error(
        { gate: gate.name, owner: gate.owner },
        `a gate returned an invalid answer: ${problem}`,
      );
    verdict.denied = { reason: `gate "${gate.name}" could not decide: ${problem}`, gate: gate.name };
    return;
  }
  const result = answer as HookResult;
  if (result.userMessage != null && result.suppressOutput !== true) show(host, gate, result);
  for (const injection of injectionsOf(result)) inject(verdict, gate, result, injection);
  switch (result.action ?? "continue") {
    case "deny":
      verdict.denied = { reason: result.reason ?? `gate "${gate.name}" denied it`, gate: gate.name };
      return;
    case "modify":
      verdict.data = Object.freeze({ ...verdict.data, ...result.data });
      verdict.modified = true;
      return;
    case "ask_user":
      verdict.ask ??= { result, gate: gate.name };
      return;
    case "inject_context":
    case "continue":
  }
}

const actions = new Set<unknown>([undefined, "continue", "deny", "modify", "inject_context", "ask_user"]);

function problemOf(answer: unknown): string | null {
  if (typeof answer !== "object" || answer === null)
    return `it answered with a value of type ${typeof answer}`;
  const { action, data, contextInjection, contextInjections } = answer as HookResult;
  if (!actions.has(action)) return "it answered with an unknown action";
  for (const key of texts) if (!isTextOrAbsent(answer[key as never])) return `its ${key} is not a text`;
  if (action === "modify" && (typeof data !== "object" || data === null))
    return "it answered modify without data";
  if (!areInjections(contextInjections)) return "its contextInjections are not a list of { content: text }";
  const hasList = contextInjections != null && contextInjections.length > 0;
  if (action === "inject_context" && typeof contextInjection !== "string" && !hasList)
    return "it answered inject_context without a text";
  return null;
}

const texts = ["reason", "userMessage", "userMessageSource", "contextInjection", "approvalPrompt"] as const;

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

function show({ logger }: GateHost, gate: GateEntry, result: HookResult): void {
  const { userMessage, userMessageLevel = "info", userMessageSource: source = gate.name } = result;
  const level = userMessageLevel === "warning" ? "warn" : userMessageLevel === "error" ? "error" : "info";
  logger[level]({ gate: gate.name, source }, String(userMessage).slice(0, 2_000));
}

function areInjections(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  const isInjection = (each: unknown) => typeof (each as { content?: unknown } | null)?.content === "string";
  return Array.isArray(value) && value.every(isInjection);
}

/** Returns the texts that a gate's answer adds. If the answer lists texts, its single text is ignored. */
function injectionsOf(result: HookResult): readonly ContextInjection[] {
  const { contextInjection, contextInjectionRole, contextInjections, ephemeral, appendToLastToolResult } =
    result;
  if (contextInjections != null && contextInjections.length > 0) return contextInjections;
  if (contextInjection == null) return [];
  return [
    { content: String(contextInjection), role: contextInjectionRole, ephemeral, appendToLastToolResult },
  ];
}

function inject(
  verdict: Verdict,
  gate: GateEntry,
  { suppressOutput }: HookResult,
  { content, role, ephemeral, appendToLastToolResult }: ContextInjection,
): void {
  if (verdict.injections === null) verdict.suppressed = suppressOutput === true;
  (verdict.injections ??= []).push({
    text: content,
    // Gates of Python write None for what they leave out, which is null here.
    role: role ?? "system",
    ephemeral: ephemeral ?? false,
    appendToLastToolResult: appendToLastToolResult ?? false,
    source: gate.name,
  });
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/** Notifies observers. Their errors are logged, and the promises that they return are awaited when the host closes. */
export class Observers {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #running = new Set<Promise<unknown>>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Adds the time to an event, freezes it, and notifies observers. */
  notifyNow(observers: readonly ObserverEntry[], event: string, data: EventData): void {
    this.notify(observers, event, Object.freeze({ ...data, timestamp: isoTime(this.#clock.now()) }));
  }

  notify(observers: readonly ObserverEntry[], event: string, data: EventData): void {
    for (const observer of observers) {
      try {
        const returned = observer.handler(event, data);
        if (returned instanceof Promise) this.#watch(returned, observer, event);
      } catch (error) {
        this.#logFailure(error, observer, event);
      }
    }
  }

  settled(): Promise<unknown> | null {
    return this.#running.size === 0 ? null : Promise.all(this.#running);
  }

  #watch(returned: Promise<unknown>, observer: ObserverEntry, event: string): void {
    const settled: Promise<unknown> = returned
      .catch((error: unknown) => this.#logFailure(error, observer, event))
      .finally(() => this.#running.delete(settled));
    this.#running.add(settled);
  }

  #logFailure(err: unknown, observer: ObserverEntry, event: string): void {
    this.#logger.warn({ err, observer: observer.name, owner: observer.owner, event }, "an observer failed");
  }
}
