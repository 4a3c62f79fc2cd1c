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

/** Most events that are kept of one turn. */
const maxEvents = 2_000;

/** The parts of the server that a turn uses. */
export interface TurnKeeper extends TurnEventsOptions {
  readonly scope: string;
  /** The name of this run of the server. */
  readonly owner: string;
  /** Returns the digest of the plan that is mounted now. */
  readonly plan: () => string;
  /** Reports each change. */
  readonly onChange: (turn: Turn) => void;
  /** Called when another server has a message for a turn that this one runs. */
  readonly onMessage: (turn: LiveTurn) => void;
}

/** A change, or a function that makes it from what another server may have stored meanwhile; null for no change. */
type Change = Partial<StoredTurn> | ((turn: StoredTurn) => Partial<StoredTurn> | null);

/** A turn that this server knows: its stored record, changed in order, and its events. */
export class LiveTurn {
  /** Cancels the turn while this server runs it. */
  controller = new AbortController();
  /** The events that this server sees. */
  readonly events = new EventLog(maxEvents);
  /** The events that every server can read. */
  readonly stream: TurnEvents;
  readonly #keeper: TurnKeeper;
  #stored: StoredTurn;
  #saving: Promise<unknown> = Promise.resolve();
  /** Resolves when this server no longer runs the turn. */
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

  /** Takes over a newer record that another server has stored. */
  follow(stored: StoredTurn): void {
    if (stored.version <= this.#stored.version) return;
    this.#stored = stored;
    this.report();
  }

  /**
   * Stores a change after those before it. If another server changed the turn first, a function is called again with the new
   * turn, and a plain change is not made. Resolves to false if nothing was changed.
   */
  change(change: Change, isQuiet = false): Promise<boolean> {
    const changed = this.#saving.then(() => this.#change(change, isQuiet));
    this.#saving = changed.catch(() => {});
    return changed;
  }

  /** Changes the turn only if this server still runs it, and no other has taken it over. */
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

  /** Reads the turn after another server has changed it: it cancelled the turn, or left a message for the server that runs it. */
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

  /** Adds an event of the reasoner. */
  step(event: object): void {
    this.events.add("step", event, this.#stored.userId);
    this.stream.add("step", event);
  }

  /** Reports a change that this server made, including to clients that follow the turn at other servers. */
  publish(): void {
    this.stream.add("turn", this.shown);
    this.report();
  }

  /** Reports the current state of the turn. */
  report(): void {
    const { shown } = this;
    this.events.add("turn", shown, shown.userId);
    this.#keeper.onChange(shown);
  }
}
