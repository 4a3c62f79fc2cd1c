import type { OpenedHost } from "@toolmount/loader";
import { confirmUndo, mayUndo } from "../host/confirm-undo.ts";
import { lineOf, writeUndo } from "../render/changes.ts";
import type { Shell } from "../process/shell.ts";

/**
 * Undoes what the last turn of a session changed, also one of an earlier process, after a question: as `toolmount undo` does.
 * Returns the changes in words, for the model.
 */
export async function undoLastTurn(
  host: OpenedHost,
  sessionId: string,
  shell: Shell,
): Promise<readonly string[]> {
  const session = host.session(sessionId);
  const changes = await session.changes();
  const newest = changes.findLast((change) => mayUndo(change) && change.turnId !== undefined);
  if (newest === undefined) {
    shell.err.line("no turn of this session changed something that can be undone");
    return [];
  }
  const chosen = changes.filter(({ turnId }) => turnId === newest.turnId);
  return shell.interruptible(async (controller) => {
    if (!(await confirmUndo(chosen, shell, controller))) return [];
    const report = await session.undo({ turn: newest.turnId }, { abortSignal: controller.signal });
    writeUndo(shell.err, report);
    return report.undone.map(lineOf);
  });
}
