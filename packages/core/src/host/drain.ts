import type { Call } from "../call/call.ts";
import { stopCall } from "../call/transitions.ts";
import type { DrainReport } from "../contract/host.ts";
import type { HostState } from "./host-state.ts";

/** Waits at most `ms` for calls to end. Stops those that do not end in time, and gives them their grace period. */
export async function drain(
  host: HostState,
  concerns: (call: Call) => boolean,
  ms: number,
  stopAll?: () => void,
): Promise<Omit<DrainReport, "failures">> {
  const running = () => host.active.items().filter(concerns);
  await waitUntil(host, () => running().length === 0, ms);
  const aborted = running();
  for (const call of aborted) stopCall(call, "close", "the host closed");
  stopAll?.();
  await waitUntil(host, () => running().length === 0, host.limits.graceMs * 2 + 50);
  return {
    draining: [],
    aborted: aborted.map((call) => call.runId),
    abandoned: [...host.abandoned].filter(concerns).map((call) => call.runId),
  };
}

/** Resolves when `isDone` is true after the end of a call, or after `ms`; without `ms`, it waits without a limit. */
export function waitUntil(host: HostState, isDone: () => boolean, ms?: number): Promise<void> {
  if (isDone()) return Promise.resolve();
  return new Promise((resolve) => {
    const check = () => {
      if (isDone()) finish();
    };
    const finish = () => {
      timer?.cancel();
      host.onCallEnd = host.onCallEnd.filter((other) => other !== check);
      resolve();
    };
    const timer = ms === undefined ? null : host.clock.setTimer(finish, ms);
    host.onCallEnd.push(check);
  });
}
