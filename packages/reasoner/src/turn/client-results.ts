import { ToolmountError } from "@toolmount/core";
import type { SessionView } from "../session/view.ts";
import type { ClientResult } from "./turn-types.ts";

/**
 * Checks a client's results against the calls that wait for it. Throws `CLIENT_RESULT_REFUSED` for an unknown or repeated
 * id, for a call that does not wait for the client or has a result, and for a result without exactly one of `result` and
 * `error`.
 */
export function checkClientResults(view: SessionView, given: readonly ClientResult[]): void {
  const seen = new Set<string>();
  for (const { callId, result, error } of given) {
    const state = view.turn?.calls.find(({ call }) => call.callId === callId);
    const tool = state?.waits?.tool ?? state?.call.name ?? callId;
    const refuse = (problem: string): never => {
      throw new ToolmountError("CLIENT_RESULT_REFUSED", { tool, problem });
    };
    if (seen.has(callId)) refuse("its id is given twice");
    if (state === undefined) refuse("no call of this turn has this id");
    if (state?.output !== null) refuse("the call has its result already");
    if (state?.waits?.waitsFor !== "client") refuse("the call does not wait for the client");
    if ((result === undefined) === (error === undefined)) refuse("give either a result or an error");
    seen.add(callId);
  }
}
