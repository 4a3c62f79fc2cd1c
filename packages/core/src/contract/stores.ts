import type { ApprovalReason, ApprovalScope } from "./ports.ts";
import type { CallInfo } from "./context.ts";
import type { CallStatus } from "./outcome.ts";
import type { Json, JsonObject } from "../json/json.ts";

/**
 * Where a call that waits is.
 *
 * `pending` waits for a person; `approved` and `denied` are decided and not yet acted on; `claimed` is walked by a host,
 * and nothing has run; `started` may have run; `handed` waits for the client's result; `ended` is over.
 */
export type ApprovalState = "pending" | "approved" | "denied" | "claimed" | "started" | "handed" | "ended";

/** A person's decision, as it is kept. */
export interface RecordedDecision {
  readonly decision: "approve" | "deny";
  readonly by: string;
  readonly at: number;
  readonly reason?: string | undefined;
}

/** How a call ended that had waited. */
export interface RecordedEnd {
  readonly status: CallStatus;
  readonly at: number;
  readonly code?: string | undefined;
  /** The sentence, where the host ended it without a run. */
  readonly error?: string | undefined;
  /** The outcome, sealed; null where nobody with the ticket was there to end it. */
  readonly sealed: string | null;
}

/**
 * One call that waits for a person or a client, as a store keeps it. Plain JSON; times are milliseconds since the epoch.
 *
 * What the session's ticket opens (the request, the outcome) is sealed with a key that is made of the ticket, and the
 * ticket itself is kept as a hash: a reader of the store can neither go on with the call nor see its secrets.
 */
export interface ApprovalRecord {
  /** For approvers only. */
  readonly id: string;
  /** SHA-256 of the ticket, in hex. */
  readonly ticketHash: string;
  readonly state: ApprovalState;
  /** One more with every change; a change names the version that it saw. */
  readonly version: number;
  readonly tool: string;
  readonly info: CallInfo;
  /** Over tool, definition, final arguments, session and user. */
  readonly digest: string;
  /** Of the tool's definition alone. */
  readonly definition: string;
  /** The final arguments as an approver reads them: values under names of secrets are masked. */
  readonly shown: JsonObject;
  /** Over tool and final arguments; what an "always" for these arguments goes by. */
  readonly argumentsDigest: string;
  /** The request as it came, sealed. */
  readonly sealed: string;
  readonly prompt: string;
  readonly reasons: readonly ApprovalReason[];
  readonly options: readonly string[];
  /** What silence means. */
  readonly default: "approve" | "deny";
  readonly idempotent: boolean;
  /** Whether the client runs it. */
  readonly client: boolean;
  readonly createdAt: number;
  /** While pending: until when it may be answered. Once decided or handed: until when it may be gone on with. */
  readonly expiresAt: number;
  readonly decision: RecordedDecision | null;
  /** Until when whoever claimed it need not show that it lives. */
  readonly leaseUntil: number | null;
  readonly end: RecordedEnd | null;
}

/** An "always": covers later questions of requiresConfirmation and of the level, never a gate's or a rule's. */
export interface RememberedApproval {
  readonly id: string;
  readonly tool: string;
  /** A changed definition is no longer covered. */
  readonly definition: string;
  readonly scope: ApprovalScope["scope"];
  /** With `arguments`: what it covers. */
  readonly argumentsDigest: string | null;
  /** With `rule`: what it covers. */
  readonly pattern: JsonObject | null;
  /** With `session`: what it covers. */
  readonly sessionId: string | null;
  /** On whose behalf the calls are that it covers; null for calls without a user. */
  readonly userId: string | null;
  readonly by: string;
  readonly at: number;
}

/** Which records a list has. */
export interface ApprovalFilter {
  readonly states?: readonly ApprovalState[] | undefined;
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  /** The caller's id of the call. */
  readonly callId?: string | undefined;
  /** Those whose expiry, or lease while claimed or started, has passed at this time. */
  readonly dueBy?: number | undefined;
  /** Default 100; oldest first. */
  readonly limit?: number | undefined;
}

/**
 * Keeps calls that wait. A promise that resolves means that it is on disk; one that rejects, that nothing happened or
 * that nobody knows, and then the host denies.
 */
export interface ApprovalStore {
  add(record: ApprovalRecord): Promise<void>;
  get(id: string): Promise<ApprovalRecord | null>;
  findByTicket(ticketHash: string): Promise<ApprovalRecord | null>;
  /** Puts a record in place of its last version (`record.version - 1`). False when that is not the current one. */
  replace(record: ApprovalRecord): Promise<boolean>;
  list(filter?: ApprovalFilter): Promise<readonly ApprovalRecord[]>;
  remember(approval: RememberedApproval): Promise<void>;
  /** Those for a tool, or all. */
  remembered(tool?: string): Promise<readonly RememberedApproval[]>;
  /** Forgets one; false when there is none. */
  forget(id: string): Promise<boolean>;
}

/** One session as a store keeps it. */
export interface SessionRecord {
  readonly id: string;
  readonly parentId: string | null;
  /** One more with every save. */
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

/** What changed of a session's state, by key; a key that was deleted has the value undefined. */
export type StateChanges = ReadonlyMap<string, Json | undefined>;

/**
 * Keeps sessions: a document each, changed by compare-and-set, a log that only grows, and the state that its calls share,
 * by key. A session's state may be there before its document is.
 */
export interface SessionStore {
  load(id: string): Promise<SessionRecord | null>;
  /** Saves version 1 of a new session, or the next version of a known one. False when it is not the next. */
  save(record: SessionRecord): Promise<boolean>;
  /** Newest change first. */
  list(filter?: {
    parentId?: string | undefined;
    limit?: number | undefined;
  }): Promise<readonly SessionRecord[]>;
  /** Adds to the log after entry `after`, all or none. False when the log does not end there. */
  append(id: string, after: number, entries: readonly Json[]): Promise<boolean>;
  entries(
    id: string,
    range?: { after?: number | undefined; limit?: number | undefined },
  ): Promise<readonly SessionEntry[]>;
  /** The state that the calls of a session share; empty when nothing was kept. */
  readState(id: string): Promise<ReadonlyMap<string, Json>>;
  /** Changes these keys and no others, all or none. On disk when it resolves. */
  writeState(id: string, changes: StateChanges): Promise<void>;
  /** Deletes a session, its log and its state; false when there is none. */
  delete(id: string): Promise<boolean>;
}

/** One line of the audit: what was decided, began or ended. Values under names of secrets are masked. */
export interface AuditEntry {
  readonly kind: "start" | "pending" | "decision" | "end";
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly runId: string;
  readonly tool: string;
  readonly [field: string]: Json | undefined;
}

/** An entry in the chain of its writer: each names the hash of the one before. */
export interface AuditRecord {
  /** One writer is one run of one host. */
  readonly writer: string;
  /** Counts from 1. */
  readonly sequence: number;
  readonly previous: string;
  /** SHA-256 over previous, writer, sequence and entry. */
  readonly hash: string;
  readonly entry: AuditEntry;
}

/** Where the chain of a writer ended when it was last written; shows when the newest records are missing. */
export interface AuditHead {
  readonly writer: string;
  readonly sequence: number;
  readonly hash: string;
}

/** Keeps the audit. */
export interface AuditSink {
  /**
   * `batched`: a call does not wait, at most 10 ms are lost. `durable`: the start is on disk before a tool runs, the end
   * before its outcome is told. `mixed`: durable, but batched for tools of category read. `changes`: durable, and nothing
   * of tools of category read, nor of calls that name no tool.
   */
  readonly mode: "batched" | "durable" | "mixed" | "changes";
  /** Appends in one commit. On disk when it resolves. */
  append(records: readonly AuditRecord[]): Promise<void>;
  read(filter?: AuditFilter): Promise<readonly AuditRecord[]>;
  heads(): Promise<readonly AuditHead[]>;
}

/** Which records of the audit. */
export interface AuditFilter {
  readonly runId?: string | undefined;
  readonly tool?: string | undefined;
  readonly writer?: string | undefined;
  readonly since?: number | undefined;
  /** Newest first. Default: all, oldest first. */
  readonly last?: number | undefined;
}

/** All that a host keeps. */
export interface StateStore {
  readonly approvals: ApprovalStore;
  readonly sessions: SessionStore;
  readonly audit?: AuditSink | undefined;
  close?(): Promise<void>;
}
