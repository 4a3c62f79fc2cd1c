import type { ApprovalView, Clock, Host, Logger } from "@toolmount/core";
import { isOpenQuestion, questionKey, type ApprovalWatch } from "../journal/approval-watch.ts";
import type { LiveTurn } from "./live-turn.ts";
import type { StoredTurn } from "./turn-record.ts";

/** What is needed to notice that the questions of turns are answered. */
interface TurnQuestionsOptions {
  readonly host: Host;
  readonly watch: ApprovalWatch;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns the turns that wait for people. */
  readonly waiting: () => readonly LiveTurn[];
  /** Called once for each turn whose questions are all answered. Its status is then `decided`. */
  readonly onDecided: (turn: LiveTurn) => void;
}

/** Watches the questions of turns while some of them wait. */
export class TurnQuestions {
  readonly #options: TurnQuestionsOptions;
  #unwatch: (() => void) | null = null;

  constructor(options: TurnQuestionsOptions) {
    this.#options = options;
  }

  watch(): void {
    if (this.#options.waiting().length === 0) return;
    this.#unwatch ??= this.#options.watch.watch((views) => void this.#read(views));
  }

  stop(): void {
    this.#unwatch?.();
    this.#unwatch = null;
  }

  async #read(views: readonly ApprovalView[]): Promise<void> {
    const { logger, clock, waiting, onDecided } = this.#options;
    const open = new Set(views.map(({ info }) => questionKey(info)));
    try {
      for (const turn of waiting()) {
        if (turn.stored.waiting.some((one) => open.has(questionKey(one)))) continue;
        if (await this.#asksStill(turn.stored)) continue;
        // If another server has already resumed the turn, its status is not changed.
        const decide = ({ status }: StoredTurn) =>
          status === "waiting" ? { status: "decided" as const, dueAt: clock.now() } : null;
        if (await turn.change(decide)) onDecided(turn);
      }
    } catch (err) {
      logger.error({ err }, "the questions of turns cannot be read");
    }
    if (waiting().length === 0) this.stop();
  }

  async #asksStill({ waiting }: StoredTurn): Promise<boolean> {
    for (const question of waiting) if (await isOpenQuestion(this.#options.host, question)) return true;
    return false;
  }
}
