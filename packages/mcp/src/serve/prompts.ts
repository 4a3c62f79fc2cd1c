import type { Host } from "@toolmount/core";
import { meter } from "@toolmount/core/internal";

/** The key of `_meta` under which a client sends what its user has written in the session, oldest first. */
const promptsKey = "toolmount/prompts";

/** Bytes of a user's words that are read. */
const maxBytes = 1_048_576;

/**
 * The user's words that a client sends with a call. They count only where the plan believes the clients of this user
 * (`flows.mcpUsers`): a client can write anything there.
 */
export function readPrompts(
  meta: Readonly<Record<string, unknown>>,
  { coordinator }: Pick<Host, "coordinator">,
  userId: string | undefined,
): { readonly prompts?: readonly string[] } {
  const given = meta[promptsKey];
  const believes = coordinator.getCapability("flows.believesClientOf") as
    | ((userId: string | undefined) => boolean)
    | null;
  if (given === undefined || believes?.(userId) !== true || meter(given, maxBytes) !== null) return {};
  return isTexts(given) ? { prompts: given } : {};
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}
