import type { ApprovalReason, ApprovalScope } from "./ports.ts";
import type { CallInfo, Placed } from "./context.ts";
import type { CallStatus } from "./outcome.ts";
import type { Json, JsonObject } from "../json/json.ts";

/**
 * The state of a waiting call.
 *
 * `pending` waits for a person, `handed` for the client's result, `suspended` for a call that its tool made. `approved` and
 * `denied` are decided, but no host has acted yet. `claimed`: a host resumes it. `started`: its tool may have run.
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
  /** The approver's arguments, if they replaced those of the call; secrets are masked. */
  readonly arguments?: JsonObject | undefined;
}

/** The end of a call that had waited. */
export interface RecordedEnd {
  readonly status: CallStatus;
  readonly at: number;
  readonly code?: string | undefined;
  /** The error message, if the host ended the call without a run. */
  readonly error?: string | undefined;
  /** The encrypted outcome; null when the call ended without its ticket, for example by expiry. */
  readonly sealed: string | null;
}

/**
 * A call that waits for a person or a client, as it is stored. It is plain JSON; times are milliseconds since the epoch.
 *
 * The request and the outcome are encrypted with a key that is derived from the session's ticket, and the ticket is
 * stored as a hash. A reader of the store can neither resume the call nor see its secrets.
 */
export interface ApprovalRecord extends Placed {
  /** The id of the question, for approvers only. */
  readonly id: string;
  /** SHA-256 of the ticket, in hex. */
  readonly ticketHash: string;
  readonly state: ApprovalState;
  /** Every change adds 1, and replaces exactly the version before it. */
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
   * What a host needs to make the call without its ticket: the arguments, if they differ from `shown`, and the public key of
   * the ticket's holder. Missing or null if only the caller can make it.
   */
  readonly open?: { readonly holder: string; readonly arguments?: JsonObject } | null;
  readonly prompt: string;
  readonly reasons: readonly ApprovalReason[];
  readonly options: readonly string[];
  /** The decision if no answer comes before the deadline. */
  readonly default: "approve" | "deny";
  readonly idempotent: boolean;
  /** Whether the client runs the call. */
  readonly client: boolean;
  readonly createdAt: number;
  /** While pending, the deadline for the decision. Once decided or handed, the deadline for resuming the call. */
  readonly expiresAt: number;
  readonly decision: RecordedDecision | null;
  /** When the lease ends: the host that claimed the call must renew it before this time. */
  readonly leaseUntil: number | null;
  /** The asking host renews this time until its caller has the ticket (then null). After it, the caller may use the call id again. */
  readonly undeliveredUntil?: number | null | undefined;
  readonly end: RecordedEnd | null;
}

/** The approval of a person: who gave it, for which calls, and until when. Rules give no grants. */
export interface Grant {
  /** For a grant of one call: the id of its question, or the run id of its list. */
  readonly id: string;
  /** The name of the person. */
  readonly by: string;
  readonly at: number;
  readonly tool: string;
  /** SHA-256 of the tool's definition and code. The grant does not cover the tool after a change. */
  readonly definition: string;
  /** `call` covers one call, once; the others are the scopes of {@link ApprovalScope}. */
  readonly scope: "call" | ApprovalScope["scope"];
  /** The digest of the covered arguments; null with `rule`. */
  readonly argumentsDigest: string | null;
  /** With `rule`, the pattern of the covered arguments. */
  readonly pattern: JsonObject | null;
  /** With `call` and `session`, the covered session; null for calls without a session. */
  readonly sessionId: string | null;
  /** The user of the covered calls; null for calls without a user. */
  readonly userId: string | null;
  /** When the grant expires, in milliseconds since the epoch; null if it lasts until it is revoked. */
  readonly expiresAt: number | null;
}

/** A grant for later calls. It answers only questions of `requiresConfirmation` and of the level. */
export interface StandingGrant extends Grant {
  readonly scope: ApprovalScope["scope"];
  /** Number of calls that the grant has approved; `usedAt` is the time of the last. */
  readonly uses: number;
  readonly usedAt: number | null;
}

/** How often a remembered approval answered questions since its uses were last stored. */
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
  /** Only records whose expiry (or lease, while claimed or started) is at or before this time. */
  readonly dueBy?: number | undefined;
  /** How many records at most, oldest first. Default 100. */
  readonly limit?: number | undefined;
}

/** Stores waiting calls. A change is on disk when its promise resolves. If the promise rejects, that is unknown, and the host denies. */
export interface ApprovalStore {
  add(record: ApprovalRecord): Promise<void>;
  get(id: string): Promise<ApprovalRecord | null>;
  findByTicket(ticketHash: string): Promise<ApprovalRecord | null>;
  /** Replaces version `record.version - 1` of a record. False if that is not the current version. */
  replace(record: ApprovalRecord): Promise<boolean>;
  list(filter?: ApprovalFilter): Promise<readonly ApprovalRecord[]>;
  remember(approval: StandingGrant): Promise<void>;
  /** Resolves to the remembered approvals of `tool`, or of all tools. */
  remembered(tool?: string): Promise<readonly StandingGrant[]>;
  /** Deletes a remembered approval; false if there is no such approval. */
  forget(id: string): Promise<boolean>;
  /** Adds to the uses of remembered approvals. Approvals that no longer exist are ignored. */
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
 * Stores sessions. Each session has a document that is changed by compare-and-set, an append-only log, and the state that its
 * calls share, by key. The state may exist before the document.
 */
export interface SessionStore {
  load(id: string): Promise<SessionRecord | null>;
  /** Saves version 1 of a new session, or the next version of a stored one. False if it is not the next version. */
  save(record: SessionRecord): Promise<boolean>;
  /** Resolves to stored sessions, the last changed first; at most `limit`, which is 100 by default. */
  list(filter?: {
    parentId?: string | undefined;
    limit?: number | undefined;
  }): Promise<readonly SessionRecord[]>;
  /** Appends all entries to the log, or no entry. False if the log's last entry does not have the number `after`. */
  append(id: string, after: number, entries: readonly Json[]): Promise<boolean>;
  entries(
    id: string,
    range?: { after?: number | undefined; limit?: number | undefined },
  ): Promise<readonly SessionEntry[]>;
  /** Deletes a log's entries before a number; the others keep their numbers. Optional: a store without it keeps all. */
  trim?(id: string, before: number): Promise<void>;
  /** Resolves to the state that the calls of a session share; empty if nothing is stored. */
  readState(id: string): Promise<ReadonlyMap<string, Json>>;
  /** Changes exactly these keys, all or none of them. They are on disk when the promise resolves. */
  writeState(id: string, changes: StateChanges): Promise<void>;
  /** Deletes a session, its state and all logs that `logsOf` (`@toolmount/core/sessions`) names; false if there is nothing. */
  delete(id: string): Promise<boolean>;
}
