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
  /** `startedAt` as text; null until an event needs it. */
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
  /** Index of the hop in which the host ended the call; -1 otherwise. */
  hop = -1;
  /** Name of the class of the error behind a failure, for `tool:error`. */
  failureType = "ToolmountError";
  /** Set when the call was stopped but its tool still succeeded within the grace period. */
  cancelled: { reason: string; elapsedMs: number } | null = null;
  injections: readonly Injection[] | null = null;
  /** Set when an interrupt ends the call: `host.call` then rejects with `thrown`. */
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
  /** The grant of a person that the call spends. */
  grant: Grant | null;
  /** The line of the plan, or the default, that lets the call run without a person. */
  allowedBy: string | null;
  deniedBy?: string;
}

/** Returns the approval state of a call, which is created at its first use. */
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
  /** Number of grants of an approved list that were spent up to this call. */
  readonly spent?: number | undefined;
}

/** The calls that a tool makes in one run. */
export class InnerCalls {
  /** Calls of earlier runs that this run has not made again yet. */
  readonly known: InnerCall[];
  readonly made: InnerCall[] = [];
  /** Keeps the calls of a `repeatable` tool, so that they survive this process; null unless its session is stored. */
  log: InnerLog | null = null;
  /** Number of calls that the tool has made in this run. */
  count = 0;
  /** Bytes that may still be added to `made`. Below 0, the call cannot be stored to wait. */
  room = 4_194_304;
  /** Tickets of calls that wait. */
  readonly tickets: string[] = [];
  /** Functions that reject the promises for which the tool waits. */
  readonly waiting: ((error: unknown) => void)[] = [];
  running = 0;
  /** Whether a call of the tool was refused because too many were running at once. */
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
  /** Whether an earlier run began this call and its outcome is not known. */
  readonly began: boolean;
}

/** Reads the calls of earlier runs from the decrypted request of the outer call. Null if it contains no such calls. */
export function readInnerCalls(sealed: unknown): InnerCalls | null {
  const { inner } = sealed as { readonly inner?: readonly InnerCall[] };
  return inner === undefined ? null : new InnerCalls(inner);
}

/**
 * Returns the id of the session that a user calls `name`: `s1` of the user ana becomes `ana:s1`. Callers choose short names, so
 * the sessions of two users can have the same name. A name that already has the prefix, and a name without a user, stay as
 * they are. Undefined if `name` is not a text.
 */
export function ownSession(userId: unknown, name: string): SessionId;
export function ownSession(userId: unknown, name: unknown): SessionId | undefined;
export function ownSession(userId: unknown, name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  if (typeof userId !== "string") return name;
  const own = `${encoded(userId)}:`;
  return name.startsWith(own) ? name : own + name;
}

/** Returns `userId` if {@link ownSession} leaves this session's id unchanged for that user; undefined otherwise. */
export function userIn(sessionId: string, userId: string | undefined): string | undefined {
  return ownSession(userId, sessionId) === sessionId ? userId : undefined;
}

/** Encodes a user's id without colons, and differently for each user. Half of a surrogate pair cannot be percent-encoded. */
function encoded(userId: string): string {
  if (userId.isWellFormed()) return encodeURIComponent(userId);
  return `%u${Buffer.from(userId, "utf16le").toString("hex")}`;
}

/** Makes run ids, and keeps the ids that callers gave to calls that have not ended. */
export class CallIds {
  readonly #hostId: string;
  readonly #claimed = new Map<SessionId, Set<string>>();
  #runs = 0;

  /** Every run id begins with `hostId`, which is different for each host of a process. */
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
