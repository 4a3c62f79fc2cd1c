import { isToolmountError, ToolmountError, type JsonObject, type Logger } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import type { ServedTurns, TurnResumption } from "../served-host.ts";
import type { KnownTurns } from "./known-turns.ts";
import type { LiveTurn, TurnKeeper } from "./live-turn.ts";
import { recordOf, waitingOf, type StoredTurn, type Turn, type TurnStatus } from "./turn-record.ts";

/** Starts or resumes work of the reasoner. */
type Begin = (listening: Pick<TurnResumption, "abortSignal" | "onEvent">) => Promise<object>;

/** The facts about a turn that are known before it begins. */
type Facts = Pick<Turn, "prompt" | "by"> & { readonly userId: string | undefined };

/** The parts that runs of turns use. */
interface TurnRunsOptions {
  readonly turns: ServedTurns;
  readonly known: KnownTurns;
  readonly keeper: TurnKeeper;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** Milliseconds after which another attempt is made to resume a turn that could not be resumed. */
  readonly retryMs: number;
  readonly isEnding: () => boolean;
  /** Called when a turn waits. */
  readonly onWaiting: () => void;
  /** Called when a turn has ended here. */
  readonly onEnded: (turn: LiveTurn) => void;
}

/** Runs turns here, each until it ends or waits, and stores the result. */
export class TurnRuns {
  readonly #options: TurnRunsOptions;

  constructor(options: TurnRunsOptions) {
    this.#options = options;
  }

  /** Begins work. Resolves when the work has begun and its turn is stored; from then on the turn runs by itself. */
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

  /** Adds a turn that begins. If another program began a turn in the session, that one is taken over. */
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
    // A run of a killed server ends by itself, with its lease, so no person and no client is asked.
    const isForRuns = waiting.length > 0 && waiting.every(({ waitsFor }) => waitsFor === "run");
    return isForRuns
      ? { ...rest, status: "decided", dueAt: now + this.#options.retryMs, endedAt: null }
      : { ...rest, status: "waiting", dueAt: null, endedAt: null };
  }

  /** Handles a turn that could not continue: it has ended elsewhere, or it is tried again later. */
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
    // Another program has the turn and may run it, so a person decides whether it is resumed here.
    const dueAt = isTaken ? null : clock.now() + this.#options.retryMs;
    await turn.changeOwn({ status, owner: null, dueAt, problem: messageOf(error) });
  }
}

/** The end of an earlier turn. */
type Past = Ended & { readonly turnId: string };

/** The reasoner's report that a turn ended or paused. */
interface Ended {
  readonly status: "paused" | Exclude<TurnStatus, "running" | "waiting" | "decided" | "interrupted">;
  readonly waiting: Parameters<typeof waitingOf>[0];
}
