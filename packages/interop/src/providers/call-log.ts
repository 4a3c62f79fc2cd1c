import {
  createMemoryStore,
  type Json,
  type SessionId,
  type SessionStore,
  type ToolOutcome,
} from "@toolmount/core";
import { ticketsLogOf } from "@toolmount/core/sessions";

/** A call of a library's agent, as its log names it. */
export interface LoggedCall {
  readonly key: string;
  readonly callId: string;
  /** The step of the library's run that made the call, where the library may run that step again. */
  readonly step?: string | undefined;
}

/** What the log says of a call: its tool began, it waits with a ticket, or it has its outcome. */
interface KnownCall extends LoggedCall {
  /** Milliseconds since the epoch. The store deletes old logs by it. */
  readonly at: number;
  readonly began?: true | undefined;
  readonly ticket?: string | undefined;
  readonly outcome?: ToolOutcome | undefined;
  /** Of a step, not of a call: see {@link Asked}. */
  readonly asked?: Asked | undefined;
}

/** Who asked for each value with which a step was resumed, in their order: the id of a call, or null for the host's questions. */
export type Asked = readonly (string | null)[];

/** A call that waits. */
export type WaitingCall = KnownCall & { readonly ticket: string };

/** A call, or the key of one that is forgotten. */
type Change = KnownCall | Pick<KnownCall, "key" | "at">;

type Stored = { readonly sequence: number; readonly entry: Change };

/**
 * Keeps what is known of the calls of a library's agent: the ticket of each that waits, and a receipt of each that has ended in a
 * step that the library may run again. It is a log beside the session; without a session or a store it is in memory.
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

  /** The calls of a session that wait. With an id only those: a library may use an id again, for another call. */
  async waiting(session: SessionId | undefined, callId?: string): Promise<readonly WaitingCall[]> {
    const known = [...newestOf(await this.#read(session)).values()].map(({ call }) => call);
    return known.filter(isWaiting).filter((call) => callId === undefined || call.callId === callId);
  }

  /** Keeps the ticket of a call that waits, or the outcome of a call of a step. Forgets any other call. */
  async note(call: LoggedCall, outcome: ToolOutcome, session: SessionId | undefined): Promise<void> {
    const { status, ticket } = outcome;
    const known = { ...call, at: Date.parse(outcome.result.fetchedAt) };
    if (status === "pending" && ticket !== undefined) await this.#add(session, { ...known, ticket });
    else await this.#add(session, call.step === undefined ? withoutCall(known) : { ...known, outcome });
  }

  /** Keeps the ticket of a call before a person is asked. */
  async noteTicket(call: LoggedCall, ticket: string, session: SessionId | undefined): Promise<void> {
    await this.#add(session, { ...call, ticket });
  }

  /** Notes that the tool of a call begins. False when the log has the call already and it may not run again. */
  begin(call: LoggedCall, canRepeat: boolean, session: SessionId | undefined): Promise<boolean> {
    return this.#add(session, { ...call, began: true }, (known) => known?.began === true && canRepeat);
  }

  /** Forgets a call that has to be made again. */
  async forget({ key }: LoggedCall, session: SessionId | undefined): Promise<void> {
    await this.#add(session, { key });
  }

  /** Who asked in a step until now. */
  async asked(step: string, session: SessionId | undefined): Promise<Asked> {
    return (await this.find(stepKey(step), session))?.asked ?? [];
  }

  /** Keeps who asked in a step. None: the step has ended. */
  async noteAsked(step: string, asked: Asked, session: SessionId | undefined): Promise<void> {
    const key = stepKey(step);
    await this.#add(session, asked.length === 0 ? { key } : { key, callId: "", step, asked });
  }

  /** Another process may append at the same time. A change without a time gets that of the change before it. */
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

/** The newest entry of each call. */
function newestOf(entries: readonly Stored[]): ReadonlyMap<string, { sequence: number; call: KnownCall }> {
  const newest = new Map<string, { sequence: number; call: KnownCall }>();
  for (const { sequence, entry } of entries)
    if ("callId" in entry) newest.set(entry.key, { sequence, call: entry });
    else newest.delete(entry.key);
  return newest;
}

/** Receipts that are kept beside those of steps with an open call: parallel steps end one after the other. */
const keptReceipts = 32;

/**
 * The number of the first entry that is still needed: that of an open call, of a receipt in a step with an open call, or of one
 * of the newest receipts. The last entry is always kept: it carries the number of the log.
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
