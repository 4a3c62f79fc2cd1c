import type { CallInfo } from "@toolmount/core";
import { z } from "zod";

/** Returns the ids that every answer of this family ends with; null where the call has none. */
export function callIds({ sessionId, conversationId }: CallInfo) {
  return { SessionId: sessionId ?? null, ConversationId: conversationId ?? null };
}

/** The shape of {@link callIds}, to be spread into an output schema. */
export const callIdShape = {
  SessionId: z.string().nullable(),
  ConversationId: z.string().nullable(),
};
