import { EventLog } from "./event-log.ts";
import { TurnEvents, type TurnEventsOptions } from "./turn-events.ts";
import {
  openStatuses,
  recordOf,
  shownTurn,
  turnOf,
  type StoredTurn,
  type Turn,
  turnKind,
} from "./turn-record.ts";

/** How many events of one turn are kept. */
const maxEvents = 2_000;

/** What a turn needs from its server. */
export interface TurnKeeper extends TurnEventsOptions {
  readonly scope: string;
  /** A random name of this process, which is stored with the turns that it runs. */
  readonly owner: string;
  /** Returns the digest of the plan that is currently mounted. */
  readonly plan: () => string;
  /** Called after each change of a turn. */
  readonly onChange: (turn: Turn) => void;
  /** Called if a turn that this server runs has a message, which another server stored. */
  readonly onMessage: (turn: LiveTurn) => void;
}

/**
 * A change of a turn, or a function that makes it from the stored turn, which another server may have changed. Null changes
 * nothing.
 */
type Change = Partial<StoredTurn> | ((turn: StoredTurn) => Partial<StoredTurn> | null);

/** A turn that this server has seen: its stored record, which is changed in order, and its events. */
export class LiveTurn {
  /** Aborting it cancels the turn, if this server runs the turn. */
  controller = new AbortController();
  /** Events for clients at this server, in memory. */
  readonly events = new EventLog(maxEvents);
  /** Events for clients at any server, in the store. */
  readonly stream: TurnEvents;
  readonly #keeper: TurnKeeper;
  #stored: StoredTurn;
  #saving: Promise<unknown> = Promise.resolve();
  /** Resolves when this server has stopped running the turn. */
  running: Promise<void> = Promise.resolve();

  constructor(stored: StoredTurn, keeper: TurnKeeper) {
    this.#stored = stored;
    this.#keeper = keeper;
    this.stream = new TurnEvents(keeper, stored.id);
  }

  get stored(): StoredTurn {
    return this.#stored;
  }

  get shown(): Turn {
    return shownTurn(this.#stored, this.#keeper.clock.now());
  }

  get isOpen(): boolean {
    return openStatuses.includes(this.#stored.status);
  }

  /** Uses a newer record that another server has stored. */
  follow(stored: StoredTurn): void {
    if (stored.version <= this.#stored.version) return;
    this.#stored = stored;
    this.report();
  }

  /**
   * Stores a change after earlier changes. If another server changed the turn first, a function is called again with the newer
   * turn, while a plain change is dropped. With `isQuiet`, `updatedAt` stays, and no client is notified. Resolves to false if
   * nothing was changed.
   */
  change(change: Change, isQuiet = false): Promise<boolean> {
    const changed = this.#saving.then(() => this.#change(change, isQuiet));
    this.#saving = changed.catch(() => {});
    return changed;
  }

  /** Changes the turn only if this server still runs it. If another server has claimed it, nothing changes. */
  changeOwn(change: Partial<StoredTurn>, isQuiet = false): Promise<boolean> {
    return this.change(({ owner }) => (owner === this.#keeper.owner ? change : null), isQuiet);
  }

  async #change(change: Change, isQuiet: boolean): Promise<boolean> {
    const { store, scope, clock } = this.#keeper;
    for (let isFirst = true; ; isFirst = false) {
      const before = this.#stored;
      const at = isQuiet ? {} : { updatedAt: clock.now() };
      const changed = typeof change === "function" ? change(before) : isFirst ? change : null;
      if (changed === null) {
        if (!isFirst) this.report();
        return false;
      }
      const next = { ...before, ...at, ...changed, version: before.version + 1 };
      if (await store.save(recordOf(next, scope))) {
        this.#stored = next;
        if (!isQuiet) this.publish();
        return true;
      }
      if (!(await this.#readAgain())) return false;
    }
  }

  /**
   * Reads the turn again after another server has changed it, for example to cancel it, or to add a message for the server that
   * runs it.
   */
  async #readAgain(): Promise<boolean> {
    const { store, owner, onMessage } = this.#keeper;
    const found = await store.get(turnKind, this.#stored.id);
    if (found === null) return false;
    const wasOwn = this.#stored.owner === owner;
    this.#stored = turnOf(found);
    if (this.#stored.cancels) this.controller.abort();
    if (wasOwn && this.#stored.owner === owner && this.#stored.messages.length > 0) onMessage(this);
    return true;
  }

  /** Adds an event of the reasoner to both lists of events. */
  step(event: object): void {
    this.events.add("step", event, this.#stored.userId);
    this.stream.add("step", event);
  }

  /** Sends a change of this server to all clients that follow the turn, including those at other servers. */
  publish(): void {
    this.stream.add("turn", this.shown);
    this.report();
  }

  /** Sends the current state of the turn to clients at this server. */
  report(): void {
    const { shown } = this;
    this.events.add("turn", shown, shown.userId);
    this.#keeper.onChange(shown);
  }
}
