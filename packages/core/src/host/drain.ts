import type { HostState } from "./host-state.ts";
import type { DrainReport } from "../contract/host.ts";
import type { Run } from "../call/call.ts";
import { stop } from "../call/transitions.ts";

/** Waits for runs to end; those that do not in time are stopped, and given their grace. */
export async function drain(
  state: HostState,
  concerns: (run: Run) => boolean,
  ms: number,
  stopAll?: () => void,
): Promise<Omit<DrainReport, "failures">> {
  const running = () => state.active.items().filter(concerns);
  await idle(state, () => running().length === 0, ms);
  const aborted = running();
  for (const run of aborted) stop(run, "close", "the host closed");
  stopAll?.();
  await idle(state, () => running().length === 0, state.limits.graceMs * 2 + 50);
  return {
    aborted: aborted.map((run) => run.runId),
    abandoned: [...state.abandoned].filter(concerns).map((run) => run.runId),
  };
}

/** Resolves once `done` says so when a call ends, or after `ms`; without `ms` it waits for as long as it takes. */
export function idle(state: HostState, done: () => boolean, ms?: number): Promise<void> {
  if (done()) return Promise.resolve();
  return new Promise((resolve) => {
    const check = () => {
      if (done()) finish();
    };
    const finish = () => {
      timer?.cancel();
      state.onIdle = state.onIdle.filter((other) => other !== check);
      resolve();
    };
    const timer = ms === undefined ? null : state.clock.setTimer(finish, ms);
    state.onIdle.push(check);
  });
}
