import type { SessionCallContext } from "@toolmount/core";
import type { SessionLog } from "../session/log.ts";

interface Running {
  readonly log: SessionLog;
  readonly above: Running | null;
}

/**
 * Returns, for the context of calls, the sessions, turns and calls that began a sub-agent's session, the nearest first. Empty for
 * a session that no other one began.
 */
export function causesOf({ log, above }: Running): Pick<SessionCallContext, "causes"> {
  if (above === null) return {};
  const { turn } = above.log.view;
  const begun = turn?.calls.find(({ child }) => child?.sessionId === log.facts.id);
  const cause = {
    sessionId: above.log.facts.id,
    ...(turn !== null && { turnId: turn.turnId }),
    ...(begun !== undefined && { callId: begun.call.callId }),
  };
  return { causes: [cause, ...(causesOf(above).causes ?? [])] };
}

/** Members of the context of calls: the user's prompts, the sessions whose results the session has seen, and its causes. */
export type UserWords = Pick<SessionCallContext, "prompts" | "parentSessionIds" | "causes">;

/**
 * Returns the user's words for the calls of a running session. A sub-agent has the words of the session that began it, because
 * a model wrote its instruction. If that session does not run in this process, `prompts` is absent.
 */
export function wordsOf({ log: { facts, view }, above }: Running): UserWords {
  if (facts.parentId === null) return { prompts: [...view.prompts], ...sessions(view.sources) };
  if (above === null) return sessions([facts.parentId]);
  const { prompts, parentSessionIds = [] } = wordsOf(above);
  return {
    ...(prompts !== undefined && { prompts }),
    ...sessions([...parentSessionIds, above.log.facts.id]),
  };
}

function sessions(ids: readonly string[]): Pick<UserWords, "parentSessionIds"> {
  return ids.length === 0 ? {} : { parentSessionIds: ids };
}
