import { errorMessage, type Coordinator, type Rehearsal, type Session } from "@toolmount/core";
import { changeSessionMode } from "@toolmount/core/sessions";
import type { UserWords } from "../agents/user-words.ts";
import type { Settings } from "../config/settings.ts";
import { message, type Item } from "../provider/items.ts";
import type { SessionLog } from "../session/log.ts";
import { outcomeText } from "./model-text.ts";

/** The key in the session's state that says whether its mode is ready. */
const readyKey = "toolmount.mode_ready";

type Step = Settings["bootstrap"][string][number];

/** The parts of a turn that bootstrap calls use. */
interface Bootstrap {
  readonly log: SessionLog;
  readonly session: Session;
  readonly settings: Pick<Settings, "bootstrap">;
  readonly coordinator: Pick<Coordinator, "hooks" | "logger">;
  readonly turnId: string;
  readonly signal: AbortSignal;
  readonly userId: string | undefined;
  readonly conversationId: string;
  readonly traceparent: string;
  readonly words: UserWords & { readonly rehearsal?: Rehearsal };
  readonly isIdempotent: (tool: string) => boolean;
}

/**
 * Runs the bootstrap calls of a mode in order, up to the first that fails. They run in the new mode.
 *
 * After a failure the mode stays, but is marked as not ready, and the model reads the reason. The log names each call before it
 * runs. If a process ended during a call, the call counts as failed, unless it may run twice. Resolves to the problem, or to
 * null. Source: TUL-012.
 */
export async function enterMode(bootstrap: Bootstrap): Promise<string | null> {
  const { log, session, settings, coordinator, turnId } = bootstrap;
  const mode = await session.mode({ turnId });
  const steps = settings.bootstrap[mode];
  const entered = session.state.get(readyKey) as { readonly mode?: unknown } | undefined;
  if (steps === undefined || entered?.mode === mode) return null;
  const failure = await runSteps(bootstrap, mode, steps);
  const items: Item[] = [];
  if (failure !== null) {
    items.push(message("developer", `The mode ${mode} is not ready: ${failure}`));
    const fields = { session_id: session.id, mode, correlationId: correlationOf(bootstrap) };
    coordinator.logger.warn(fields, `a mode is not ready: ${failure}`);
  }
  session.state.set(readyKey, { mode, ready: failure === null, error: failure });
  await log.append({ kind: "entered", items, state: session.snapshot() });
  await coordinator.hooks.emit("mode:entered", {
    session_id: session.id,
    turn_id: turnId,
    mode,
    correlation_id: correlationOf(bootstrap),
    ready: failure === null,
  });
  return failure === null ? null : `the mode ${mode} is not ready: ${failure}`;
}

async function runSteps(bootstrap: Bootstrap, mode: string, steps: readonly Step[]): Promise<string | null> {
  const { entering } = bootstrap.log.view;
  const known = entering?.mode === mode ? entering : { started: 0, done: 0, failure: null };
  let { failure } = known;
  for (const [at, step] of steps.entries()) {
    if (failure !== null) break;
    if (at < known.done) continue;
    if (at < known.started && !bootstrap.isIdempotent(step.tool))
      return errorMessage("OUTCOME_UNKNOWN", { tool: step.tool });
    failure = await runStep(bootstrap, mode, step, at);
  }
  return failure;
}

async function runStep(bootstrap: Bootstrap, mode: string, step: Step, at: number): Promise<string | null> {
  const { log, session, turnId, signal, userId, conversationId, traceparent, words } = bootstrap;
  const { tool, output } = step;
  const group = correlationOf(bootstrap);
  await log.append({ kind: "step", mode, at });
  const outcome = await session.call(
    { id: `${group}_${at + 1}`, name: tool, arguments: step.arguments },
    { turnId, abortSignal: signal, userId, conversationId, traceparent, parallelGroupId: group, ...words },
  );
  let failure = outcome.status === "ok" ? null : `${tool}: ${outcome.result.error ?? outcome.status}`;
  if ((await session.mode()) !== mode) {
    changeSessionMode(session.state, mode);
    failure = `${tool} changed the mode, which a bootstrap call may not do`;
  }
  const text = outcomeText(outcome, "hook");
  const items: Item[] = [];
  if (failure === null && output !== "store")
    items.push(message("developer", `[from ${tool}, on entering the mode ${mode}]\n${text}`));
  if (failure === null && output !== "inject") session.state.set(`toolmount.bootstrap.${mode}.${tool}`, text);
  await log.append({ kind: "stepped", mode, at, items, failure, state: session.snapshot() });
  return failure;
}

function correlationOf({ turnId }: Bootstrap): string {
  return `bootstrap_${turnId}`;
}
