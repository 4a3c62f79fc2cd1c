import type { CallRequest, JsonObject, Rehearsal, ToolOutcome } from "@toolmount/core";

export interface ListOptions {
  readonly ask?: true;
  readonly first?: number;
}

export const askOption = [
  "--ask",
  "with --rehearse: ask once for the whole list, then make its calls; without a terminal the question waits in the store",
] as const;

export const firstOption = [
  "--first <count>",
  "with --ask: only the first calls of the list",
  readFirst,
] as const;

/** Reads how many calls of a list are approved, beginning with the first. */
export function readFirst(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  // Commander recognises its InvalidArgumentError by this code. Loading the class itself would take time.
  throw Object.assign(new Error("Give a number from 1."), { code: "commander.invalidArgument" });
}

/**
 * Lets a person answer for the list of calls that a rehearsal made, and then makes the approved calls: with `request`, by making
 * that request again; otherwise one by one. Null without `--ask`, or if the list is empty.
 */
export async function makeList(
  rehearsal: Rehearsal,
  { ask, first }: ListOptions,
  context: Parameters<Rehearsal["make"]>[1],
  request?: CallRequest,
): Promise<ToolOutcome | null> {
  const { calls, digest } = rehearsal;
  if (ask !== true || calls.length === 0) return null;
  const run = request === undefined ? undefined : [{ name: request.name, arguments: objectOf(request) }];
  return rehearsal.make({ digest, first, run }, context);
}

function objectOf({ arguments: given = {} }: CallRequest): JsonObject {
  return typeof given === "string" ? (JSON.parse(given) as JsonObject) : (given as JsonObject);
}
