import type { Clock, Coordinator, Host, Rehearsal, Session } from "@toolmount/core";
import type { Model } from "@toolmount/interop";
import type { Allowance } from "../agents/shared-budget.ts";
import type { UserWords } from "../agents/user-words.ts";
import type { Agent, Settings } from "../config/settings.ts";
import type { Item } from "../provider/items.ts";
import type { ChosenModel } from "../provider/ranked-models.ts";
import type { LearnedRefusals } from "../session/learned-refusals.ts";
import type { SessionLog } from "../session/log.ts";
import { Injections } from "./injections.ts";
import type { UserLimits, UserSpending } from "./user-spending.ts";
import type { LiveTurn } from "./live-turns.ts";
import type { TurnEvent } from "./turn-types.ts";

/** The parts that one turn uses. */
export interface TurnParts {
  readonly host: Pick<Host, "approvals">;
  readonly coordinator: Pick<Coordinator, "hooks" | "logger">;
  readonly clock: Clock;
  readonly session: Session;
  readonly log: SessionLog;
  readonly settings: Settings;
  readonly agent: Agent | null;
  readonly model: Model;
  /** Opens the model that replaces one that cannot answer; null if there is no other. */
  readonly nextModel: ChosenModel["next"];
  /** Parts that servers refused in other sessions. */
  readonly learned: LearnedRefusals;
  readonly live: LiveTurn;
  readonly userId: string | undefined;
  readonly conversationId: string;
  /** W3C trace context of the turn; its requests and calls are part of that trace. */
  readonly traceparent: string;
  readonly hostId: string;
  /** Returns the user's words, for the calls of the turn. */
  readonly words: () => UserWords;
  /** The rehearsal to which its calls belong; undefined for a real turn. */
  readonly rehearsal: Rehearsal | undefined;
  /** Returns what is left of a budget of the turns above this one, which they share with all their sub-agents. */
  readonly leftAbove: (budget: "tokens" | "calls") => Allowance;
  /** Counts the user's spending in a day or a month. */
  readonly spending: Pick<UserSpending, "add" | "require">;
  readonly limits: UserLimits | null;
  /** Cancels the open turn of a sub-agent whose call is answered without it. */
  readonly cancelChild: (sessionId: string) => Promise<void>;
  readonly abortSignal: AbortSignal | undefined;
  readonly emit: (event: TurnEvent) => void;
}

/** A turn that runs in this process. */
export interface TurnState extends TurnParts {
  /** The settings of the model that is asked now. */
  settings: Settings;
  model: Model;
  nextModel: ChosenModel["next"];
  readonly turnId: string;
  /** Fields of every event of the turn. */
  readonly ids: Readonly<Record<string, string>>;
  readonly injections: Injections;
  readonly controller: AbortController;
  /** Injected items for the next request only. */
  ephemeral: Item[];
  /** The last text of the model. */
  text: string;
  isOutOfTime: boolean;
}

/** Creates the state of a turn that starts or is resumed. */
export function createTurnState(parts: TurnParts): TurnState {
  const { log, coordinator, settings } = parts;
  const { turnId } = log.view.turn!;
  const ids = { session_id: log.facts.id, turn_id: turnId };
  return {
    ...parts,
    turnId,
    ids,
    injections: new Injections(coordinator, settings, ids),
    controller: new AbortController(),
    ephemeral: [],
    text: "",
    isOutOfTime: false,
  };
}

/** Tests whether the caller, the session's token or the turn's time limit has stopped the turn. */
export function isStopped({ controller, session }: TurnState): boolean {
  return controller.signal.aborted || session.cancellation.isCancelled;
}
