import type { ChangeFilter, SessionChange, UndoReport } from "../contract/changes.ts";
import type { Timer } from "../contract/clock.ts";
import type { CallContext } from "../contract/context.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import type { JsonObject } from "../json/json.ts";
import { startCall } from "../call/pipeline.ts";
import { randomName } from "../pending/ticket.ts";
import { readChangeEntry, type ChangeEntry } from "../sessions/changes.ts";
import type { HostState } from "./host-state.ts";

/*
 * How changes are undone, newest first:
 *
 * 1. The log of the session is read. Each change that is not undone yet is claimed by an entry with a lease: the log takes
 *    an entry only after the last one, so one of several processes has the claim, and the others wait for it.
 * 2. The undo is a call of the tool, through the one path of a call.
 * 3. An entry says that the change is undone; or, when the call failed, that the undo has stopped there.
 *
 * A process that dies between 2 and 3 leaves a claim whose lease ends. The next undo calls the tool again, which finds that
 * all is as before the change.
 */

/** How the calls of an undo begin. */
interface UndoStart {
  readonly context: CallContext & { readonly sessionId: string };
  readonly origin: { readonly parent: null; readonly session: object | null };
}

/** The changes of a session, oldest first. Rejects with `STORE_FAILED`. */
export async function listChanges(
  host: HostState,
  sessionId: string,
  filter: ChangeFilter = {},
): Promise<readonly SessionChange[]> {
  const log = new UndoLog(host, sessionId);
  await log.read();
  return log.select(filter);
}

/** Undoes the selected changes of a session, newest first, up to the first that fails. Rejects with `STORE_FAILED`. */
export async function undoChanges(
  host: HostState,
  start: UndoStart,
  filter: ChangeFilter = {},
): Promise<UndoReport> {
  const log = new UndoLog(host, start.context.sessionId);
  await log.read();
  const selected = log.select(filter).toReversed();
  const irreversible = selected.filter((change) => change.irreversible !== undefined);
  const todo = selected.filter((change) => change.irreversible === undefined && !change.isUndone);
  const undone: SessionChange[] = [];
  for (const [at, change] of todo.entries()) {
    const outcome = await undoOne(host, log, change.number, start);
    if (outcome !== null && outcome.status !== "ok") {
      const stopped = { change, outcome, later: log.laterThan(change) };
      return { undone, stopped, left: todo.slice(at + 1), irreversible, isPartial: log.isPartial };
    }
    undone.push({ ...change, isUndone: true });
  }
  return { undone, stopped: null, left: [], irreversible, isPartial: log.isPartial };
}

/** Undoes one change. Null when another process has done it. */
async function undoOne(
  host: HostState,
  log: UndoLog,
  number: number,
  { context, origin }: UndoStart,
): Promise<ToolOutcome | null> {
  for (let attempt = 1; ; attempt += 1) {
    const claim = await log.claim(number, context.abortSignal);
    if (claim === null) return null;
    const { tool, owner, callId, runId, arguments: given, data } = log.change(number);
    const request = { id: `${runId}:${number}`, callId, runId, arguments: given, data };
    const undo = { request, owner };
    try {
      const outcome = await startCall(host, { name: tool, arguments: given }, context, { ...origin, undo });
      const isOk = outcome.status === "ok";
      // The process that had the claim before may have done a part only now: then a second attempt finds that.
      const mayRepeat = claim.isTakenOver && attempt === 1;
      // This process may have stalled for longer than its lease, and another one undoes the change now.
      const isMine = isOk || (!mayRepeat && (await log.owns(number)));
      if (isMine) return (await claim.end(isOk ? "undone" : "stopped"), outcome);
    } finally {
      claim.drop();
    }
  }
}

type Change = Extract<ChangeEntry, { kind: "change" | "irreversible" }>;
type Claim = Extract<ChangeEntry, { kind: "claim" }>;

/** How long an undo waits before it looks again whether another one has ended, in milliseconds. */
const lookAgainMs = 100;

/** The log of a session's changes, as an undo has read it. */
class UndoLog {
  readonly #host: HostState;
  readonly #sessionId: string;
  readonly #by = randomName();
  readonly #changes = new Map<number, Change>();
  readonly #undone = new Set<number>();
  readonly #claims = new Map<number, Claim>();
  #count = 0;
  #first = 0;

  constructor(host: HostState, sessionId: string) {
    this.#host = host;
    this.#sessionId = sessionId;
  }

  /** Whether the oldest changes of the session are no longer kept. */
  get isPartial(): boolean {
    return this.#first > 1;
  }

  /** Reads what was added. */
  async read(): Promise<void> {
    for (const { sequence, entry } of await this.#host.changes.entries(this.#sessionId, this.#count)) {
      this.#first ||= sequence;
      this.#count = sequence;
      const known = readChangeEntry(entry);
      if (known !== null) this.#take(sequence, known);
    }
  }

  #take(sequence: number, entry: ChangeEntry): void {
    if (entry.kind === "change" || entry.kind === "irreversible") this.#changes.set(sequence, entry);
    else if (entry.kind === "claim") this.#claims.set(entry.of, entry);
    else this.#claims.delete(entry.of);
    if (entry.kind === "undone") this.#undone.add(entry.of);
  }

  /** The changes that a filter selects, oldest first. */
  select({ call, turn, after = 0 }: ChangeFilter): readonly SessionChange[] {
    return [...this.#changes]
      .filter(([number]) => number > after)
      .filter(([, change]) => turn === undefined || change.turnId === turn)
      .filter(
        ([, { callId, runId, parents }]) => call === undefined || [callId, runId, ...parents].includes(call),
      )
      .map(([number, change]) => this.#shown(number, change));
  }

  #shown(number: number, change: Change): SessionChange {
    const { at, tool, callId, runId, turnId, parents, arguments: given } = change;
    return {
      number,
      at,
      tool,
      callId,
      runId,
      ...(turnId !== undefined && { turnId }),
      ...(parents.length > 0 && { parents }),
      arguments: given,
      ...(change.kind === "irreversible" && { irreversible: change.reason }),
      isUndone: this.#undone.has(number),
    };
  }

  change(number: number): Extract<Change, { kind: "change" }> {
    return this.#changes.get(number) as Extract<Change, { kind: "change" }>;
  }

  /** Later changes that stay done, of which an argument has the same value as one of this change. */
  laterThan({ number, arguments: given }: SessionChange): readonly SessionChange[] {
    const targets = new Set(textsOf(given));
    return this.select({ after: number }).filter(
      (later) => !later.isUndone && textsOf(later.arguments).some((text) => targets.has(text)),
    );
  }

  /** Whether the last claim of a change that is not undone is of this undo. */
  async owns(of: number): Promise<boolean> {
    await this.read();
    return !this.#undone.has(of) && this.#claims.get(of)?.by === this.#by;
  }

  /** Claims a change, when no other undo has it. Null when it is undone. */
  async claim(of: number, signal: AbortSignal | undefined): Promise<ClaimedChange | null> {
    const { clock } = this.#host;
    for (;;) {
      signal?.throwIfAborted();
      await this.read();
      if (this.#undone.has(of)) return null;
      const other = this.#claims.get(of);
      if (other !== undefined && other.by !== this.#by && other.until > clock.now()) await this.#pause();
      else if (await this.#append(this.#claimOf(of))) return this.#hold(of, other !== undefined);
    }
  }

  /** Renews the lease until the change is undone, or the undo has stopped. */
  #hold(of: number, isTakenOver: boolean): ClaimedChange {
    const { clock, logger, stores } = this.#host;
    const { leaseMs } = stores.options;
    let timer: Timer | null = null;
    let renewed: Promise<void> = Promise.resolve();
    const drop = () => {
      timer?.cancel();
      timer = null;
    };
    const again = () => {
      timer = clock.setTimer(() => {
        renewed = this.#appendAsOwner(of, () => this.#claimOf(of))
          .catch((err: unknown) => logger.error({ err }, "the lease of an undo was not renewed"))
          .then(() => (timer === null ? undefined : again()));
      }, leaseMs / 3);
    };
    again();
    const end = async (kind: "undone" | "stopped") => {
      drop();
      await renewed;
      if (kind === "stopped") return this.#appendAsOwner(of, () => ({ kind, of }));
      while (!(await this.#append({ kind, of }))) await this.read();
    };
    return { isTakenOver, drop, end };
  }

  #claimOf(of: number): JsonObject {
    const { clock, stores } = this.#host;
    return { kind: "claim", of, by: this.#by, until: clock.now() + stores.options.leaseMs };
  }

  /** Appends an entry while the claim is of this undo: one that stalled must not take the claim of another. */
  async #appendAsOwner(of: number, entry: () => JsonObject): Promise<void> {
    while (await this.owns(of)) if (await this.#append(entry())) return;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#host.clock.setTimer(resolve, lookAgainMs));
  }

  #append(entry: JsonObject): Promise<boolean> {
    return this.#host.stores.track(this.#host.changes.append(this.#sessionId, this.#count, entry));
  }
}

interface ClaimedChange {
  /** Whether another undo had a claim, whose lease has ended. */
  readonly isTakenOver: boolean;
  end(kind: "undone" | "stopped"): Promise<void>;
  drop(): void;
}

function textsOf(given: JsonObject): readonly string[] {
  return Object.values(given).filter((value) => typeof value === "string");
}
