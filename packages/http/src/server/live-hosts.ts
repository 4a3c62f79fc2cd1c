import type { Server } from "node:http";
import type { Clock, Logger } from "@toolmount/core";
import type { LiveHost } from "../api/service.ts";
import { reachedAt } from "../guard/authority.ts";
import { ApprovalWatch } from "../journal/approval-watch.ts";
import { CallHistory } from "../journal/call-history.ts";
import { CallsElsewhere } from "../work/calls-elsewhere.ts";
import { CallJournal } from "../journal/call-journal.ts";
import type { ServedHost } from "../served-host.ts";
import { BackgroundCalls } from "../work/background-calls.ts";
import { EventLog } from "../work/event-log.ts";
import { FirstAnswers } from "../work/first-answers.ts";
import { QuestionReports } from "../work/question-reports.ts";
import { ServerTurns } from "../work/server-turns.ts";
import type { Turn } from "../work/turn-record.ts";
import { Webhook } from "../work/webhook.ts";
import type { Drain } from "./drain.ts";
import type { ServeHostsOptions } from "./options.ts";
import { Replicas } from "../work/replicas.ts";

/** How many events of a host are kept, so that a client can read what it missed while its connection was lost. */
const maxEvents = 1_000;

/** What the hosts of one server share. */
interface Shared {
  /** The version of this server. */
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the time for running work is over. */
  readonly cut: AbortSignal;
}

/** Creates the hosts of a server by name, each with what this server adds to it. */
export function liveHosts(options: ServeHostsOptions, shared: Shared): Map<string, LiveHost> {
  const hook = options.webhook && new Webhook(options.webhook, shared.clock);
  const entries = Object.entries(options.hosts);
  return new Map(
    entries.map(([name, served]) => [name, liveHost(name, served, { ...shared, options, hook })]),
  );
}

interface Parts extends Shared {
  readonly options: ServeHostsOptions;
  readonly hook: Webhook | undefined;
}

function liveHost(name: string, served: ServedHost, parts: Parts): LiveHost {
  const { clock, logger, cut, options, hook: webhook, version } = parts;
  const { host } = served;
  const { leaseMs = 15_000 } = options.limits ?? {};
  const onError = (err: unknown) => logger.error({ err, host: name }, "the approvals cannot be read");
  const journal = new CallJournal(host, clock, logger);
  const watch = new ApprovalWatch(host, clock, onError);
  const scope = served.scope ?? name;
  const events = new EventLog(maxEvents);
  journal.watch((call) => events.add("call", call, call.userId));
  const replicas = new Replicas({ host, plan: served.plan, clock, logger, scope, version });
  const shared = { host, watch, clock, logger, scope, replicas };
  const history = new CallHistory(host, journal);
  const onChange = (turn: Turn) => events.add("turn", turn, turn.userId);
  return {
    ...served,
    name,
    journal,
    history,
    elsewhere: new CallsElsewhere({ history, replicas, events, clock, logger }),
    watch,
    events,
    work: served.turns && new ServerTurns({ ...shared, turns: served.turns, leaseMs, onChange }),
    answers: new FirstAnswers(host, clock, scope, leaseMs),
    replicas,
    background: new BackgroundCalls({ ...shared, cut }),
    reports: webhook && new QuestionReports({ ...shared, name, webhook, linkTo: linkOf(name, options) }),
  };
}

/**
 * Returns a function that returns the address of a question on the page, or undefined if the server has no public address. The
 * address names the host if the server has several.
 */
function linkOf(name: string, { publicUrl, hosts }: ServeHostsOptions): (id: string) => string | undefined {
  const query = Object.keys(hosts).length > 1 ? `?host=${encodeURIComponent(name)}` : "";
  return (id) => publicUrl && `${reachedAt(publicUrl, "")}/#/inbox/${id}${query}`;
}

interface Ending {
  readonly drain: Drain;
  readonly server: Server;
  readonly graceMs: number;
}

/** Ends the work of the hosts as far as there is time, and then closes what this server added to them. */
export async function endHosts(
  hosts: ReadonlyMap<string, LiveHost>,
  { drain, server, graceMs }: Ending,
): Promise<void> {
  // This is not awaited before the turns end, because a store that does not answer must not delay them.
  const drained = [...hosts.values()].map(({ replicas }) => replicas.drain());
  const restMs = await drain.leaveBalancer(graceMs);
  const turns = [...hosts.values()].map(async ({ work }) => work?.close(restMs));
  await drain.end(server, restMs, Promise.all([...hosts.values()].map(endWork)));
  await Promise.all([...turns, ...drained]);
  for (const live of hosts.values()) await closeHost(live);
}

/**
 * Starts no more background calls. Resolves when those that run have ended, and the calls over MCP that no request waits for.
 */
async function endWork({ background, mcp }: LiveHost): Promise<void> {
  await Promise.all([background.close(), mcp?.settled?.()]);
}

async function closeHost(live: LiveHost): Promise<void> {
  await live.replicas.close();
  await live.background.close();
  await live.reports?.close();
  for (const part of [live.elsewhere, live.journal, live.watch]) part.close();
  await live.mcp?.close();
}
