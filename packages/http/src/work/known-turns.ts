import type { WorkFilter } from "@toolmount/core";
import { LiveTurn, type TurnKeeper } from "./live-turn.ts";
import { eventsKind } from "./turn-events.ts";
import { endedStatuses, openStatuses, turnOf, type StoredTurn, turnKind } from "./turn-record.ts";

/** How many ended turns are kept in memory with their events. */
const maxEnded = 100;
/** Milliseconds after its start for which an ended turn is stored: 90 days, as for an ended question. */
const keepMs = 90 * 86_400_000;
/** Milliseconds for which the events of a turn are stored: a day. */
const keepEventsMs = 86_400_000;
/** Milliseconds between two deletions of old turns. */
const pruneMs = 86_400_000;

/** Which turns of the plan are read. */
export type TurnFilter = Omit<WorkFilter, "kind" | "scope">;

/** The turns of one plan: those in the store, and objects for those that this server has seen. */
export class KnownTurns {
  readonly #keeper: TurnKeeper;
  /** By id, the open turns that this server has seen, and the last ones that ended. */
  readonly #known = new Map<string, LiveTurn>();
  /** Turns that this server runs. */
  readonly here = new Set<LiveTurn>();
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(keeper: TurnKeeper) {
    this.#keeper = keeper;
  }

  /** Finds a turn; null if this plan has no such turn. */
  async find(id: string): Promise<LiveTurn | null> {
    const record = await this.#keeper.store.get(turnKind, id);
    return record === null || record.scope !== this.#keeper.scope ? null : this.know(turnOf(record));
  }

  /** Finds the open turn of a session; null if it has none. */
  async openTurn(sessionId: string): Promise<LiveTurn | null> {
    const [found] = await this.read({ sessionId, statuses: openStatuses, limit: 1 });
    return found === undefined ? null : this.know(found);
  }

  async read(filter: TurnFilter): Promise<StoredTurn[]> {
    const { store, scope } = this.#keeper;
    return (await store.list({ ...filter, kind: turnKind, scope })).map(turnOf);
  }

  /** Returns at most `limit` open turns. Also updates those that this server knows as open and that another server has ended. */
  async readOpen(limit: number): Promise<LiveTurn[]> {
    const open = (await this.read({ statuses: openStatuses, limit })).map((stored) => this.know(stored));
    const ended = [...this.#known.values()].filter(
      (turn) => turn.isOpen && !open.includes(turn) && !this.here.has(turn),
    );
    for (const turn of ended) await this.find(turn.stored.id);
    return open;
  }

  /** Deletes old turns and their events, at the start and once a day. */
  async prune(now: number): Promise<void> {
    if (now - this.#prunedAt < pruneMs) return;
    this.#prunedAt = now;
    await this.#keeper.store.remove(turnKind, endedStatuses, now - keepMs);
    await this.#keeper.store.remove(eventsKind, ["kept"], now - keepEventsMs);
  }

  know(stored: StoredTurn): LiveTurn {
    const known = this.#known.get(stored.id);
    if (known !== undefined) {
      if (!this.here.has(known)) known.follow(stored);
      return known;
    }
    const turn = new LiveTurn(stored, this.#keeper);
    this.#known.set(stored.id, turn);
    const ended = [...this.#known.values()].filter(({ isOpen }) => !isOpen);
    if (ended.length > maxEnded) this.#known.delete(ended[0]!.stored.id);
    return turn;
  }

  /** Returns the known turns that wait only for people, and not for a client. */
  waiting(): LiveTurn[] {
    return [...this.#known.values()].filter(
      ({ stored }) => stored.status === "waiting" && isForPeople(stored),
    );
  }
}

function isForPeople({ waiting }: StoredTurn): boolean {
  const kinds = new Set(waiting.map(({ waitsFor }) => waitsFor));
  kinds.delete("run"); // a run that another server has ends by itself
  return kinds.size === 1 && kinds.has("approval");
}
