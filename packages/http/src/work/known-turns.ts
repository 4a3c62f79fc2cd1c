import type { WorkFilter } from "@toolmount/core";
import { LiveTurn, type TurnKeeper } from "./live-turn.ts";
import { eventsKind } from "./turn-events.ts";
import { endedStatuses, openStatuses, turnOf, type StoredTurn, turnKind } from "./turn-record.ts";

/** Turns that have ended and whose events are kept. */
const maxEnded = 100;
/** How long a turn is kept after it began, when it has ended, in milliseconds: 90 days, as an ended approval. */
const keepMs = 90 * 86_400_000;
/** How long the events of a turn are kept, in milliseconds: a day. */
const keepEventsMs = 86_400_000;
/** Milliseconds between two deletions of old turns. */
const pruneMs = 86_400_000;

/** Which turns are read. */
export type TurnFilter = Omit<WorkFilter, "kind" | "scope">;

/** The turns of one plan in the store, and those of them that this server has seen. */
export class KnownTurns {
  readonly #keeper: TurnKeeper;
  /** Open turns, and the last that ended. */
  readonly #known = new Map<string, LiveTurn>();
  /** Those that this server runs: no other server changes them. */
  readonly here = new Set<LiveTurn>();
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(keeper: TurnKeeper) {
    this.#keeper = keeper;
  }

  /** A turn; null when this plan has no such turn. */
  async find(id: string): Promise<LiveTurn | null> {
    const record = await this.#keeper.store.get(turnKind, id);
    return record === null || record.scope !== this.#keeper.scope ? null : this.know(turnOf(record));
  }

  /** The turn of a session that has not ended. */
  async openTurn(sessionId: string): Promise<LiveTurn | null> {
    const [found] = await this.read({ sessionId, statuses: openStatuses, limit: 1 });
    return found === undefined ? null : this.know(found);
  }

  async read(filter: TurnFilter): Promise<StoredTurn[]> {
    const { store, scope } = this.#keeper;
    return (await store.list({ ...filter, kind: turnKind, scope })).map(turnOf);
  }

  /** The open turns, at most so many. Those that another server has brought to their end are updated, too. */
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

  /** The turns that wait for people, and for no client. */
  waiting(): LiveTurn[] {
    return [...this.#known.values()].filter(
      ({ stored }) => stored.status === "waiting" && isForPeople(stored),
    );
  }
}

function isForPeople({ waiting }: StoredTurn): boolean {
  const kinds = new Set(waiting.map(({ waitsFor }) => waitsFor));
  kinds.delete("run"); // it ends by itself
  return kinds.size === 1 && kinds.has("approval");
}
