import { ToolmountError, type EventData, type Host, type ToolInfo } from "@toolmount/core";
import type { CallWatch } from "../process/watchdog.ts";

/** Reports each call of a host to the watchdog, from `tool:pre` to its one `tool:post` or `tool:error`. */
export function watchCalls({ coordinator }: Pick<Host, "coordinator">, calls: CallWatch): void {
  const ends = new Map<unknown, () => void>();
  const end = (_event: string, { run_id }: EventData) => {
    ends.get(run_id)?.();
    ends.delete(run_id);
  };
  coordinator.hooks.observe("tool:pre", (_event, { run_id, tool_name }) => {
    const tool = String(tool_name);
    const info = coordinator.get("tools", tool) as Pick<ToolInfo, "timeoutMs"> | null;
    if (info === null) return;
    const { timeoutMs } = info;
    const error = () => new ToolmountError("TIMED_OUT", { tool, timeoutMs });
    ends.set(run_id, calls.begin({ tool, timeoutMs, error }));
  });
  coordinator.hooks.observe("tool:post", end);
  coordinator.hooks.observe("tool:error", end);
}
