import type { Generated } from "kysely";

/** The tables of both databases. Members that are searched have columns; the rest is JSON in `body`. */
export interface Tables {
  approvals: {
    id: string;
    ticket_hash: string;
    state: string;
    version: number;
    session_id: string | null;
    user_id: string | null;
    /** As JSON, because a caller's text may contain characters that a database refuses. */
    call_id: string | null;
    created_at: number;
    /** When the record needs attention; null after the end. */
    due_at: number | null;
    body: string;
  };
  remembered: { id: string; tool: string; at: number; body: string; uses: number; used_at: number | null };
  sessions: { id: string; parent_id: string | null; version: number; updated_at: number; body: string };
  session_entries: { session_id: string; sequence: number; body: string };
  /** Session and key are stored as JSON, so that different texts stay different whatever characters they contain. */
  session_state: { session_id: string; key: string; body: string };
  audit: { writer: string; sequence: number; at: number; run_id: string; tool: string; body: string };
  audit_heads: { writer: string; sequence: number; hash: string };
  /** The calls of the audit, combined from its records and written in the same commit. */
  calls: {
    sequence: Generated<number>;
    run_id: string;
    call_id: string;
    kind: string;
    tool: string;
    status: string;
    code: string | null;
    user_id: string | null;
    session_id: string | null;
    turn_id: string | null;
    parent_run_id: string | null;
    /** The line of the program that made the call, as JSON. */
    place: string | null;
    line: string;
    at: number;
    duration_ms: number | null;
    /** For a running call, until when the last report of its process counts. Null for other calls. */
    alive_until: number | null;
    /** The writer of the call's last record. */
    writer: string;
  };
  work: {
    kind: string;
    id: string;
    version: number;
    scope: string;
    status: string;
    session_id: string | null;
    user_id: string | null;
    at: number;
    due_at: number | null;
    body: string;
  };
  /** Counters that several servers share, such as the calls of a session. */
  counters: { key: string; count: number; amount: number; running: string; at: number };
  /** Credentials for servers that a person has signed in to, by the server's address. */
  credentials: { key: string; version: number; body: string };
}
