import { applyCancellation } from "../call/cancellation.ts";
import type { CancellationState } from "../contract/cancellation.ts";
import type { EventData } from "../contract/hooks.ts";
import { waitUntil } from "./drain.ts";
import type { HostState } from "./host-state.ts";
import { generationOf } from "../registry/generation.ts";

/** Makes calls follow the host's token, with an event for each step. Returns a function that waits for `cancel:completed`. */
export function followHostToken(host: HostState): () => Promise<void> {
  let completion: Promise<void> | null = null;
  host.cancellation.onChange((level) => {
    host.cancelState = level;
    if (level === "none") return;
    const isIdleClose = host.closing && host.active.size === 0; // closing an idle host cancels nothing
    if (!isIdleClose) {
      const running_tools = [...host.runningCalls()].map(([run_id, tool_name]) => ({ run_id, tool_name }));
      notify(host, "cancel:requested", { level, running_tools });
      completion ??= complete(host).finally(() => (completion = null));
    }
    for (const call of host.active.items()) applyCancellation(call, level);
    void runCallbacks(host);
  });
  return () => completion ?? Promise.resolve();
}

async function complete(host: HostState): Promise<void> {
  const { cancellation } = host;
  const calls = host.active.items();
  let level: CancellationState = cancellation.state;
  const undo = cancellation.onChange((next) => {
    if (next !== "none") level = next;
  });
  await waitUntil(host, () => {
    while (calls.at(-1)?.place === -1) calls.pop();
    return calls.length === 0;
  });
  undo();
  notify(host, "cancel:completed", { level });
}

async function runCallbacks(host: HostState): Promise<void> {
  for (const err of await host.cancellation.triggerCallbacks())
    host.logger.warn({ err }, "a callback of a cancellation failed");
}

function notify(host: HostState, event: string, data: EventData): void {
  const observers = generationOf(host.moduleSet).observers(event);
  if (observers.length > 0) host.observers.notifyNow(observers, event, data);
}
