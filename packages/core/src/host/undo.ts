import type {
  ChangeFilter,
  SessionChange,
  SessionDifference,
  UnclearUndo,
  UndoReport,
  UndoRequest,
  UndoSelection,
} from "../contract/changes.ts";
import type { CallContext } from "../contract/context.ts";
import type { SessionId } from "../contract/own-session.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import type { PreviewedEffect } from "../contract/preview.ts";
import { startCall } from "../call/pipeline.ts";
import type { Json } from "../json/json.ts";
import type { HostState } from "./host-state.ts";
import { UndoLog } from "./undo-log.ts";
import { generationOf } from "../registry/generation.ts";

/*
 * How changes are undone, newest first:
 *
 * 1. The log of the session is read. An entry with a lease claims each change that is not undone yet. The log accepts an entry
 *    only directly after the last entry, so exactly one of several processes has the claim, and the others wait for it.
 * 2. The undo is a call of the tool, which goes through the hops of every call.
 * 3. Before the tool runs, an entry says that it begins. A process that has lost its claim meanwhile cannot write this entry,
 *    and does not run the tool.
 * 4. An entry says that the change is undone or, if the call failed, that the undo has stopped there.
 *
 * A claim whose lease has ended, or whose process is gone, is taken over as long as the tool has not begun. After that, it is
 * not known what the process did, and a process that only stalls may still do it. Then the tool runs again only if two of its
 * undos have the effect of one and no stalling process is known, or if a person decides so.
 */

/** The context and origin with which the call of an undo begins. */
interface UndoStart {
  readonly context: CallContext & { readonly sessionId: string };
  readonly origin: { readonly parent: null; readonly session: object | null };
}

/** Returns the changes of a session and of the agents that it began, oldest first. Rejects with `STORE_FAILED`. */
export async function listChanges(
  host: HostState,
  sessionId: SessionId,
  filter: ChangeFilter = {},
): Promise<readonly SessionChange[]> {
  return selectFrom(await readLogs(host, sessionId), sessionId, filter);
}

/** Returns one combined difference of the changes that are not undone, as their tools report it. Rejects with `STORE_FAILED`. */
export async function differenceOf(
  host: HostState,
  sessionId: SessionId,
  filter: ChangeFilter = {},
): Promise<SessionDifference> {
  const logs = await readLogs(host, sessionId);
  const left = selectFrom(logs, sessionId, filter).filter(({ isUndone }) => !isUndone);
  const readers = Map.groupBy(left, (change) => readerOf(host, logOf(logs, change), change));
  const effects: PreviewedEffect[] = [];
  const unknown = [...(readers.get(null) ?? [])];
  for (const [read, changes] of readers) {
    if (read === null) continue;
    const requests = changes.toReversed().map((change) => requestOf(logOf(logs, change), change.number));
    try {
      effects.push(...(await read(requests)));
    } catch (err) {
      host.logger.error(
        { err, session_id: sessionId },
        "a tool could not say what its changes made different",
      );
      unknown.push(...changes);
    }
  }
  return { effects: host.redact(effects as unknown as Json) as unknown as PreviewedEffect[], unknown };
}

/** Returns the function that reports the difference of a change; null if its tool has none, or another module has the tool. */
function readerOf(host: HostState, log: UndoLog, { tool: name, number, irreversible }: SessionChange) {
  const tool = generationOf(host.moduleSet).find(name);
  if (irreversible !== undefined || tool?.owner !== log.change(number).owner) return null;
  return tool.definition.difference ?? null;
}

const logOf = (logs: Logs, { sessionId }: SessionChange): UndoLog =>
  (sessionId === undefined ? [...logs.values()][0] : logs.get(sessionId))!;

function requestOf(log: UndoLog, number: number): UndoRequest {
  const { callId, runId, arguments: given, data } = log.change(number);
  return { id: `${runId}:${number}`, callId, runId, arguments: given, data };
}

/** The logs of changes by session. The first is that of the session that is listed or undone. */
type Logs = ReadonlyMap<string, UndoLog>;

async function readLogs(host: HostState, sessionId: SessionId): Promise<Logs> {
  const logs = new Map<string, UndoLog>();
  for (const id of [sessionId, ...(await host.changes.below(sessionId))]) {
    const log = new UndoLog(host, id, sessionId);
    await log.read();
    logs.set(id, log);
  }
  return logs;
}

/** Selects changes, oldest first. `after` is a number of the session's own log; changes of agents are compared by time. */
function selectFrom(
  logs: Logs,
  sessionId: SessionId,
  { after = 0, ...filter }: ChangeFilter,
): readonly SessionChange[] {
  const [log, ...others] = [...logs.values()];
  const own = log!.select({ ...filter, after });
  const since = log!.atOf(after) ?? 0;
  const below = others.flatMap((other) => other.select(filter).filter(({ at }) => at > since));
  return below.length === 0 ? own : [...own, ...below].toSorted((a, b) => a.at - b.at);
}

/** Undoes the selected changes of a session, newest first, up to the first that fails. Rejects with `STORE_FAILED`. */
export async function undoChanges(
  host: HostState,
  sessionId: SessionId,
  begin: (sessionId: string) => Promise<UndoStart>,
  { unclear, ...filter }: UndoSelection = {},
): Promise<UndoReport> {
  const logs = await readLogs(host, sessionId);
  const isPartial = [...logs.values()].some((log) => log.isPartial);
  const selected = selectFrom(logs, sessionId, filter).toReversed();
  const irreversible = selected.filter((change) => change.irreversible !== undefined);
  const todo = selected.filter((change) => change.irreversible === undefined && !change.isUndone);
  const undone: SessionChange[] = [];
  for (const [at, change] of todo.entries()) {
    const { sessionId: id = sessionId, number } = change;
    const log = logs.get(id)!;
    const outcome = await undoOne(host, log, { number, unclear }, await begin(id));
    if (outcome === "by another") continue;
    if (outcome !== "decided" && outcome.status !== "ok") {
      await log.read();
      const stopped = { change: log.now(change.number), outcome, later: log.laterThan(change) };
      return { undone, stopped, left: todo.slice(at + 1), irreversible, isPartial };
    }
    undone.push({ ...change, isUndone: true });
  }
  return { undone, stopped: null, left: [], irreversible, isPartial };
}

/** Undoes one change, unless another undo has undone it or a person has decided that it is undone. */
async function undoOne(
  host: HostState,
  log: UndoLog,
  { number, unclear }: { readonly number: number; readonly unclear: UnclearUndo | undefined },
  { context, origin }: UndoStart,
): Promise<ToolOutcome | "by another" | "decided"> {
  const { tool, owner, arguments: given } = log.change(number);
  const request = requestOf(log, number);
  const isIdempotent = generationOf(host.moduleSet).find(tool)?.info.idempotentUndo === true;
  const decided = unclear ?? (isIdempotent ? "idempotent" : undefined);
  const startUndo = (begin: () => Promise<boolean>, isUnclear = false) => {
    const undo = { request, owner, isUnclear, begin };
    return startCall(host, { name: tool, arguments: given }, context, { ...origin, undo });
  };
  for (let attempt = 1; ; attempt += 1) {
    const claim = await log.claim(number, decided, context.abortSignal);
    if (claim === "by another" || claim === "decided") return claim;
    if (claim === "unclear") return startUndo(() => Promise.resolve(false), true);
    try {
      const outcome = await startUndo(claim.begin);
      const isOk = outcome.status === "ok";
      // The process that began this undo before may have changed something only now; a second attempt sees that change.
      const mayRepeat = claim.isRepeated && attempt === 1;
      // This process may have stalled for longer than its lease, so that another process undoes the change now.
      const isMine = isOk || (!mayRepeat && (await log.owns(number)));
      if (!isMine) continue;
      // A tool that still runs after its call has ended may undo the change later.
      const isEnded = isIdempotent || outcome.status === "failed" || !claim.hasBegun();
      if (isOk || isEnded) await claim.end(isOk ? "undone" : "stopped");
      return outcome;
    } finally {
      claim.drop();
    }
  }
}
