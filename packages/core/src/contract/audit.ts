import type { Json } from "../json/json.ts";

/** One line of the audit: a start, a question, a decision or an end. Values under names of secrets are masked. */
export interface AuditEntry {
  readonly kind: "start" | "pending" | "decision" | "end";
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly runId: string;
  readonly tool: string;
  readonly [field: string]: Json | undefined;
}

/** An entry in the hash chain of its writer: each record names the hash of the one before. */
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

/** The last record of a writer's chain. It shows when the newest records are missing. */
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
  /** Whether the end of a call has its result; default true. */
  readonly keepsResults?: boolean | undefined;
  /** Appends in one commit. On disk when it resolves. */
  append(records: readonly AuditRecord[]): Promise<void>;
  read(filter?: AuditFilter): Promise<readonly AuditRecord[]>;
  heads(): Promise<readonly AuditHead[]>;
  /**
   * The calls of the audit, newest first, a page at a time. Optional: a sink that only collects records has none, and a
   * server then knows the calls of its own process only.
   */
  calls?(filter: PastCallFilter): Promise<PastCallPage>;
  /** Deletes whole chains, of writers that wrote nothing since a time in milliseconds. Resolves to the number of records. */
  prune?(before: number): Promise<number>;
}

/** Whether a call happened, was only rehearsed, or undid an earlier one. */
export type CallKind = "call" | "rehearsal" | "undo";

/** A call as its records in the audit say it. Times are milliseconds since the epoch. */
export interface PastCall {
  readonly runId: string;
  readonly callId: string;
  /** A rehearsal changed nothing; an undo restored what an earlier call had changed. */
  readonly kind: CallKind;
  readonly tool: string;
  /** When it started; of a call that did not start, when it asked or was refused. */
  readonly startedAt: number;
  /** `running`, `waiting`, `decided` (answered and not resumed), or how it ended; `unknown` when its process ended first. */
  readonly status: string;
  readonly code: string | null;
  readonly durationMs: number | null;
  readonly sessionId: string | null;
  readonly userId: string | null;
  readonly turnId: string | null;
  readonly parentRunId: string | null;
  /** The line of a program that made it, from 1; null for other calls. */
  readonly place: { readonly line: number; readonly code: string } | null;
  /** Its arguments as a line of at most 200 characters for a list; empty when it has none. */
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
  /** Only calls that started then or later. */
  readonly since?: number | undefined;
  /** Only calls that started before. */
  readonly until?: number | undefined;
  /**
   * Words that its arguments, result or error have, all of them, in any case: `order*` is each word with that beginning, and
   * `invoices/` a folder in a path of the arguments.
   * Calls that run are not found.
   */
  readonly text?: string | undefined;
  /** The calls behind this one in the list. */
  readonly after?: Pick<PastCall, "startedAt" | "runId"> | undefined;
  readonly limit: number;
}

/** A page of calls. */
export interface PastCallPage {
  readonly calls: readonly PastCall[];
  /** Whether calls may follow. */
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
  readonly last?: number | undefined; // newest first; default: all, oldest first
  /** At most `size` records after this one, oldest first; those of one moment by writer and sequence. */
  readonly page?: { readonly size: number; readonly after?: AuditRecord | undefined } | undefined;
}
