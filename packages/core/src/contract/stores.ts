import type { ApprovalReason, ApprovalScope } from "./ports.ts";
import type { CallInfo, Placed } from "./context.ts";
import type { CallStatus } from "./outcome.ts";
import type { Json, JsonObject } from "../json/json.ts";

/**
 * The state of a waiting call.
 *
 * `pending` waits for a person, `handed` for the client's result, `suspended` for a call that its tool made; `approved` and
 * `denied` are decided, and no host has acted; `claimed`: a host resumes it; `started` may have run; `ended`.
 */
export type ApprovalState =
  | "pending"
  | "approved"
  | "denied"
  | "claimed"
  | "started"
  | "handed"
  | "suspended"
  | "ended";

/** A person's decision as it is stored. */
export interface RecordedDecision {
  readonly decision: "approve" | "deny";
  readonly by: string;
  readonly at: number;
  readonly reason?: string | undefined;
  /** The approver's arguments, where they replaced the call's own; masked. */
  readonly arguments?: JsonObject | undefined;
}

/** The end of a call that had waited. */
export interface RecordedEnd {
  readonly status: CallStatus;
  readonly at: number;
  readonly code?: string | undefined;
  /** The error message, when the host ended the call without a run. */
  readonly error?: string | undefined;
  /** The encrypted outcome; null when the call ended without its ticket, for example by expiry. */
  readonly sealed: string | null;
}

/**
 * A call that waits for a person or a client, as it is stored. Plain JSON; times are milliseconds since the epoch.
 *
 * The request and the outcome are encrypted with a key that is derived from the session's ticket, and the ticket is
 * stored as a hash. A reader of the store can neither resume the call nor see its secrets.
 */
export interface ApprovalRecord extends Placed {
  /** For approvers only. */
  readonly id: string;
  /** SHA-256 of the ticket, in hex. */
  readonly ticketHash: string;
  readonly state: ApprovalState;
  /** Every change adds 1, and names the version that it replaces. */
  readonly version: number;
  readonly tool: string;
  readonly info: CallInfo;
  /** SHA-256 over tool, definition, final arguments, session and user. */
  readonly digest: string;
  /** SHA-256 of the tool's definition and code. */
  readonly definition: string;
  /** The final arguments as an approver reads them: values under names of secrets are masked. */
  readonly shown: JsonObject;
  /** The approver's arguments, not masked. */
  readonly edited?: JsonObject;
  /** SHA-256 over tool and final arguments; a remembered approval of scope `arguments` compares it. */
  readonly argumentsDigest: string;
  /** The encrypted request. */
  readonly sealed: string;
  /**
   * What makes the call without its ticket: its arguments, where they differ from `shown`, and the public key of the ticket's
   * holder. Missing or null where only the caller can make it.
   */
  readonly open?: { readonly holder: string; readonly arguments?: JsonObject } | null;
  readonly prompt: string;
  readonly reasons: readonly ApprovalReason[];
  readonly options: readonly string[];
  /** The decision when the deadline passes without an answer. */
  readonly default: "approve" | "deny";
  readonly idempotent: boolean;
  /** Whether the client runs the call. */
  readonly client: boolean;
  readonly createdAt: number;
  /** While pending: deadline for the decision. Once decided or handed: deadline for resuming the call. */
  readonly expiresAt: number;
  readonly decision: RecordedDecision | null;
  /** Lease expiry: the host that claimed the call must renew it before this time. */
  readonly leaseUntil: number | null;
  /** The asking host renews this time until its caller has the ticket (null); afterwards the caller's id is free. */
  readonly undeliveredUntil?: number | null | undefined;
  readonly end: RecordedEnd | null;
}

/** A person's yes: who gave it, for which calls, and until when. Rules give none. */
export interface Grant {
  /** Of one call: the id of its question, or the run of its list. */
  readonly id: string;
  /** The person. */
  readonly by: string;
  readonly at: number;
  readonly tool: string;
  /** SHA-256 of the tool's definition and code; a changed tool is not covered. */
  readonly definition: string;
  /** `call` covers one call, once; the others are those of {@link ApprovalScope}. */
  readonly scope: "call" | ApprovalScope["scope"];
  /** The digest of the covered arguments; null with `rule`. */
  readonly argumentsDigest: string | null;
  /** With `rule`: the pattern of the covered arguments. */
  readonly pattern: JsonObject | null;
  /** With `call` and `session`: the covered session; null for calls without a session. */
  readonly sessionId: string | null;
  /** The user of the covered calls; null for calls without a user. */
  readonly userId: string | null;
  /** When it ends by itself, in milliseconds since the epoch; null for one that ends when it is revoked. */
  readonly expiresAt: number | null;
}

/** A grant for later calls. It answers questions of `requiresConfirmation` and of the level, never another one. */
export interface StandingGrant extends Grant {
  readonly scope: ApprovalScope["scope"];
  /** How many calls it has answered, and when the last one. */
  readonly uses: number;
  readonly usedAt: number | null;
}

/** How often a remembered approval answered since it was counted last. */
export interface ApprovalUse {
  readonly id: string;
  readonly count: number;
  readonly usedAt: number;
}

/** Selects records of a list. */
export interface ApprovalFilter {
  readonly states?: readonly ApprovalState[] | undefined;
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  /** The caller's id for the call. */
  readonly callId?: string | undefined;
  /** Records whose expiry (or lease, while claimed or started) is at or before this time. */
  readonly dueBy?: number | undefined;
  /** Default 100; oldest first. */
  readonly limit?: number | undefined;
}

/** Stores waiting calls. A change is on disk when its promise resolves. When it rejects, it may have happened: the host denies. */
export interface ApprovalStore {
  add(record: ApprovalRecord): Promise<void>;
  get(id: string): Promise<ApprovalRecord | null>;
  findByTicket(ticketHash: string): Promise<ApprovalRecord | null>;
  /** Replaces version `record.version - 1` of a record. False when that is not the current version. */
  replace(record: ApprovalRecord): Promise<boolean>;
  list(filter?: ApprovalFilter): Promise<readonly ApprovalRecord[]>;
  remember(approval: StandingGrant): Promise<void>;
  /** The remembered approvals of one tool, or all. */
  remembered(tool?: string): Promise<readonly StandingGrant[]>;
  /** Deletes a remembered approval; false when there is none. */
  forget(id: string): Promise<boolean>;
  /** Adds to the uses of remembered approvals; those that are gone are passed over. */
  countUses(uses: readonly ApprovalUse[]): Promise<void>;
}

/** A session as it is stored. */
export interface SessionRecord {
  readonly id: string;
  readonly parentId: string | null;
  /** Every save adds 1. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly data: JsonObject;
}

/** One entry of a session's log; `sequence` counts from 1. */
export interface SessionEntry {
  readonly sequence: number;
  readonly entry: Json;
}

/** Changes to a session's state by key; a deleted key has the value undefined. */
export type StateChanges = ReadonlyMap<string, Json | undefined>;

/**
 * Stores sessions. Each has a document (changed by compare-and-set), an append-only log, and the state that its calls
 * share, by key. The state may exist before the document.
 */
export interface SessionStore {
  load(id: string): Promise<SessionRecord | null>;
  /** Saves version 1 of a new session, or the next version of a stored one. False when it is not the next. */
  save(record: SessionRecord): Promise<boolean>;
  /** Newest change first. */
  list(filter?: {
    parentId?: string | undefined;
    limit?: number | undefined;
  }): Promise<readonly SessionRecord[]>;
  /** Appends all entries to the log, or none. False when `after` is not the last entry. */
  append(id: string, after: number, entries: readonly Json[]): Promise<boolean>;
  entries(
    id: string,
    range?: { after?: number | undefined; limit?: number | undefined },
  ): Promise<readonly SessionEntry[]>;
  /** Deletes the entries of a log before a number; the others keep theirs. Optional: a store without it keeps all. */
  trim?(id: string, before: number): Promise<void>;
  /** The state that the calls of a session share; empty when nothing is stored. */
  readState(id: string): Promise<ReadonlyMap<string, Json>>;
  /** Changes exactly these keys, all or none. On disk when it resolves. */
  writeState(id: string, changes: StateChanges): Promise<void>;
  /** Deletes a session, its state and all logs that `logsOf` (`@toolmount/core/sessions`) names; false if there is nothing. */
  delete(id: string): Promise<boolean>;
}
