import { errorMessage, type Coordinator, type Session } from "@toolmount/core";
import { changeSessionMode } from "@toolmount/core/sessions";
import type { Settings } from "../config/settings.ts";
import { message, type Item } from "../provider/items.ts";
import { outcomeText } from "./model-text.ts";
import type { SessionLog } from "../session/log.ts";

/** The key of the session's state that says whether its mode is ready. */
const readyKey = "toolmount.mode_ready";

/**
 * Runs the bootstrap calls of a mode, in order and in the new mode, up to the first that fails. Then the mode stays,
 * marked as not ready, and the model reads why. The log names each call before it runs. A call that a process began which
 * is gone fails as unknown, unless it may run twice. Source: TUL-012.
 */
export async function enterMode(
  log: SessionLog,
  session: Session,
  turn: {
    readonly turnId: string;
    readonly signal: AbortSignal;
    readonly userId: string | undefined;
    readonly conversationId: string;
    readonly traceparent: string;
    readonly isIdempotent: (tool: string) => boolean;
  },
  settings: Settings,
  { hooks, logger }: Pick<Coordinator, "hooks" | "logger">,
): Promise<string | null> {
  const mode = await session.mode({ turnId: turn.turnId });
  const steps = settings.bootstrap[mode];
  const entered = session.state.get(readyKey) as { readonly mode?: unknown } | undefined;
  if (steps === undefined || entered?.mode === mode) return null;
  const correlationId = `bootstrap_${turn.turnId}`;
  const {
    started,
    done,
    failure: known,
  } = log.view.entering?.mode === mode ? log.view.entering : { started: 0, done: 0, failure: null };
  let failure = known;
  for (const [at, step] of steps.entries()) {
    if (failure !== null) break;
    if (at < done) continue;
    if (at < started && !turn.isIdempotent(step.tool)) {
      failure = errorMessage("OUTCOME_UNKNOWN", { tool: step.tool });
      break;
    }
    const injected: Item[] = [];
    await log.append({ kind: "step", mode, at });
    const { turnId, signal, userId, conversationId, traceparent } = turn;
    const outcome = await session.call(
      { id: `${correlationId}_${at + 1}`, name: step.tool, arguments: step.arguments },
      { turnId, abortSignal: signal, userId, conversationId, traceparent, parallelGroupId: correlationId },
    );
    if ((await session.mode()) !== mode) {
      changeSessionMode(session.state, mode);
      failure = `${step.tool} changed the mode, which a bootstrap call may not do`;
    } else if (outcome.status !== "ok") failure = `${step.tool}: ${outcome.result.error ?? outcome.status}`;
    const text = outcomeText(outcome, "hook");
    if (failure === null && step.output !== "store")
      injected.push(message("developer", `[from ${step.tool}, on entering the mode ${mode}]\n${text}`));
    if (failure === null && step.output !== "inject")
      session.state.set(`toolmount.bootstrap.${mode}.${step.tool}`, text);
    await log.append({ kind: "stepped", mode, at, items: injected, failure, state: session.snapshot() });
  }
  const injected: Item[] = [];
  if (failure !== null) {
    injected.push(message("developer", `The mode ${mode} is not ready: ${failure}`));
    logger.warn({ session_id: session.id, mode, correlationId }, `a mode is not ready: ${failure}`);
  }
  session.state.set(readyKey, { mode, ready: failure === null, error: failure });
  await log.append({ kind: "entered", items: injected, state: session.snapshot() });
  await hooks.emit("mode:entered", {
    session_id: session.id,
    turn_id: turn.turnId,
    mode,
    correlation_id: correlationId,
    ready: failure === null,
  });
  return failure === null ? null : `the mode ${mode} is not ready: ${failure}`;
}
