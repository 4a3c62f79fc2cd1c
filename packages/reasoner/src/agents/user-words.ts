import type { SessionCallContext } from "@toolmount/core";
import type { SessionLog } from "../session/log.ts";

interface Running {
  readonly log: SessionLog;
  readonly above: Running | null;
}

/** What the user has written, and whose results a session has seen, as the context of its calls has them. */
export type UserWords = Pick<SessionCallContext, "prompts" | "parentSessionIds">;

/**
 * The user's words for the calls of a running session. The instruction of a sub-agent is written by a model, so a sub-agent
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
