import type { HostLink } from "../contract/host-chain.ts";
import { isRecord } from "../json/json.ts";

/** Hosts of one list that count. More of them is no list that a host wrote. */
const maxLinks = 1_000;

/** Longest id, and longest digest, in characters. */
const maxLength = 100;

/** Reads a list of hosts that came from another program. What is no link is left out. */
export function readHostLinks(value: unknown): readonly HostLink[] {
  return Array.isArray(value) ? value.slice(0, maxLinks).flatMap(readLink) : [];
}

function readLink(value: unknown): HostLink[] {
  if (!isRecord(value)) return [];
  const { host, plan } = value;
  if (!isShort(host)) return [];
  return [isShort(plan) ? { host, plan } : { host }];
}

function isShort(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxLength;
}
