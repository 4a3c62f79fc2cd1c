import type { AuditSink } from "./audit.ts";
import type { ApprovalStore, SessionStore } from "./stores.ts";
import type { WorkStore } from "./work.ts";

/** All stores of a host. */
export interface StateStore {
  readonly approvals: ApprovalStore;
  readonly sessions: SessionStore;
  readonly audit?: AuditSink | undefined;
  /** The work that servers do for their callers. Without this member, a server keeps this work only in its memory. */
  readonly work?: WorkStore | undefined;
  close?(): Promise<void>;
}
