import type { MountedTool } from "../registry/prepare-tool.ts";
import type { Run } from "./call.ts";
import { end, goOn } from "./transitions.ts";
import type { Turns } from "../scheduling/semaphore.ts";

/**
 * Takes the turns that a run needs before its tool may begin: one of its tool's and one of its host's, each bounded in
 * number and in time. `waits`: it queues, and `again` is called with the turn; `refused`: it has ended.
 */
export function takeTurns(run: Run, again: (run: Run) => boolean): "taken" | "waits" | "refused" {
  const { slots, pace } = run.tool!;
  const { turns, pace: hostPace } = run.host;
  if (slots === null && pace === null && turns === null && hostPace === null) return "taken";
  if (slots !== null && !run.toolTurn && !isWithin(run.parent, run.tool!))
    if (!slots.take()) return queue(run, slots, () => (run.toolTurn = true), again);
    else run.toolTurn = true;
  if (pace !== null && !run.toolPace)
    if (!pace.take()) return queue(run, pace, () => (run.toolPace = true), again);
    else run.toolPace = true;
  if (turns !== null && !run.hostTurn && run.parent === null)
    if (!turns.take()) return queue(run, turns, () => (run.hostTurn = true), again);
    else run.hostTurn = true;
  if (hostPace !== null && !run.hostPace)
    if (!hostPace.take()) return queue(run, hostPace, () => (run.hostPace = true), again);
    else run.hostPace = true;
  return "taken";
}

/** A call made by the tool itself runs on that call's turn: it would wait for its own end. */
function isWithin(parent: Run | null, tool: MountedTool): boolean {
  for (let run = parent; run !== null; run = run.parent) if (run.tool === tool) return true;
  return false;
}

function queue(run: Run, turns: Turns, mark: () => void, again: (run: Run) => boolean): "waits" | "refused" {
  const { queued } = run.host.limits;
  if (turns.waiting >= queued) {
    const reason = `${turns.waiting} calls already wait for their turn`;
    end(run, "failed", "UNAVAILABLE", { tool: run.tool!.name, reason });
    return "refused";
  }
  const { token } = run;
  turns.wait(run, () => {
    mark();
    goOn(run, token, () => again(run));
  });
  return "waits";
}

/** Its tool begins now. */
export function useTurns(run: Run): void {
  if (run.toolPace) run.tool!.pace!.use();
  if (run.hostPace) run.host.pace!.use();
  if (run.toolPace || run.hostPace) run.toolPace = run.hostPace = false;
}

/** The run is over, or will not begin. */
export function giveTurns(run: Run): void {
  const { toolTurn, toolPace, hostTurn, hostPace } = run;
  if (!toolTurn && !toolPace && !hostTurn && !hostPace) return;
  run.toolTurn = run.toolPace = run.hostTurn = run.hostPace = false;
  if (toolPace) run.tool!.pace!.giveBack();
  if (hostPace) run.host.pace!.giveBack();
  if (toolTurn) run.tool!.slots!.release();
  if (hostTurn) run.host.turns!.release();
}
