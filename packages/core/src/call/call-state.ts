import type { SessionId } from "../contract/own-session.ts";
import type { HookResult } from "../contract/hooks.ts";
import type { CallStatus, Injection, ToolOutcome } from "../contract/outcome.ts";
import type { ApprovalReason } from "../contract/ports.ts";
import type { ToolResult } from "../contract/result.ts";
import type { Grant } from "../contract/stores.ts";
import type { InnerLog } from "../pending/inner-log.ts";

/** When things happened, in milliseconds of the host's own time. */
export class Timing {
  readonly startedAt: number;
  /** When the tool began; deadlines and grace count from here. */
  executedAt = 0;
  /** When the deadline fires; 0 for never. */
  deadlineAt = 0;
  endedAt = 0;
  /** `startedAt` as text, once an event needed it. */
  startText: string | null = null;

  constructor(startedAt: number) {
    this.startedAt = startedAt;
  }
}

/** How the call ends. `endCall` and the hops from `shape` on write it. */
export class Ending {
  status: CallStatus = "ok";
  result: ToolResult | null = null;
  resultFrozen = false;
  /** Index of the hop in which the host ended the call; -1 while it did not. */
  hop = -1;
  /** Class of the error behind a failure, for `tool:error`. */
  failureType = "ToolmountError";
  /** The call was stopped, and its tool still succeeded within the grace. */
  cancelled: { reason: string; elapsedMs: number } | null = null;
  injections: readonly Injection[] | null = null;
  /** Ends the call with an interrupt: `host.call` rejects with it. */
  interrupt: { readonly thrown: unknown } | null = null;

  addWarning(warning: string): void {
    this.resultFrozen = false;
    this.result = { ...this.result!, warnings: [...(this.result!.warnings ?? []), warning] };
  }
}

/** Why the call needs a person, and who or what lets it run. The hops `decide` and `approve` write it. */
export interface ApprovalState {
  reasons: ApprovalReason[];
  /** The answer of the gate that asked. */
  gateAsk: HookResult | null;
  /** The person's yes that the call spends. */
  grant: Grant | null;
  /** The line of the plan, or the default, that let it run without a person. */
  allowedBy: string | null;
  deniedBy?: string;
}

/** The approval state, created at its first use. */
export function approvalOf(call: { approval: ApprovalState | null }): ApprovalState {
  return (call.approval ??= { reasons: [], gateAsk: null, grant: null, allowedBy: null });
}

/** Who or what stopped the call, and when. `stopCall` writes it. */
export interface Stop {
  readonly reason: "caller" | "cancel" | "deadline" | "close";
  readonly message: string;
  readonly at: number;
}

/** A call that a tool made: the digest of its request, and how it ended, or the ticket under which it waits. */
export interface InnerCall {
  readonly key: string;
  readonly outcome?: ToolOutcome | undefined;
  readonly ticket?: string | undefined;
  /** How many grants of an approved list were spent by then. */
  readonly spent?: number | undefined;
}

/** The calls that a tool makes in one run. */
export class InnerCalls {
  /** Calls of the runs before that this run has not made yet. */
  readonly known: InnerCall[];
  readonly made: InnerCall[] = [];
  /** Keeps the calls of a `repeatable` tool, so that they survive this process; null without a session that is stored. */
  log: InnerLog | null = null;
  /** How many calls it made. */
  count = 0;
  /** Bytes of `made` that may still be added; below 0, the call cannot wait. */
  room = 4_194_304;
  /** Tickets of calls that wait. */
  readonly tickets: string[] = [];
  /** Ends the promises that the tool waits for. */
  readonly waiting: ((error: unknown) => void)[] = [];
  running = 0;
  /** A call of it was refused, because too many were in flight. */
  hasRefused = false;
  isSuspended = false;

  constructor(known: readonly InnerCall[] = []) {
    this.known = [...known];
  }
}

/** A call's place in the log of the call that made it. */
export interface MadeIn {
  readonly log: InnerLog;
  readonly number: number;
  readonly key: string;
  /** An earlier run had begun it, and what became of it is not known. */
  readonly began: boolean;
}

/** The calls of earlier runs, as they were sealed with the outer call. */
export function readInnerCalls(sealed: unknown): InnerCalls | null {
  const { inner } = sealed as { readonly inner?: readonly InnerCall[] };
  return inner === undefined ? null : new InnerCalls(inner);
}

/**
 * The session that a user calls by a name: `s1` of ana is `ana:s1`. Callers choose short names, so two users' sessions of
 * one name are two. A name that begins so already stays, and so does a name without a user. Undefined without a name.
 */
export function ownSession(userId: unknown, name: string): SessionId;
export function ownSession(userId: unknown, name: unknown): SessionId | undefined;
export function ownSession(userId: unknown, name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  if (typeof userId !== "string") return name;
  const own = `${encoded(userId)}:`;
  return name.startsWith(own) ? name : own + name;
}

/** The user of a call in a session of this id: with another one, it would be a call in another session. */
export function userIn(sessionId: string, userId: string | undefined): string | undefined {
  return ownSession(userId, sessionId) === sessionId ? userId : undefined;
}

/** A user's id without a colon, and different for each. Half a surrogate pair has no percent code. */
function encoded(userId: string): string {
  if (userId.isWellFormed()) return encodeURIComponent(userId);
  return `%u${Buffer.from(userId, "utf16le").toString("hex")}`;
}

/** Run ids, and the callers' ids of calls that have not ended. */
export class CallIds {
  readonly #hostId: string;
  readonly #claimed = new Map<SessionId, Set<string>>();
  #runs = 0;

  /** `hostId` begins every run id: it is different for each host of a process. */
  constructor(hostId: string) {
    this.#hostId = hostId;
  }

  nextRunId(): string {
    return `${this.#hostId}-${(++this.#runs).toString(36)}`;
  }

  /** Claims a caller's id for a session; false when a call of the session has it already. */
  claim(sessionId: SessionId, callId: string): boolean {
    const ids = this.#claimed.get(sessionId) ?? new Set();
    if (ids.has(callId)) return false;
    this.#claimed.set(sessionId, ids.add(callId));
    return true;
  }

  release(sessionId: SessionId, callId: string): void {
    const ids = this.#claimed.get(sessionId);
    ids?.delete(callId);
    if (ids?.size === 0) this.#claimed.delete(sessionId);
  }
}
