import type { ApprovalState, ApprovalView, Clock, Host, Timer } from "@toolmount/core";

/** Milliseconds between two reads of the store, because other processes may ask or answer there. */
const pollMs = 500;
/** How many answered questions are kept, so that a page can show who answered. */
const maxAnswered = 500;
/** States of an approved call whose effect is not known yet. */
const unsettled: readonly ApprovalState[] = ["approved", "claimed", "started"];
/** How many waiting questions are read at most. */
const maxWaiting = 1_000;

/** A function that gets the waiting questions, oldest first. */
export type ApprovalListener = (waiting: readonly ApprovalView[]) => void;

/**
 * Watches the questions of one host while there are listeners. The store has no events for changes by other processes, so it is
 * read at intervals. Questions and answers of this process are noticed at once.
 */
export class ApprovalWatch {
  readonly #host: Host;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  /** By listener, the ids that it last got; null if it has not been called yet. */
  readonly #listeners = new Map<ApprovalListener, string | null>();
  readonly #stops: (() => void)[];
  #waiting = new Map<string, ApprovalView>();
  readonly #answered = new Map<string, ApprovalView>();
  #timer: Timer | null = null;
  #reading: Promise<void> | null = null;

  constructor(host: Host, clock: Clock, onError: (error: unknown) => void) {
    this.#host = host;
    this.#clock = clock;
    this.#onError = onError;
    const look = () => void (this.#listeners.size > 0 && this.refresh());
    this.#stops = ["approval:required", "approval:granted", "approval:denied", "tool:pending"].map((event) =>
      host.coordinator.hooks.observe(event, look),
    );
  }

  /** Reads the store, and returns the waiting questions, oldest first. */
  async waiting(): Promise<readonly ApprovalView[]> {
    await this.#read();
    return [...this.#waiting.values()];
  }

  /** Whether more questions may wait than one read returns. */
  get hasMore(): boolean {
    return this.#waiting.size === maxWaiting;
  }

  /** Returns a waiting question, or one that was answered while this process watched. Undefined for others. */
  async find(id: string): Promise<ApprovalView | undefined> {
    await this.#read();
    // This may have joined a read that began before the question was stored.
    if (!this.#waiting.has(id) && !this.#answered.has(id)) await this.#read();
    return this.#waiting.get(id) ?? this.#answered.get(id);
  }

  /** Returns the questions that were answered while this process watched, newest first. */
  answered(): readonly ApprovalView[] {
    return [...this.#answered.values()].toReversed();
  }

  /**
   * Calls the listener after the next read, and whenever the questions have changed since it was last called. Returns a function
   * that ends this.
   */
  watch(listener: ApprovalListener): () => void {
    this.#listeners.set(listener, null);
    if (this.#timer === null) this.#schedule();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#timer?.cancel();
      this.#timer = null;
    };
  }

  /** Reads the store and reports changes. If that fails, the error is logged, and the next read tries again. */
  async refresh(): Promise<void> {
    try {
      await this.#read();
      const keys = [...this.#waiting.keys()].join("\n");
      const now = [...this.#waiting.values()];
      // If the list is cut, questions beyond its end may have changed.
      const isCut = now.length === maxWaiting;
      for (const [listener, known] of this.#listeners) {
        if (keys === known && !isCut) continue;
        this.#listeners.set(listener, keys);
        listener(now);
      }
    } catch (error) {
      this.#onError(error);
    }
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#listeners.clear();
    this.#timer?.cancel();
    this.#timer = null;
  }

  #schedule(): void {
    const timer = this.#clock.setTimer(() => {
      void this.refresh().then(() => {
        if (this.#timer === timer) this.#schedule();
      });
    }, pollMs);
    timer.keepAlive(false);
    this.#timer = timer;
  }

  /** Reads the store. Calls during a read share its result. */
  #read(): Promise<void> {
    return (this.#reading ??= this.#readNow().finally(() => (this.#reading = null)));
  }

  async #readNow(): Promise<void> {
    const list = await this.#host.approvals.list({ limit: maxWaiting });
    const next = new Map(list.map((view) => [view.id, view]));
    const gone = [...this.#waiting.values()].filter(({ id }) => !next.has(id));
    this.#waiting = next;
    for (const view of gone) await this.#remember(view);
    await this.#readApproved();
  }

  /** Keeps approved calls among the answered questions until their effect is known, including those from before a restart. */
  async #readApproved(): Promise<void> {
    const open = await this.#host.approvals.list({ states: unsettled, limit: maxWaiting });
    for (const view of open) this.#keep(view);
    if (open.length === maxWaiting) return;
    const ids = new Set(open.map(({ id }) => id));
    const settled = [...this.#answered.values()].filter(
      ({ id, state }) => unsettled.includes(state) && !ids.has(id),
    );
    for (const view of settled) await this.#remember(view);
  }

  async #remember({ id, info }: ApprovalView): Promise<void> {
    const { callId, sessionId = null } = info;
    const view = await readQuestion(this.#host, { id, callId, sessionId });
    if (view === undefined) this.#answered.delete(id);
    else if (view.state !== "pending") this.#keep(view);
  }

  #keep(view: ApprovalView): void {
    this.#answered.set(view.id, view);
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > maxAnswered && oldest !== undefined) this.#answered.delete(oldest);
  }
}

/** Reads a question in any state; undefined if the store no longer has it. */
export async function readQuestion(
  { approvals }: Host,
  {
    id,
    callId,
    sessionId,
  }: { readonly id: string; readonly callId: string; readonly sessionId: string | null },
): Promise<ApprovalView | undefined> {
  const states = [
    "pending",
    "approved",
    "denied",
    "claimed",
    "started",
    "handed",
    "suspended",
    "ended",
  ] as const;
  const session = sessionId === null ? {} : { sessionId };
  const found = await approvals.list({ states, callId, ...session, limit: maxWaiting });
  return found.find((one) => one.id === id);
}

/** Tests whether a call still waits for a person. It asks the store, because the list of a watch can be cut or outdated. */
export async function isOpenQuestion(
  { approvals }: Host,
  { callId, sessionId }: { readonly callId: string; readonly sessionId?: string | undefined },
): Promise<boolean> {
  return (await approvals.list({ callId, sessionId, states: ["pending"], limit: 1 })).length > 0;
}

/** Returns a key for the question of a call. It contains the session, because ids of calls are unique only there. */
export function questionKey({
  sessionId,
  callId,
}: {
  readonly sessionId?: string | null | undefined;
  readonly callId: string;
}): string {
  return `${sessionId ?? ""}\n${callId}`;
}
