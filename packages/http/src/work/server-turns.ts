import { randomUUID } from "node:crypto";
import { type Clock, type Host, type Logger, ToolmountError, type Timer } from "@toolmount/core";
import { workStoreOf } from "@toolmount/core/internal";
import type { ApprovalWatch } from "../journal/approval-watch.ts";
import type { ServedTurns, TurnResumption } from "../served-host.ts";
import type { Replicas } from "./replicas.ts";
import { KnownTurns, type TurnFilter } from "./known-turns.ts";
import type { LiveTurn, TurnKeeper } from "./live-turn.ts";
import { deliverMessages, keepMessage } from "./turn-messages.ts";
import { TurnRuns } from "./turn-runs.ts";
import { TurnQuestions } from "./turn-questions.ts";
import { shownTurn, type Turn } from "./turn-record.ts";

/** How many open turns are read at most. */
const maxOpen = 1_000;
/** How many characters of a prompt are stored with its turn. The session has the complete prompt. */
const maxPrompt = 2_000;

/** What is needed to start a turn. */
export interface TurnStart {
  readonly prompt: string;
  readonly sessionId?: string | undefined;
  readonly userId: string | undefined;
  readonly by: string;
}

/** What is needed to resume a turn that waits, or to end it. */
interface TurnAnswer extends Pick<TurnResumption, "sessionId" | "clientResults" | "cancel" | "message"> {
  readonly userId: string | undefined;
  readonly by: string;
}

interface ServerTurnsOptions {
  readonly host: Host;
  readonly turns: ServedTurns;
  readonly watch: ApprovalWatch;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names the plan in a store that several plans may share. */
  readonly scope: string;
  readonly replicas: Pick<Replicas, "plan" | "mayTake">;
  /**
   * Milliseconds for which a server claims a turn that it runs. After a third of this time, it renews its claims, reads the open
   * turns in the store, and tries again to resume those that could not be resumed.
   */
  readonly leaseMs: number;
  readonly onChange: (turn: Turn) => void;
}

/**
 * Runs the turns of one host. A turn does not depend on a request or a watcher. When its questions are answered, it is resumed,
 * even after a restart. If several servers share the store, exactly one of them resumes it.
 */
export class ServerTurns {
  readonly #options: ServerTurnsOptions;
  readonly #keeper: TurnKeeper;
  readonly #known: KnownTurns;
  readonly #questions: TurnQuestions;
  readonly #runs: TurnRuns;
  #timer: Timer | null = null;
  #isEnding = false;

  constructor(options: ServerTurnsOptions) {
    const { host, clock, logger, scope, onChange, replicas } = options;
    this.#options = options;
    const store = workStoreOf(host);
    const onMessage = (turn: LiveTurn) => void this.#deliver(turn);
    this.#keeper = {
      store,
      clock,
      logger,
      scope,
      owner: randomUUID(),
      plan: () => replicas.plan,
      onChange,
      onMessage,
    };
    this.#known = new KnownTurns(this.#keeper);
    const waiting = () => this.#known.waiting();
    this.#questions = new TurnQuestions({ ...options, waiting, onDecided: (turn) => void this.#goOn(turn) });
    this.#runs = new TurnRuns({
      ...options,
      known: this.#known,
      keeper: this.#keeper,
      retryMs: this.#lookMs,
      isEnding: () => this.#isEnding,
      onWaiting: () => this.#questions.watch(),
      onEnded: (turn) => void this.#startLeft(turn),
    });
    void this.#look();
  }

  /** Starts a turn. Resolves when the turn is stored. Rejects with the reasoner's error if it cannot start. */
  start({ prompt, sessionId, userId, by }: TurnStart): Promise<LiveTurn> {
    const { turns } = this.#options;
    const facts = { prompt: firstOf(prompt), userId, by };
    return this.#runs.begin(null, facts, (listening) =>
      turns.run({ prompt, sessionId, userId, ...listening }),
    );
  }

  /** Resumes the open turn of a session, or ends it. Rejects with `SESSION_CONFLICT` if a server is running it. */
  async resume({ sessionId, clientResults, cancel, message, userId, by }: TurnAnswer): Promise<LiveTurn> {
    const { turns } = this.#options;
    const open = await this.#known.openTurn(sessionId);
    if (open !== null && !(await this.#claim(open)))
      throw new ToolmountError("SESSION_CONFLICT", {
        session: sessionId,
        problem: "a turn of it is running",
      });
    const turn = await this.#runs.begin(open, { prompt: "", userId, by }, (listening) =>
      turns.resume({ sessionId, clientResults, cancel, message, userId, ...listening }),
    );
    await this.#deliver(turn);
    return turn;
  }

  /**
   * Adds a message of the user to a turn that has not ended, whichever server runs it. The model reads the message with its next
   * request. Rejects with `SESSION_CONFLICT` if the turn has ended.
   */
  async addMessage(turn: LiveTurn, text: string): Promise<void> {
    await keepMessage(turn, text);
    await this.#deliver(turn);
  }

  async #deliver(turn: LiveTurn): Promise<void> {
    const { turns, logger } = this.#options;
    if (this.#known.here.has(turn)) await deliverMessages(turn, turns, logger);
  }

  /** If messages came when a turn was already ending, starts a new turn with them. A cancelled turn gets none. */
  async #startLeft(turn: LiveTurn): Promise<void> {
    const { messages, status, sessionId, userId, by } = turn.stored;
    if (messages.length === 0 || status === "cancelled") return;
    const prompt = messages.map(({ text }) => text).join("\n\n");
    const started = await this.start({ prompt, sessionId, userId: userId ?? undefined, by }).catch(
      (err: unknown) => this.#options.logger.warn({ err, turn: turn.stored.id }, "no turn began"),
    );
    if (started !== undefined) await turn.change({ messages: [] }, true);
  }

  /** Cancels a turn at whichever server it runs. Resolves when it has ended here, or when its server was asked to end it. */
  async cancel(turn: LiveTurn): Promise<void> {
    const { sessionId } = turn.stored;
    if (this.#known.here.has(turn)) turn.controller.abort();
    else if (turn.shown.status === "running") await turn.change(() => ({ cancels: true }));
    else if (turn.isOpen) await this.resume({ sessionId, cancel: true, userId: undefined, by: "" });
    await turn.running;
  }

  /** Finds a turn; null if this plan has no such turn. */
  find(id: string): Promise<LiveTurn | null> {
    return this.#known.find(id);
  }

  /** Finds the open turn of a session; null if it has none. */
  openTurn(sessionId: string): Promise<LiveTurn | null> {
    return this.#known.openTurn(sessionId);
  }

  /** Returns turns, the last started first. */
  async list(filter: TurnFilter): Promise<readonly Turn[]> {
    const now = this.#keeper.clock.now();
    return (await this.#known.read(filter)).map((stored) => shownTurn(stored, now));
  }

  /**
   * Waits at most `graceMs` for the turns that run here. Those that remain are stored as interrupted, and the next server resumes
   * them.
   */
  async close(graceMs: number): Promise<void> {
    this.#isEnding = true;
    this.#questions.stop();
    this.#timer?.cancel();
    const { clock, turns } = this.#options;
    const over = new Promise<void>((resolve) => clock.setTimer(resolve, graceMs).keepAlive(false));
    await Promise.race([Promise.all([...this.#known.here].map(({ running }) => running)), over]);
    const left = [...this.#known.here];
    for (const turn of left) turns.release?.(turn.stored.sessionId);
    for (const turn of left) {
      await turn.changeOwn({ status: "interrupted", owner: null, dueAt: clock.now() });
      await turn.stream.stored();
    }
  }

  get #lookMs(): number {
    return this.#options.leaseMs / 3;
  }

  /** Claims a turn for this server. Returns false if a server already runs it. */
  async #claim(turn: LiveTurn): Promise<boolean> {
    if (this.#known.here.has(turn)) return false;
    const { owner, clock, plan } = this.#keeper;
    // This is tested when the change is made, because another server may have claimed the turn since it was read.
    return turn.change((stored) =>
      shownTurn(stored, clock.now()).status === "running"
        ? null
        : {
            status: "running",
            owner,
            plan: plan(),
            dueAt: clock.now() + this.#options.leaseMs,
            problem: null,
          },
    );
  }

  /** Renews this server's claims, and resumes open turns that no server runs. */
  async #look(): Promise<void> {
    const { clock, logger } = this.#options;
    try {
      const dueAt = clock.now() + this.#options.leaseMs;
      for (const turn of this.#known.here) await turn.changeOwn({ dueAt }, true);
      for (const turn of await this.#known.readOpen(maxOpen)) await this.#consider(turn);
      await this.#known.prune(clock.now());
    } catch (err) {
      logger.error({ err }, "the turns cannot be read");
    }
    if (this.#isEnding) return;
    this.#timer = clock.setTimer(() => void this.#look(), this.#lookMs);
    this.#timer.keepAlive(false);
  }

  async #consider(turn: LiveTurn): Promise<void> {
    const { status } = turn.shown;
    const { dueAt } = turn.stored;
    if (status === "waiting") this.#questions.watch();
    const isDue = dueAt !== null && dueAt <= this.#keeper.clock.now();
    if (isDue && (status === "decided" || status === "interrupted")) await this.#goOn(turn);
  }

  /** Resumes a turn that needs no person. Does nothing if a server with the plan of the turn should do it. */
  async #goOn(turn: LiveTurn): Promise<void> {
    if (this.#isEnding || this.#known.here.has(turn)) return;
    if (!this.#options.replicas.mayTake(turn.stored.plan)) return;
    const { sessionId, userId, by } = turn.stored;
    // An error is stored with the turn.
    await this.resume({ sessionId, userId: userId ?? undefined, by }).catch(() => {});
  }
}

/** Returns the part of a prompt that is kept with its turn. */
export function firstOf(prompt: string): string {
  return prompt.slice(0, maxPrompt).toWellFormed();
}
