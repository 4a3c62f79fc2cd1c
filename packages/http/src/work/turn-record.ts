import type { Json, JsonObject, WorkRecord } from "@toolmount/core";

/**
 * `running`: a server runs it now. `waiting`: it waits for a person or for the client. `decided`: its questions are answered, and
 * no server has resumed it yet. `interrupted`: its server has ended or failed, and another one resumes it. The other statuses are
 * final.
 */
export type TurnStatus =
  | "running"
  | "waiting"
  | "decided"
  | "interrupted"
  | "done"
  | "incomplete"
  | "cancelled"
  | "failed";

/** The kind of the records of turns in the store. */
export const turnKind = "turn";

/** Statuses of a turn that has ended. */
export const endedStatuses: readonly TurnStatus[] = ["done", "incomplete", "cancelled", "failed"];

/** Statuses of a turn that has not ended. */
export const openStatuses: readonly TurnStatus[] = ["running", "waiting", "decided", "interrupted"];

/** A call for which a turn waits. For a call of a sub-agent, `sessionId` is the sub-agent's session. */
interface WaitingFor {
  readonly callId: string;
  readonly tool: string;
  readonly waitsFor: string;
  readonly sessionId: string;
  /** The arguments; only for a call that the client runs. */
  readonly arguments?: Json | undefined;
}

/** A turn as the API shows it. Times are milliseconds since the epoch. */
export interface Turn {
  readonly id: string;
  readonly sessionId: string;
  readonly userId: string | null;
  /** The name of the token with which the turn was started. */
  readonly by: string;
  readonly prompt: string;
  readonly status: TurnStatus;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  readonly waiting: readonly WaitingFor[];
  /** How the turn ended or, for an open turn, where it last stopped. */
  readonly result: JsonObject | null;
  /** Why the last attempt to resume the turn failed; null if none failed. */
  readonly problem: string | null;
}

/** A message of the user that the session of the turn does not have yet. */
interface TurnMessage {
  readonly id: string;
  readonly text: string;
}

/** A turn as it is stored. `owner` is the server that runs it, and `dueAt` is when its claim ends. */
export interface StoredTurn extends Turn {
  readonly version: number;
  readonly owner: string | null;
  /** The digest of the plan with which the turn last ran. */
  readonly plan?: string | undefined;
  readonly dueAt: number | null;
  /** Whether another server asks the one that runs the turn to cancel it. */
  readonly cancels: boolean;
  /** Messages for the server that runs the turn, or that resumes it. */
  readonly messages: readonly TurnMessage[];
}

export function recordOf(turn: StoredTurn, scope: string): WorkRecord {
  const { id, version, status, sessionId, userId, startedAt: at, dueAt } = turn;
  const { by, prompt, updatedAt, endedAt, waiting, result, problem, owner, plan, cancels, messages } = turn;
  const body = { by, prompt, updatedAt, endedAt, waiting, result, problem, owner, plan, cancels, messages };
  const plain = JSON.parse(JSON.stringify(body)) as JsonObject;
  return { kind: turnKind, id, version, scope, status, sessionId, userId, at, dueAt, body: plain };
}

export function turnOf({ id, version, status, sessionId, userId, at, dueAt, body }: WorkRecord): StoredTurn {
  const rest = body as unknown as Omit<StoredTurn, "id" | "status" | "sessionId">;
  const own = { id, version, status: status as TurnStatus, sessionId: sessionId ?? "", userId };
  return { ...rest, messages: rest.messages ?? [], ...own, startedAt: at, dueAt };
}

/** Returns a turn as the API shows it. A running turn whose server has not renewed its claim is shown as interrupted. */
export function shownTurn(turn: StoredTurn, now: number): Turn {
  const {
    version: _v,
    owner: _owner,
    plan: _plan,
    dueAt,
    cancels: _cancels,
    messages: _messages,
    ...shown
  } = turn;
  const isLost = turn.status === "running" && dueAt !== null && dueAt < now;
  return isLost ? { ...shown, status: "interrupted" } : shown;
}

/** A waiting call as the reasoner reports it. */
interface Reported {
  readonly callId: string;
  readonly tool: string;
  readonly waitsFor: string;
  readonly arguments?: unknown;
}

/** Returns the calls for which a turn waits, including those of its sub-agents. */
export function waitingOf(reported: readonly Reported[], sessionId: string): readonly WaitingFor[] {
  return reported.flatMap(({ callId, tool, waitsFor, arguments: given }) => {
    const child = (given ?? {}) as { readonly sessionId?: string; readonly waiting?: readonly Reported[] };
    if (waitsFor === "agent" && child.sessionId !== undefined)
      return waitingOf(child.waiting ?? [], child.sessionId);
    const shown = waitsFor === "client" ? { arguments: given as Json } : {};
    return [{ callId, tool, waitsFor, sessionId, ...shown }];
  });
}
