import { isoTime } from "../contract/clock.ts";
import { messageOf, ToolmountError } from "../contract/errors.ts";
import type { ApprovalRecord } from "../contract/stores.ts";
import { normalizeResult } from "../result/normalize.ts";

/** Throws if a call does not wait for a client's result, or if the result does not have the shape of a result. */
export function requireExpected({ state, tool, client }: ApprovalRecord, clientResult: unknown): void {
  if (!client)
    throw new ToolmountError("CLIENT_RESULT_REFUSED", { tool, problem: "it does not run at the client" });
  if (state === "ended") throw new ToolmountError("TICKET_USED", { tool });
  if (state !== "handed" && state !== "claimed")
    throw new ToolmountError("CLIENT_RESULT_REFUSED", {
      tool,
      problem: "the client did not receive the call",
    });
  try {
    normalizeResult(tool, tool, isoTime(0), clientResult);
  } catch (cause) {
    throw new ToolmountError("CLIENT_RESULT_REFUSED", { tool, problem: messageOf(cause) }, { cause });
  }
}
