import type { SessionCallContext } from "@toolmount/core";
import type { SessionLog } from "../session/log.ts";

interface Running {
  readonly log: SessionLog;
  readonly above: Running | null;
}

/** Returns the turns and calls that began a sub-agent's session, nearest first, for the context of its calls. */
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

/** The user's words, and the sessions whose results a session has seen, for the context of its calls. */
export type UserWords = Pick<SessionCallContext, "prompts" | "parentSessionIds" | "causes">;

/**
 * Returns the user's words for the calls of a running session. A model writes the instruction of a sub-agent, so a sub-agent
 * has the words of the session that began it. If that session does not run, they are unknown.
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
