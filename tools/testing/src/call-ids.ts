import type { CallInfo } from "@toolmount/core";
import { z } from "zod";

/** Returns the ids with which every answer of these tools ends; null for an id that the call does not have. */
export function callIds({ sessionId, conversationId }: CallInfo) {
  return { SessionId: sessionId ?? null, ConversationId: conversationId ?? null };
}

/** The shape of {@link callIds}, to be spread into an output schema. */
export const callIdShape = {
  SessionId: z.string().nullable(),
  ConversationId: z.string().nullable(),
};
