import { systemClock, type PastCallFilter } from "@toolmount/core";
import { InvalidArgumentError, Option, type Command } from "commander";
import type { CallFilter } from "@toolmount/record";

export interface CallFilterOptions {
  readonly run?: string;
  readonly tool?: string;
  readonly user?: string;
  readonly session?: string;
  readonly status?: string;
  readonly code?: string;
  readonly since?: number;
  readonly until?: number;
  readonly text?: string;
}

/**
 * The values of `--status`: how a call can end, and the states of a call that has not ended (`waiting`, `decided`, `running`).
 */
const statuses = [
  "ok",
  "invalid",
  "not_found",
  "denied",
  "cancelled",
  "timed_out",
  "failed",
  "unknown",
  "waiting",
  "decided",
  "running",
];

export function addCallFilters(command: Command): Command {
  return command
    .option("--run <id>", "only this run")
    .option("--tool <name>", "only this tool")
    .option("--user <id>", "only calls of this user")
    .option("--session <id>", "only calls of this session")
    .addOption(new Option("--status <status>", "only calls that ended so, or that wait").choices(statuses))
    .option("--code <code>", "only calls that ended with this code of an error")
    .option(
      "--text <words>",
      "only calls with these words in arguments, result or error; order* also finds orders, invoices/ that folder",
    )
    .option("--since <time>", "only since then: 30m, 2h, 7d, or a date such as 2026-05-01T08:00Z", readSince)
    .option("--until <time>", "only before then", readSince);
}

/** Returns only those options that select calls. */
export function filterOf(options: CallFilterOptions): CallFilter {
  const { run, tool, user, session, code, since, until, text, status } = options;
  return { run, tool, user, session, code, since, until, text, status };
}

/** Returns the options as a filter for stored calls, in which some members have other names. */
export function pastFilterOf(options: CallFilterOptions): Omit<PastCallFilter, "limit"> {
  const { run, user: userId, session: sessionId, ...same } = filterOf(options);
  return { ...same, userId, sessionId, runIds: run === undefined ? undefined : [run] };
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const duration = /^(\d{1,6})([smhd])$/;

/** Reads a duration before now, or a date, as milliseconds since the epoch. */
function readSince(text: string): number {
  const time = duration.test(text) ? systemClock.now() - readDuration(text) : Date.parse(text);
  if (Number.isFinite(time)) return time;
  throw new InvalidArgumentError("Give 30m, 2h, 7d, or a date such as 2026-05-01T08:00Z.");
}

/** Reads a duration in milliseconds. */
export function readDuration(text: string): number {
  const [, count, unit = ""] = duration.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("Give 30m, 2h or 7d.");
  return Number(count) * units[unit]!;
}
