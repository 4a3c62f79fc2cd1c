import { isToolmountError, ToolmountError, type JsonObject, type Logger } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import type { ServedTurns, TurnResumption } from "../served-host.ts";
import type { KnownTurns } from "./known-turns.ts";
import type { LiveTurn, TurnKeeper } from "./live-turn.ts";
import { recordOf, waitingOf, type StoredTurn, type Turn, type TurnStatus } from "./turn-record.ts";

/** A function that starts or resumes a turn of the reasoner. */
type Begin = (listening: Pick<TurnResumption, "abortSignal" | "onEvent">) => Promise<object>;

/** What is known about a turn before it begins. */
type Facts = Pick<Turn, "prompt" | "by"> & { readonly userId: string | undefined };

interface TurnRunsOptions {
  readonly turns: ServedTurns;
  readonly known: KnownTurns;
  readonly keeper: TurnKeeper;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** Milliseconds after which a turn that could not be resumed is tried again. */
  readonly retryMs: number;
  readonly isEnding: () => boolean;
  /** Called when a turn begins to wait. */
  readonly onWaiting: () => void;
  /** Called when a turn that ran here has ended. */
  readonly onEnded: (turn: LiveTurn) => void;
}

/** Runs turns in this process until they end or wait, and stores the result. */
export class TurnRuns {
  readonly #options: TurnRunsOptions;

  constructor(options: TurnRunsOptions) {
    this.#options = options;
  }

  /**
   * Begins a turn. Resolves when it has begun and is stored; it then continues without the caller. `claimed` is the stored turn
   * that is resumed, or null for a new one.
   */
  async begin(claimed: LiveTurn | null, facts: Facts, begin: Begin): Promise<LiveTurn> {
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
    this.#options.known.here.add(turn);
  }

  /**
   * Stores a turn that begins. Rejects with `SESSION_CONFLICT` if the store refuses it, because another server has stored this
   * turn.
   */
  async #add({ id, sessionId, userId, prompt, by }: Facts & { id: string; sessionId: string }) {
    const { store, scope, owner, plan, clock } = this.#options.keeper;
    const at = clock.now();
    const times = { startedAt: at, updatedAt: at, endedAt: null, dueAt: at + this.#options.leaseMs };
    const rest = { waiting: [], result: null, problem: null, cancels: false, messages: [] } as const;
    const stored: StoredTurn = {
      id,
      sessionId,
      userId: userId ?? null,
      by,
      prompt,
      status: "running",
      owner,
      plan: plan(),
      version: 1,
      ...times,
      ...rest,
    };
    if (!(await store.save(recordOf(stored, scope))))
      throw new ToolmountError("SESSION_CONFLICT", {
        session: sessionId,
        problem: "another server has its turn",
      });
    const turn = this.#options.known.know(stored);
    turn.publish();
    return turn;
  }

  async #finish(turn: LiveTurn, work: Promise<object>): Promise<void> {
    try {
      await turn.changeOwn(this.#endOf((await work) as unknown as Ended, turn.stored.sessionId));
      this.#options.known.here.delete(turn);
    } catch (error) {
      await this.#returnTurn(turn, error);
    }
    await turn.stream.stored();
    if (this.#options.isEnding()) return;
    if (turn.stored.status === "waiting") this.#options.onWaiting();
    if (!turn.isOpen) this.#options.onEnded(turn);
  }

  #endOf(result: Ended, sessionId: string): Partial<StoredTurn> {
    const now = this.#options.keeper.clock.now();
    const isPaused = result.status === "paused";
    const waiting = isPaused ? waitingOf(result.waiting, sessionId) : [];
    const rest = { waiting, result: JSON.parse(JSON.stringify(result)) as JsonObject, owner: null };
    if (!isPaused) return { ...rest, status: result.status, dueAt: null, endedAt: now };
    // The run of a killed server ends with its lease. So neither a person nor a client is needed, and the turn is tried again
    // later.
    const isForRuns = waiting.length > 0 && waiting.every(({ waitsFor }) => waitsFor === "run");
    return isForRuns
      ? { ...rest, status: "decided", dueAt: now + this.#options.retryMs, endedAt: null }
      : { ...rest, status: "waiting", dueAt: null, endedAt: null };
  }

  /** Stores what happened to a turn that could not continue: it has ended elsewhere, or is tried again later. */
  async #returnTurn(turn: LiveTurn, error: unknown): Promise<void> {
    this.#options.known.here.delete(turn);
    if (this.#options.isEnding()) return;
    const {
      logger,
      turns,
      keeper: { clock },
    } = this.#options;
    const { sessionId, waiting } = turn.stored;
    const isTaken = isToolmountError(error) && error.code === "SESSION_CONFLICT";
    if (!isTaken) logger.warn({ err: error, turn: turn.stored.id }, "a turn could not continue");
    // A conflict can mean that a server was killed after the turn ended but before it stored the end.
    const last = isTaken ? ((await turns.lastTurn(sessionId).catch(() => null)) as Past | null) : null;
    if (last?.turnId === turn.stored.id) {
      await turn.changeOwn(this.#endOf(last, sessionId));
      return;
    }
    const session = isTaken ? ((await turns.show(sessionId).catch(() => ({}))) as { status?: string }) : {};
    if (session.status !== undefined && session.status !== "open") {
      const status = session.status as TurnStatus;
      await turn.changeOwn({ status, waiting: [], owner: null, dueAt: null, endedAt: clock.now() });
      return;
    }
    const status = waiting.length > 0 ? "decided" : "interrupted";
    // Another program has the turn and may be running it. So this server does not try again by itself, and a person decides.
    const dueAt = isTaken ? null : clock.now() + this.#options.retryMs;
    await turn.changeOwn({ status, owner: null, dueAt, problem: messageOf(error) });
  }
}

/** How an earlier turn ended. */
type Past = Ended & { readonly turnId: string };

/** The reasoner's result for a turn that ended or paused. */
interface Ended {
  readonly status: "paused" | Exclude<TurnStatus, "running" | "waiting" | "decided" | "interrupted">;
  readonly waiting: Parameters<typeof waitingOf>[0];
}
