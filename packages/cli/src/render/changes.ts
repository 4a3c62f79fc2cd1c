import type { SessionChange, UndoReport } from "@toolmount/core";
import { countOf } from "../screen/count.ts";
import { jsonText, printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";
import { writeTable } from "../screen/table.ts";

/** Writes a table of changes, the oldest first, with the numbers that `undo --to` accepts. */
export function writeChanges(screen: Screen, changes: readonly SessionChange[]): void {
  if (changes.length === 0) return screen.line("no change that could be undone");
  writeTable(
    screen,
    [
      { title: "number", cell: numberOf },
      { title: "state", cell: (change) => stateOf(screen, change) },
      { title: "tool", cell: ({ tool }) => screen.paint("cyan", printable(tool)) },
      { title: "arguments", cell: ({ arguments: given }) => printable(jsonText(given, 0)) },
    ],
    changes,
  );
}

function stateOf(screen: Screen, { isUndone, irreversible, undoBegan }: SessionChange): string {
  if (irreversible !== undefined) return screen.paint("yellow", "cannot be undone");
  if (undoBegan === true) return screen.paint("yellow", "undo began");
  return isUndone ? "undone" : screen.paint("green", "can be undone");
}

/** Writes which changes were undone, which one failed and why, and which stay. */
export function writeUndo(
  screen: Screen,
  { undone, stopped, left, irreversible, isPartial }: UndoReport,
): void {
  for (const change of undone) screen.line(`${screen.paint("green", "✔")} ${lineOf(change)}`);
  if (stopped !== null) {
    const { error = "", code } = stopped.outcome.result;
    screen.line(`${screen.paint("red", "✖")} ${lineOf(stopped.change)}: ${printable(error)}`);
    if (code === "OUTCOME_UNKNOWN")
      screen.line(
        "  its undo began in a process that died or stalled: look, then add --unclear done or --unclear repeat",
      );
    for (const later of stopped.later) screen.line(`  changed since by ${lineOf(later)}`);
  }
  for (const change of irreversible)
    screen.line(`${screen.paint("yellow", "!")} ${lineOf(change)} stays: ${printable(change.irreversible!)}`);
  if (isPartial) screen.line("older changes of this session are no longer kept");
  const rest = left.length === 0 ? "" : `, ${left.length} left`;
  screen.line(`${countOf(undone, "change")} undone${rest}`);
}

/** Returns a line about a change: its number, its tool and its arguments. */
export function lineOf(change: SessionChange): string {
  const { tool, arguments: given } = change;
  return `${numberOf(change)} ${printable(tool)} ${printable(jsonText(given, 0))}`;
}

/**
 * Returns the number of a change, or `agent` for a change of a sub-agent, because `--to` accepts only numbers of the session
 * itself.
 */
function numberOf({ number, sessionId }: SessionChange): string {
  return sessionId === undefined ? String(number) : "agent";
}
