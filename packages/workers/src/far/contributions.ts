import { allEvents, type Json } from "@toolmount/core";
import { frozenCopy } from "@toolmount/core/json";

/** A module's contribution to a channel, with its value at the time of mounting. */
export interface Contribution {
  readonly channel: string;
  readonly name: string;
  readonly value: Json;
}

/** Longest name in characters, and longest value in characters of its JSON. */
const maxName = 200;
const maxLength = 100_000;

/** Channels in which the host expects more than plain data. */
const hostChannels = /^(?:mcp|lock|skills)(?:\.|$)/;

/** Returns why a contribution cannot come from another process; null if it can. */
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

/**
 * Events of a host and its sessions that a module must not announce. Those about files are allowed, because tools emit them.
 */
const canonical: ReadonlySet<string> = new Set(allEvents.filter((event) => !event.startsWith("artifact:")));

/** Returns the events that a module announces and may emit. */
export function announcedEvents(contributions: readonly Contribution[]): ReadonlySet<string> {
  const names = contributions
    .filter(({ channel }) => channel === "observability.events")
    .flatMap(({ value }) => value)
    .filter((name): name is string => typeof name === "string" && name.length <= maxName);
  return new Set(names.filter((name) => !canonical.has(name)));
}
