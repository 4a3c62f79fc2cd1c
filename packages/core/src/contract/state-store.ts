import type { AuditSink } from "./audit.ts";
import type { ApprovalStore, SessionStore } from "./stores.ts";
import type { WorkStore } from "./work.ts";

/** All stores of a host. */
export interface StateStore {
  readonly approvals: ApprovalStore;
  readonly sessions: SessionStore;
  readonly audit?: AuditSink | undefined;
  /** What servers do for their callers. A store without it keeps that in memory only. */
  readonly work?: WorkStore | undefined;
  close?(): Promise<void>;
}
