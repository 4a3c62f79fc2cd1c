import type { TurnState } from "./turn-state.ts";

/** Aborts the turn with the caller's signal, the session's token, or at the turn's time limit. Returns the undo. */
export function watchStop(state: TurnState): () => void {
  const { abortSignal, session, settings, clock, log, controller } = state;
  const abort = () => void (controller.signal.aborted || controller.abort());
  if (abortSignal?.aborted === true || session.cancellation.isImmediate) abort();
  abortSignal?.addEventListener("abort", abort, { once: true });
  const unsubscribe = session.cancellation.onChange((level) => level === "immediate" && abort());
  const { ms } = settings.budgets;
  const { activeMs } = log.view.turn!;
  const startedAt = clock.now();
  // The time before a pause counts; the pause does not.
  log.stopwatch = () => activeMs + Math.max(0, clock.now() - startedAt);
  const expire = () => {
    state.isOutOfTime = true;
    abort();
  };
  const timer = ms === undefined ? undefined : clock.setTimer(expire, Math.max(1, ms - activeMs));
  return () => {
    abortSignal?.removeEventListener("abort", abort);
    unsubscribe();
    timer?.cancel();
    log.stopwatch = null;
  };
}
