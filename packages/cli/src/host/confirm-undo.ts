import type { SessionChange } from "@toolmount/core";
import { askWhether } from "../process/choose.ts";
import type { Shell } from "../process/shell.ts";
import { interruption } from "../process/signals.ts";
import { lineOf } from "../render/changes.ts";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";

/** Tests whether a change can still be undone. */
export function mayUndo({ isUndone, irreversible }: SessionChange): boolean {
  return !isUndone && irreversible === undefined;
}

/**
 * Lists what would be undone and what stays, and asks the person at the terminal. Returns true without a terminal, or if nothing
 * can be undone.
 */
export async function confirmUndo(
  chosen: readonly SessionChange[],
  { err, terminal }: Pick<Shell, "err" | "terminal">,
  controller: AbortController,
): Promise<boolean> {
  const todo = chosen.filter(mayUndo);
  if (terminal === undefined || todo.length === 0) return true;
  for (const change of todo.toReversed()) err.line(`  undo ${lineOf(change)}`);
  for (const change of chosen.filter(({ irreversible }) => irreversible !== undefined))
    err.line(`  ${err.paint("yellow", "stays")} ${lineOf(change)}: ${printable(change.irreversible!)}`);
  const message = `Undo ${countOf(todo, "change")}?`;
  const answer = await askWhether(err, terminal, { signal: controller.signal, message });
  if (answer === undefined) controller.abort(interruption("SIGINT"));
  return answer === true;
}
