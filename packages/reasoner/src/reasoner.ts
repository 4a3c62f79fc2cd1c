import { randomUUID } from "node:crypto";
import { ownSession, systemClock, ToolmountError, type Coordinator, type Spawn } from "@toolmount/core";
import type { Settings } from "./config/settings.ts";
import { denyFor } from "./instead.ts";
import type { Reasoner, RunOptions, SessionDetails, TurnHost } from "./reasoner-types.ts";
import { TurnRunner, type RunningTurn } from "./run-turn.ts";
import { createSessionAccess, ownerOf, type ReasonerOptions, type SessionAccess } from "./session-access.ts";
import { detailsOf, pastTurn, summaryOf } from "./session-summary.ts";
import type { Item } from "./provider/items.ts";
import type { SessionEntry } from "./session/entry.ts";
import { conflict, readEntry } from "./session/log.ts";
import { pastCallsOf } from "./session/past-calls.ts";
import { saidIn } from "./session/said.ts";
import { forkSession, rewindSession } from "./session-copies.ts";
import { Spawner } from "./spawn.ts";
import type { ClientResult, TurnResult } from "./turn/turn-types.ts";
import type { SessionView } from "./session/view.ts";

/** Creates a reasoner for the tools that a coordinator has mounted. */
export function createReasoner(
  coordinator: Coordinator,
  { settings, agents = {}, ranked, clock = systemClock }: ReasonerOptions,
): Reasoner & { readonly spawn: Spawn } {
  const { prices } = settings;
  const access = createSessionAccess(coordinator, { settings, agents, ranked, now: () => clock.now() });
  const runner = new TurnRunner(coordinator, access, clock);
  const spawner = new Spawner(coordinator, access, runner);

  const runFirst = async (host: TurnHost, id: string, options: RunOptions): Promise<TurnResult> => {
    const userId = options.userId ?? null;
    const facts = { id, parentId: null, userId, agent: null, depth: 0, allowed: [] };
    await runner.openModel(facts, options); // this comes first, so that a model that cannot be asked leaves no empty session behind
    return runner.start(host, await access.create(facts), options, true);
  };

  return {
    model: settings.model,
    async run(host, options) {
      const id = ownSession(options.userId, options.sessionId ?? randomUUID());
      const found = await access.find(id);
      if (found !== null) access.requireOwner(found.facts, options.userId);
      runner.requireIdle(id);
      return found === null ? runFirst(host, id, options) : runner.start(host, found, options, false);
    },

    async resume(host, options) {
      const { userId, sessionId, clientResults = [], cancel = false, message } = options;
      const id = ownSession(userId, sessionId);
      const log = await access.open(id);
      access.requireOwner(log.facts, userId);
      runner.requireIdle(id);
      if (log.view.turn === null) {
        await log.save(); // the process may have ended after the turn's end but before the record was saved
        throw conflict(id, "no turn of it is open");
      }
      checkClientResults(log.view, clientResults);
      await access.restore(host, log);
      await coordinator.hooks.emit("session:resume", { session_id: id, turn_id: log.view.turn.turnId });
      const denied = await denyFor(message, log, { host, access, coordinator, userId });
      const given = cancel ? { ...options, abortSignal: AbortSignal.abort() } : options;
      return runner.resume(host, log, given, [...denied, ...clientResults]);
    },

    list: async (filter) => (await access.store().list(filter)).map((record) => summaryOf(record, prices)),
    show: (id) => showSession(access, id, prices),
    lastTurn: (id) => readLastTurn(access, id),
    output: (id, callId) => outputOf(access, id, callId),
    calls: async (id) => pastCallsOf(await entriesOf(access, id)),
    said: async (id) => saidIn(await entriesOf(access, id)),
    owner: (id) => ownerOf(access.store(), id),
    fork: (host, id, newId, userId, at) =>
      forkSession(coordinator, access, host, { id, newId, userId, at, prices }),
    rewind: (host, id, turns, userId) => rewindSession(access, runner, host, { id, turns, userId, prices }),
    addMessage: (sessionId, prompt, id) => runner.addMessage(sessionId, prompt, id),
    release: (id) => releaseTurn(runner.find(id)),
    leave: (host, id) => leaveSession(coordinator, access, host, id),
    spawn: (request) => spawner.spawn(request),
  };
}

async function leaveSession(
  coordinator: Coordinator,
  access: SessionAccess,
  host: TurnHost,
  id: string,
): Promise<void> {
  await coordinator.hooks.emit("session:end", { session_id: id });
  host.session(id).end();
  access.forget(id);
}

/** Stops changing the logs of a turn and its sub-agents, so that another process can resume them. */
function releaseTurn(running: Pick<RunningTurn, "log" | "below"> | undefined): void {
  for (const child of running?.below ?? []) releaseTurn(child);
  running?.log.release();
}

async function showSession(
  access: SessionAccess,
  id: string,
  prices: Settings["prices"],
): Promise<SessionDetails> {
  const { view } = await access.open(id);
  return { ...summaryOf((await access.store().load(id))!, prices), ...detailsOf(view, prices) };
}

async function readLastTurn(access: SessionAccess, id: string): Promise<TurnResult | null> {
  const log = await access.open(id);
  return log.view.lastTurn === null ? null : pastTurn(log, access.settingsFor(log.facts, {}));
}

/** Returns the output of a call from the log; null if it has none. */
async function outputOf(access: SessionAccess, id: string, callId: string): Promise<Item | null> {
  await access.open(id);
  const entries = (await access.store().entries(id)).map(({ entry }) => entry as Partial<SessionEntry>);
  const found = entries.find((entry) => entry.kind === "output" && entry.callId === callId);
  return (found as { readonly item?: Item } | undefined)?.item ?? null;
}

async function entriesOf(access: SessionAccess, id: string): Promise<readonly SessionEntry[]> {
  await access.open(id);
  const entries = await access.store().entries(id);
  return entries.map(({ sequence, entry }) => readEntry(id, sequence, entry));
}

/**
 * Checks a client's results against the calls that wait for the client. Throws `CLIENT_RESULT_REFUSED` for an unknown or repeated
 * id, for a call that does not wait for the client or already has a result, and unless exactly one of `result` and `error` is
 * given.
 */
function checkClientResults(view: SessionView, given: readonly ClientResult[]): void {
  const seen = new Set<string>();
  for (const { callId, result, error } of given) {
    const state = view.turn?.calls.find(({ call }) => call.callId === callId);
    const tool = state?.waits?.tool ?? state?.call.name ?? callId;
    const refuse = (problem: string): never => {
      throw new ToolmountError("CLIENT_RESULT_REFUSED", { tool, problem });
    };
    if (seen.has(callId)) refuse("its id is given twice");
    if (state === undefined) refuse("no call of this turn has this id");
    if (state?.output !== null) refuse("the call has its result already");
    if (state?.waits?.waitsFor !== "client") refuse("the call does not wait for the client");
    if ((result === undefined) === (error === undefined)) refuse("give either a result or an error");
    seen.add(callId);
  }
}
