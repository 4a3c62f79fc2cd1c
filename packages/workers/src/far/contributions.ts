import { allEvents, type Json } from "@toolmount/core";
import { frozenCopy } from "@toolmount/core/json";

/** What a module contributes to a channel, as it was when the module was mounted. */
export interface Contribution {
  readonly channel: string;
  readonly name: string;
  readonly value: Json;
}

/** Longest name, and longest value in characters of JSON. */
const maxName = 200;
const maxLength = 100_000;

/** Channels from which the host takes more than plain data. */
const hostChannels = /^(?:mcp|lock|skills)(?:\.|$)/;

/** Why a contribution cannot come from another process; null for one that can. */
export function problemOf(channel: string, name: string, value: unknown): string | null {
  if (channel.length > maxName || name.length > maxName)
    return `its name has more than ${maxName} characters`;
  if (hostChannels.test(channel)) return "the host takes more than plain data from it";
  return isShortJson(value) ? null : `a contribution is JSON of at most ${maxLength} characters`;
}

function isShortJson(value: unknown): boolean {
  try {
    return JSON.stringify(frozenCopy(value)).length <= maxLength;
  } catch {
    return false;
  }
}

/** Events of a host and its sessions that a module may not announce; those of files are for tools. */
const canonical: ReadonlySet<string> = new Set(allEvents.filter((event) => !event.startsWith("artifact:")));

/** The events that a module says it emits, and may emit. */
export function announcedEvents(contributions: readonly Contribution[]): ReadonlySet<string> {
  const names = contributions
    .filter(({ channel }) => channel === "observability.events")
    .flatMap(({ value }) => value)
    .filter((name): name is string => typeof name === "string" && name.length <= maxName);
  return new Set(names.filter((name) => !canonical.has(name)));
}
