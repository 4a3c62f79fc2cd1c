import type { Json } from "../json/json.ts";

/** A record of the audit about a call: a start, a question, a decision or an end. Values under names of secrets are masked. */
export interface AuditEntry {
  readonly kind: "start" | "pending" | "decision" | "end";
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly runId: string;
  readonly tool: string;
  readonly [field: string]: Json | undefined;
}

/** An entry in the hash chain of its writer: each record has the hash of the record before it. */
export interface AuditRecord {
  /** Names the writer of the chain: a host, which takes a new name after a day and after a failed append. */
  readonly writer: string;
  /** Counts from 1. */
  readonly sequence: number;
  readonly previous: string;
  /** SHA-256 over previous, writer, sequence and entry. */
  readonly hash: string;
  readonly entry: AuditEntry;
}

/** The last record of a writer's chain. A comparison with it shows whether the newest records are missing. */
export interface AuditHead {
  readonly writer: string;
  readonly sequence: number;
  readonly hash: string;
}

/** Stores the audit. */
export interface AuditSink {
  /**
   * `batched`: calls do not wait, and a crash loses at most the last 10 ms. `durable`: the start is on disk before the
   * tool runs, and the end before the caller gets the outcome. `mixed`: durable, but batched for tools of category read.
   * `changes`: durable, without tools of category read and without calls of unknown tools.
   */
  readonly mode: "batched" | "durable" | "mixed" | "changes";
  /** Whether the entry of a call's end contains its result; default true. */
  readonly keepsResults?: boolean | undefined;
  /** Appends all records in one commit. They are on disk when the promise resolves. */
  append(records: readonly AuditRecord[]): Promise<void>;
  read(filter?: AuditFilter): Promise<readonly AuditRecord[]>;
  heads(): Promise<readonly AuditHead[]>;
  /**
   * Returns the calls of the audit, newest first, in pages. Optional: without it, as in a sink that only collects records, a
   * server knows only the calls of its own process.
   */
  calls?(filter: PastCallFilter): Promise<PastCallPage>;
  /** Deletes whole chains of writers that wrote nothing since `before`, in milliseconds. Resolves to the number of deleted records. */
  prune?(before: number): Promise<number>;
}

/** Whether a call happened, was only rehearsed, or undid an earlier one. */
export type CallKind = "call" | "rehearsal" | "undo";

/** A call as its records in the audit describe it. Times are milliseconds since the epoch. */
export interface PastCall {
  readonly runId: string;
  readonly callId: string;
  /** A rehearsal changed nothing; an undo restored what an earlier call had changed. */
  readonly kind: CallKind;
  readonly tool: string;
  /** When the call started; if it did not start, when a person was asked or it was refused. */
  readonly startedAt: number;
  /** `running`, `waiting`, `decided` (answered, not resumed yet), or how the call ended; `unknown` if its process ended first. */
  readonly status: string;
  readonly code: string | null;
  readonly durationMs: number | null;
  readonly sessionId: string | null;
  readonly userId: string | null;
  readonly turnId: string | null;
  readonly parentRunId: string | null;
  /** The line of the program that made the call, counted from 1; null for other calls. */
  readonly place: { readonly line: number; readonly code: string } | null;
  /** The arguments as a line of at most 200 characters for a list; empty when the call has no arguments. */
  readonly line: string;
}

/** Selects calls of the audit. */
export interface PastCallFilter {
  readonly tool?: string | undefined;
  readonly status?: string | undefined;
  readonly code?: string | undefined;
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly callId?: string | undefined;
  /** Only these runs; at most 1,000. */
  readonly runIds?: readonly string[] | undefined;
  /** Only calls that these runs made; at most 1,000. */
  readonly parentRunIds?: readonly string[] | undefined;
  /** Only calls that started at this time or later. */
  readonly since?: number | undefined;
  /** Only calls that started before this time. */
  readonly until?: number | undefined;
  /**
   * Words that must all be in the call's arguments, result or error, in any case. `order*` is every word with that beginning,
   * and `invoices/` a folder in a path of the arguments. Calls that still run are not found.
   */
  readonly text?: string | undefined;
  /** Only calls that follow this one in the list. */
  readonly after?: Pick<PastCall, "startedAt" | "runId"> | undefined;
  readonly limit: number;
}

/** A page of calls. */
export interface PastCallPage {
  readonly calls: readonly PastCall[];
  /** Whether more calls may follow this page. */
  readonly hasMore: boolean;
}

/** Selects records of the audit. */
export interface AuditFilter {
  readonly runId?: string | undefined;
  /** Only these runs; at most 1,000. */
  readonly runIds?: readonly string[] | undefined;
  readonly tool?: string | undefined;
  readonly writer?: string | undefined;
  readonly since?: number | undefined;
  readonly last?: number | undefined; // this many records, newest first; default: all, oldest first
  /** At most `size` records that follow `after`, oldest first. Records of the same moment are ordered by writer and sequence. */
  readonly page?: { readonly size: number; readonly after?: AuditRecord | undefined } | undefined;
}
