import type { Host } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";

/**
 * Tells modules that all modules of the plan are mounted, by the event `plan:mounted`; its gates are asked in the order
 * of mounting. Those that failed stand in `failed`: each is told of by `module:on_session_ready_failed`, and stops nothing.
 */
export async function tellAllMounted({ coordinator: { hooks } }: Host): Promise<void> {
  const { data } = await hooks.emit("plan:mounted", { failed: [] });
  const failed: unknown = data?.["failed"];
  if (!Array.isArray(failed)) return;
  for (const failure of failed)
    if (isRecord(failure)) await hooks.emit("module:on_session_ready_failed", failure);
}
