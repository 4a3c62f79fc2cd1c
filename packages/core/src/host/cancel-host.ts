import type { CancellationState } from "../contract/cancellation.ts";
import { heed } from "../call/cancellation.ts";
import { idle } from "./drain.ts";
import type { HostState } from "./host-state.ts";

/**
 * Has the host's calls follow its own token, and tells of it: `cancel:requested` at each step, `cancel:completed` once
 * the calls that it found are over. Returns what waits for the latter.
 */
export function announceCancellation(host: HostState): () => Promise<void> {
  let round: Promise<void> | null = null;
  host.cancellation.onChange((level) => {
    host.cancelState = level;
    if (level === "none") return;
    const silent = host.closing && host.active.size === 0; // closing an idle host is no news
    if (!silent) tell(host, "cancel:requested", { level, running_tools: runningTools(host) });
    if (!silent) round ??= complete(host).finally(() => (round = null));
    for (const run of host.active.items()) heed(run, level);
    void callBack(host);
  });
  return () => round ?? Promise.resolve();
}

async function complete(host: HostState): Promise<void> {
  const { cancellation } = host;
  const concerned = host.active.items();
  let level: CancellationState = cancellation.state;
  const undo = cancellation.onChange((next) => {
    if (next !== "none") level = next;
  });
  await idle(host, () => {
    while (concerned.at(-1)?.active.list === null) concerned.pop();
    return concerned.length === 0;
  });
  undo();
  tell(host, "cancel:completed", { level });
}

async function callBack(host: HostState): Promise<void> {
  for (const err of await host.cancellation.triggerCallbacks())
    host.logger.warn({ err }, "a callback of a cancellation failed");
}

function runningTools(host: HostState) {
  return [...host.runningCalls()].map(([run_id, tool_name]) => ({ run_id, tool_name }));
}

function tell(host: HostState, event: string, data: Readonly<Record<string, unknown>>): void {
  const observers = host.home.generation().observers(event);
  if (observers.length > 0) host.tellNow(observers, event, data);
}
