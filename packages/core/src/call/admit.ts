import { messageOf } from "../contract/errors.ts";
import type { Run } from "./call.ts";
import { end, goOn } from "./transitions.ts";
import type { ApprovalState } from "../contract/stores.ts";

/**
 * States of a call that waits for a person: its id is taken. What a process that is gone had begun, or had handed to a
 * client, is not in them: who goes on with its session calls again under the same id, where that does no harm.
 */
const open: readonly ApprovalState[] = ["pending", "approved"];

/**
 * Meets a call of a session whose store is there: brings the session's state, and refuses an id under which a call of the
 * session still waits. True when it waits for the store; nothing is looked up for calls that tools make.
 */
export function arrive(run: Run): boolean {
  const { host, given, token } = run;
  const { sessionId } = given;
  if (sessionId === undefined || run.parent !== null) return false;
  const loaded = host.states.load(sessionId);
  const repeated = waitsAlready(run, sessionId);
  if (loaded === null && repeated === null) return false;
  Promise.all([repeated, loaded]).then(
    ([isRepeated]) => goOn(run, token, () => (isRepeated === true ? refuseRepeat(run) : false)),
    (err: unknown) => goOn(run, token, () => refuse(run, err)),
  );
  return true;
}

/** Null where the caller gave no id, or there is nowhere to wait. */
function waitsAlready(run: Run, sessionId: string): Promise<boolean> | null {
  if (!run.claimedId) return null;
  const { callId, generation, host } = run;
  const store = host.desk.approvals(generation);
  if (store === null) return null;
  return store.list({ sessionId, callId, states: open, limit: 1 }).then((found) => found.length > 0);
}

function refuseRepeat(run: Run): false {
  return end(run, "failed", "DUPLICATE_CALL", { callId: run.callId.slice(0, 200) });
}

function refuse(run: Run, err: unknown): false {
  run.host.logger.error({ err, run_id: run.runId }, `a session could not be read: ${messageOf(err)}`);
  return end(run, "failed", "UNAVAILABLE", {
    tool: run.tool!.name,
    reason: "what is kept of its session could not be read",
  });
}
