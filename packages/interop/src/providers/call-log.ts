import {
  createMemoryStore,
  type Json,
  type SessionId,
  type SessionStore,
  type ToolOutcome,
} from "@toolmount/core";
import { ticketsLogOf } from "@toolmount/core/sessions";

/** A call of a library's agent, as the log identifies it. */
export interface LoggedCall {
  readonly key: string;
  readonly callId: string;
  /** The step of the library's run that made the call, if the library may run that step again. */
  readonly step?: string | undefined;
}

/** What the log knows about a call: that its tool began, that it waits with a ticket, or its outcome. */
interface KnownCall extends LoggedCall {
  /** In milliseconds since the epoch. The store deletes old logs by this time. */
  readonly at: number;
  readonly began?: true | undefined;
  readonly ticket?: string | undefined;
  readonly outcome?: ToolOutcome | undefined;
  /** Set for the record of a step rather than a call; see {@link Asked}. */
  readonly asked?: Asked | undefined;
}

/**
 * For each value with which a step has been resumed so far, and the next one: the id of the call that asked for it, or null for
 * the host.
 */
export type Asked = readonly (string | null)[];

/** A call that waits for a person, with the ticket by which the host resumes it. */
export type WaitingCall = KnownCall & { readonly ticket: string };

/** A new state of a call, or the key of a call that is forgotten. */
type Change = KnownCall | Pick<KnownCall, "key" | "at">;

type Stored = { readonly sequence: number; readonly entry: Change };

/**
 * Records what is known about the calls of a library's agent: the ticket of each call that waits, and the outcome of each call
 * of a step that the library may run again. The log is stored next to the session; without a session or a store, it is in
 * memory.
 */
export class CallLog {
  readonly #store: () => SessionStore | null;
  readonly #memory: SessionStore = createMemoryStore().sessions;

  constructor(store: () => SessionStore | null) {
    this.#store = store;
  }

  async find(key: string, session: SessionId | undefined): Promise<KnownCall | null> {
    return newestOf(await this.#read(session)).get(key)?.call ?? null;
  }

  /** Returns the waiting calls of a session. With `callId`, only those with this id, of which there may be several. */
  async waiting(session: SessionId | undefined, callId?: string): Promise<readonly WaitingCall[]> {
    const known = [...newestOf(await this.#read(session)).values()].map(({ call }) => call);
    return known.filter(isWaiting).filter((call) => callId === undefined || call.callId === callId);
  }

  /** Records the ticket of a call that waits, or the outcome of a call of a step. Removes any other call. */
  async note(call: LoggedCall, outcome: ToolOutcome, session: SessionId | undefined): Promise<void> {
    const { status, ticket } = outcome;
    const known = { ...call, at: Date.parse(outcome.result.fetchedAt) };
    if (status === "pending" && ticket !== undefined) await this.#add(session, { ...known, ticket });
    else await this.#add(session, call.step === undefined ? withoutCall(known) : { ...known, outcome });
  }

  /** Records the ticket of a call before a person is asked. */
  async noteTicket(call: LoggedCall, ticket: string, session: SessionId | undefined): Promise<void> {
    await this.#add(session, { ...call, ticket });
  }

  /** Records that the tool of a call begins. Resolves to false if the log has the call already and it may not run again. */
  begin(call: LoggedCall, canRepeat: boolean, session: SessionId | undefined): Promise<boolean> {
    return this.#add(session, { ...call, began: true }, (known) => known?.began === true && canRepeat);
  }

  /** Removes a call that has to be made again. */
  async forget({ key }: LoggedCall, session: SessionId | undefined): Promise<void> {
    await this.#add(session, { key });
  }

  /** Returns who has asked for each value of a step; an empty list if none was asked for, or if the step has ended. */
  async asked(step: string, session: SessionId | undefined): Promise<Asked> {
    return (await this.find(stepKey(step), session))?.asked ?? [];
  }

  /** Records who has asked for each value of a step. An empty list means that the step has ended. */
  async noteAsked(step: string, asked: Asked, session: SessionId | undefined): Promise<void> {
    const key = stepKey(step);
    await this.#add(session, asked.length === 0 ? { key } : { key, callId: "", step, asked });
  }

  /**
   * Adds a change, and tries again if another process appended at the same time. Without a time, a change gets that of the one
   * before.
   */
  async #add(
    session: SessionId | undefined,
    change: Omit<KnownCall, "at" | "callId"> & Partial<KnownCall>,
    canReplace: (known: KnownCall | undefined) => boolean = () => true,
  ): Promise<boolean> {
    const { store, log } = this.#placeOf(session);
    for (;;) {
      const entries = await read(store, log);
      const { sequence = 0, entry } = entries.at(-1) ?? {};
      const known = newestOf(entries).get(change.key)?.call;
      if (known !== undefined && !canReplace(known)) return false;
      const added = { at: entry?.at ?? 0, ...change };
      if (!(await store.append(log, sequence, [added as unknown as Json]))) continue;
      const first = firstNeeded([...entries, { sequence: sequence + 1, entry: added }]);
      if (first > (entries[0]?.sequence ?? first)) await store.trim?.(log, first);
      return true;
    }
  }

  #read(session: SessionId | undefined): Promise<readonly Stored[]> {
    const { store, log } = this.#placeOf(session);
    return read(store, log);
  }

  #placeOf(session: SessionId | undefined): { readonly store: SessionStore; readonly log: string } {
    const store = session === undefined ? null : this.#store();
    return { store: store ?? this.#memory, log: ticketsLogOf(session ?? "") };
  }
}

function stepKey(step: string): string {
  return `step ${step}`;
}

async function read(store: SessionStore, log: string): Promise<readonly Stored[]> {
  return (await store.entries(log)) as unknown as readonly Stored[];
}

function withoutCall({ key, at }: KnownCall): Change {
  return { key, at };
}

function isWaiting(call: KnownCall): call is WaitingCall {
  return call.ticket !== undefined;
}

/** Returns the newest entry of each call. */
function newestOf(entries: readonly Stored[]): ReadonlyMap<string, { sequence: number; call: KnownCall }> {
  const newest = new Map<string, { sequence: number; call: KnownCall }>();
  for (const { sequence, entry } of entries)
    if ("callId" in entry) newest.set(entry.key, { sequence, call: entry });
    else newest.delete(entry.key);
  return newest;
}

/**
 * Number of outcomes that are kept in addition to those of steps with an open call, because parallel steps do not end together.
 */
const keptReceipts = 32;

/**
 * Returns the number of the first entry that is still needed. Needed are the entries of open calls, the outcomes of steps with
 * an open call, and the newest outcomes. The last entry is always kept, because it has the log's sequence number.
 */
function firstNeeded(entries: readonly Stored[]): number {
  const calls = [...newestOf(entries).values()];
  const open = calls.filter(({ call }) => call.outcome === undefined);
  const steps = new Set(open.flatMap(({ call }) => call.step ?? []));
  const receipts = calls.filter(({ call }) => call.outcome !== undefined);
  const needed = [
    ...open,
    ...receipts.filter(({ call }) => steps.has(call.step!)),
    ...receipts.toSorted((a, b) => a.sequence - b.sequence).slice(-keptReceipts),
  ];
  return Math.min(entries.at(-1)!.sequence, ...needed.map(({ sequence }) => sequence));
}
