import { randomUUID } from "node:crypto";
import {
  createMemoryStore,
  isToolmountError,
  type ApprovalView,
  type Clock,
  type Host,
  type JsonObject,
  type Logger,
  ToolmountError,
  type Timer,
  type WorkFilter,
  type WorkStore,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import type { ApprovalWatch } from "../journal/approval-watch.ts";
import type { ServedTurns, TurnResumption } from "../served-host.ts";
import { LiveTurn, type TurnKeeper } from "./live-turn.ts";
import {
  openStatuses,
  recordOf,
  shownTurn,
  turnOf,
  waitingOf,
  type StoredTurn,
  type Turn,
  type TurnStatus,
} from "./turn-record.ts";

/** Turns that have ended and whose events are kept. */
const maxEnded = 100;
/** Open turns that are read at a time. */
const maxOpen = 1_000;
/** Characters of a prompt that are kept with its turn; the session has all of them. */
const maxPrompt = 2_000;

/** How a turn starts. */
export interface TurnStart {
  readonly prompt: string;
  readonly sessionId?: string | undefined;
  readonly userId: string | undefined;
  readonly by: string;
}

/** How a turn goes on that did not resume by itself. */
export interface TurnAnswer extends Pick<TurnResumption, "sessionId" | "clientResults" | "cancel"> {
  readonly userId: string | undefined;
  readonly by: string;
}

/** What a server has for the turns of one host. */
export interface ServerTurnsOptions {
  readonly host: Host;
  readonly turns: ServedTurns;
  readonly watch: ApprovalWatch;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names the plan: several may share one store. */
  readonly scope: string;
  /**
   * Milliseconds for which a server says that it runs a turn. After a third of them it says so again, looks at the turns in
   * the store, and tries a turn again that could not be resumed.
   */
  readonly leaseMs: number;
  readonly onChange: (turn: Turn) => void;
}

/** Starts or resumes work of the reasoner. */
type Begin = (listening: Pick<TurnResumption, "abortSignal" | "onEvent">) => Promise<object>;

/** What is known of a turn before it begins. */
type Facts = Pick<Turn, "prompt" | "by"> & { readonly userId: string | undefined };

type Listed = Omit<WorkFilter, "kind" | "scope">;

/**
 * Runs the turns of one host. No request carries a turn: it goes on when nobody watches it. When its questions are answered it
 * resumes by itself, also after a restart; of several servers with one store, exactly one resumes it.
 */
export class ServerTurns {
  readonly #options: ServerTurnsOptions;
  readonly #keeper: TurnKeeper;
  /** Open turns, and the last that ended. */
  readonly #known = new Map<string, LiveTurn>();
  /** Those that this server runs. */
  readonly #here = new Set<LiveTurn>();
  #unwatch: (() => void) | null = null;
  #timer: Timer | null = null;
  #isEnding = false;

  constructor(options: ServerTurnsOptions) {
    const { host, clock, scope, onChange } = options;
    this.#options = options;
    const store = (host.coordinator.get("work-store") as WorkStore | null) ?? createMemoryStore().work!;
    this.#keeper = { store, clock, scope, owner: randomUUID(), onChange };
    void this.#look();
  }

  /** Starts a turn. Resolves when its begin is stored; rejects as the reasoner does when it does not begin. */
  start({ prompt, sessionId, userId, by }: TurnStart): Promise<LiveTurn> {
    const { turns } = this.#options;
    const facts = { prompt: firstOf(prompt), userId, by };
    return this.#begin(null, facts, (listening) => turns.run({ prompt, sessionId, userId, ...listening }));
  }

  /** Resumes the open turn of a session, or ends it. Rejects with `SESSION_CONFLICT` while a server runs it. */
  async resume({ sessionId, clientResults, cancel, userId, by }: TurnAnswer): Promise<LiveTurn> {
    const { turns } = this.#options;
    const open = await this.openTurn(sessionId);
    if (open !== null && !(await this.#claim(open)))
      throw new ToolmountError("SESSION_CONFLICT", {
        session: sessionId,
        problem: "a turn of it is running",
      });
    return this.#begin(open, { prompt: "", userId, by }, (listening) =>
      turns.resume({ sessionId, clientResults, cancel, userId, ...listening }),
    );
  }

  /** Cancels a turn wherever it runs. Resolves when it has ended here, or when the server that runs it was asked. */
  async cancel(turn: LiveTurn): Promise<void> {
    const { sessionId } = turn.stored;
    if (this.#here.has(turn)) turn.controller.abort();
    else if (turn.shown.status === "running") await turn.change({ cancels: true });
    else if (turn.isOpen) await this.resume({ sessionId, cancel: true, userId: undefined, by: "" });
    await turn.running;
  }

  /** A turn; null when this plan has no such turn. */
  async find(id: string): Promise<LiveTurn | null> {
    const record = await this.#keeper.store.get("turn", id);
    return record === null || record.scope !== this.#keeper.scope ? null : this.#know(turnOf(record));
  }

  /** The turn of a session that has not ended. */
  async openTurn(sessionId: string): Promise<LiveTurn | null> {
    const [found] = await this.#read({ sessionId, statuses: openStatuses, limit: 1 });
    return found === undefined ? null : this.#know(found);
  }

  /** Turns, those that began last first. */
  async list(filter: Listed): Promise<readonly Turn[]> {
    const now = this.#keeper.clock.now();
    return (await this.#read(filter)).map((stored) => shownTurn(stored, now));
  }

  /** Waits for the turns that run here, and then leaves the others to the next server, which resumes them. */
  async close(graceMs: number): Promise<void> {
    this.#isEnding = true;
    this.#unwatch?.();
    this.#timer?.cancel();
    const { clock, turns } = this.#options;
    const over = new Promise<void>((resolve) => clock.setTimer(resolve, graceMs).keepAlive(false));
    await Promise.race([Promise.all([...this.#here].map(({ running }) => running)), over]);
    const left = [...this.#here];
    for (const turn of left) turns.release?.(turn.stored.sessionId);
    for (const turn of left) await turn.change({ status: "interrupted", owner: null, dueAt: clock.now() });
  }

  get #lookMs(): number {
    return this.#options.leaseMs / 3;
  }

  async #read(filter: Listed): Promise<StoredTurn[]> {
    const { store, scope } = this.#keeper;
    return (await store.list({ ...filter, kind: "turn", scope })).map(turnOf);
  }

  #know(stored: StoredTurn): LiveTurn {
    const known = this.#known.get(stored.id);
    if (known !== undefined) {
      if (!this.#here.has(known)) known.follow(stored);
      return known;
    }
    const turn = new LiveTurn(stored, this.#keeper);
    this.#known.set(stored.id, turn);
    const ended = [...this.#known.values()].filter(({ isOpen }) => !isOpen);
    if (ended.length > maxEnded) this.#known.delete(ended[0]!.stored.id);
    return turn;
  }

  /** Takes a turn for this server; false when a server runs it. */
  async #claim(turn: LiveTurn): Promise<boolean> {
    if (this.#here.has(turn) || turn.shown.status === "running") return false;
    const { owner, clock } = this.#keeper;
    return turn.change({
      status: "running",
      owner,
      dueAt: clock.now() + this.#options.leaseMs,
      problem: null,
    });
  }

  /** Begins work. Resolves when it has begun, and its turn is stored; from then on the turn goes on by itself. */
  async #begin(claimed: LiveTurn | null, facts: Facts, begin: Begin): Promise<LiveTurn> {
    const controller = new AbortController();
    const begun = Promise.withResolvers<LiveTurn>();
    const early: object[] = [];
    let turn: LiveTurn | null = null;
    const onEvent = (event: object) => {
      if (turn !== null) return turn.step(event);
      early.push(event);
      const { type, turnId, sessionId } = event as Readonly<Record<string, string>>;
      if (type !== "begin") return;
      void (
        claimed === null
          ? this.#add({ ...facts, id: turnId!, sessionId: sessionId! })
          : Promise.resolve(claimed)
      ).then(begun.resolve, begun.reject);
    };
    if (claimed !== null) this.#run(claimed, controller);
    const work = begin({ abortSignal: controller.signal, onEvent });
    work.catch(begun.reject);
    try {
      turn = await begun.promise;
    } catch (error) {
      if (claimed !== null) await this.#returnTurn(claimed, error);
      throw error;
    }
    this.#run(turn, controller);
    for (const event of early) turn.step(event);
    turn.running = this.#finish(turn, work);
    return turn;
  }

  #run(turn: LiveTurn, controller: AbortController): void {
    turn.controller = controller;
    this.#here.add(turn);
  }

  /** A turn that begins. The session may have one that another program began: that is taken over. */
  async #add({ id, sessionId, userId, prompt, by }: Facts & { id: string; sessionId: string }) {
    const { store, scope, owner, clock } = this.#keeper;
    const at = clock.now();
    const times = { startedAt: at, updatedAt: at, endedAt: null, dueAt: at + this.#options.leaseMs };
    const rest = { waiting: [], result: null, problem: null, cancels: false } as const;
    const stored: StoredTurn = {
      id,
      sessionId,
      userId: userId ?? null,
      by,
      prompt,
      status: "running",
      owner,
      version: 1,
      ...times,
      ...rest,
    };
    if (!(await store.save(recordOf(stored, scope))))
      throw new ToolmountError("SESSION_CONFLICT", {
        session: sessionId,
        problem: "another server has its turn",
      });
    const turn = this.#know(stored);
    turn.report();
    return turn;
  }

  async #finish(turn: LiveTurn, work: Promise<object>): Promise<void> {
    try {
      await turn.change(this.#endOf((await work) as unknown as Ended, turn.stored.sessionId));
      this.#here.delete(turn);
    } catch (error) {
      await this.#returnTurn(turn, error);
    }
    if (turn.stored.status === "waiting") this.#watchQuestions();
  }

  #endOf(result: Ended, sessionId: string): Partial<StoredTurn> {
    const now = this.#keeper.clock.now();
    const isPaused = result.status === "paused";
    const waiting = isPaused ? waitingOf(result.waiting, sessionId) : [];
    const status = isPaused ? "waiting" : result.status;
    const plain = JSON.parse(JSON.stringify(result)) as JsonObject;
    return { status, waiting, result: plain, owner: null, dueAt: null, endedAt: isPaused ? null : now };
  }

  /** A turn that could not go on: it has ended elsewhere, or it is tried again later. */
  async #returnTurn(turn: LiveTurn, error: unknown): Promise<void> {
    this.#here.delete(turn);
    if (this.#isEnding) return;
    const { clock, logger, turns } = this.#options;
    const { sessionId, waiting } = turn.stored;
    const isTaken = isToolmountError(error) && error.code === "SESSION_CONFLICT";
    if (!isTaken) logger.warn({ err: error, turn: turn.stored.id }, "a turn could not go on");
    const session = isTaken ? ((await turns.show(sessionId).catch(() => ({}))) as { status?: string }) : {};
    if (session.status !== undefined && session.status !== "open") {
      const status = session.status as TurnStatus;
      await turn.change({ status, waiting: [], owner: null, dueAt: null, endedAt: clock.now() });
      return;
    }
    const status = waiting.length > 0 ? "decided" : "interrupted";
    // Another program has it, and may run it: a person decides whether it is resumed here.
    const dueAt = isTaken ? null : clock.now() + this.#lookMs;
    await turn.change({ status, owner: null, dueAt, problem: messageOf(error) });
  }

  /** Says that this server lives, and looks for turns that nobody runs. */
  async #look(): Promise<void> {
    const { clock, logger } = this.#options;
    try {
      const dueAt = clock.now() + this.#options.leaseMs;
      for (const turn of this.#here) await turn.change({ dueAt }, true);
      const open = await this.#read({ statuses: openStatuses, limit: maxOpen });
      for (const stored of open) await this.#consider(this.#know(stored));
      await this.#followEnds(new Set(open.map(({ id }) => id)));
    } catch (err) {
      logger.error({ err }, "the turns cannot be read");
    }
    if (this.#isEnding) return;
    this.#timer = clock.setTimer(() => void this.#look(), this.#lookMs);
    this.#timer.keepAlive(false);
  }

  /** Turns that another server has brought to their end. */
  async #followEnds(open: ReadonlySet<string>): Promise<void> {
    for (const turn of this.#known.values())
      if (turn.isOpen && !open.has(turn.stored.id) && !this.#here.has(turn)) await this.find(turn.stored.id);
  }

  async #consider(turn: LiveTurn): Promise<void> {
    const { status } = turn.shown;
    const { dueAt } = turn.stored;
    if (status === "waiting") this.#watchQuestions();
    const isDue = dueAt !== null && dueAt <= this.#keeper.clock.now();
    if (isDue && (status === "decided" || status === "interrupted")) await this.#goOn(turn);
  }

  /** Resumes a turn for which no person is needed any more. */
  async #goOn(turn: LiveTurn): Promise<void> {
    if (this.#isEnding || this.#here.has(turn)) return;
    const { sessionId, userId, by } = turn.stored;
    // What went wrong is in the turn itself.
    await this.resume({ sessionId, userId: userId ?? undefined, by }).catch(() => {});
  }

  #waiting(): LiveTurn[] {
    return [...this.#known.values()].filter(
      ({ stored }) => stored.status === "waiting" && isForPeople(stored),
    );
  }

  #watchQuestions(): void {
    if (this.#isEnding || this.#waiting().length === 0) return;
    this.#unwatch ??= this.#options.watch.watch((views) => void this.#resumeDecided(views));
  }

  async #resumeDecided(views: readonly ApprovalView[]): Promise<void> {
    const { logger, clock } = this.#options;
    const open = new Set(views.map(({ info }) => `${info.sessionId}\n${info.callId}`));
    try {
      for (const turn of this.#waiting()) {
        if (turn.stored.waiting.some(({ sessionId, callId }) => open.has(`${sessionId}\n${callId}`)))
          continue;
        if (await this.#asksStill(turn.stored)) continue;
        if (await turn.change({ status: "decided", dueAt: clock.now() })) void this.#goOn(turn);
      }
    } catch (err) {
      logger.error({ err }, "the questions of turns cannot be read");
    }
    if (this.#waiting().length > 0) return;
    this.#unwatch?.();
    this.#unwatch = null;
  }

  /** The list of questions may be cut, or older than the question. */
  async #asksStill({ waiting }: StoredTurn): Promise<boolean> {
    const { approvals } = this.#options.host;
    for (const { callId, sessionId } of waiting)
      if ((await approvals.list({ callId, sessionId, states: ["pending"], limit: 1 })).length > 0)
        return true;
    return false;
  }
}

/** The part of a prompt that is kept with its turn. */
export function firstOf(prompt: string): string {
  return prompt.slice(0, maxPrompt).toWellFormed();
}

/** How the reasoner says that a turn ended or paused. */
interface Ended {
  readonly status: "paused" | Exclude<TurnStatus, "running" | "waiting" | "decided" | "interrupted">;
  readonly waiting: Parameters<typeof waitingOf>[0];
}

function isForPeople({ waiting }: StoredTurn): boolean {
  return waiting.length > 0 && waiting.every(({ waitsFor }) => waitsFor === "approval");
}
