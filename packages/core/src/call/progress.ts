import type { Progress } from "../contract/context.ts";

/** Longest message of a progress, in characters; more is cut. */
const maxMessage = 1_000;

/** What a tool reported, and nothing beside it; null when it is no progress. */
export function readProgress(given: unknown): Progress | null {
  if (typeof given !== "object" || given === null) return null;
  const { progress, total, message } = given as Record<string, unknown>;
  if (typeof progress !== "number" || !Number.isFinite(progress)) return null;
  return Object.freeze({
    progress,
    ...(typeof total === "number" && Number.isFinite(total) ? { total } : {}),
    ...(typeof message === "string" ? { message: message.slice(0, maxMessage) } : {}),
  });
}
