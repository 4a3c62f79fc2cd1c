import type { AuditSink } from "./audit.ts";
import type { ApprovalStore, SessionStore } from "./stores.ts";
import type { WorkStore } from "./work.ts";

/** All stores of a host. */
export interface StateStore {
  readonly approvals: ApprovalStore;
  readonly sessions: SessionStore;
  readonly audit?: AuditSink | undefined;
  /** What servers do for their callers. A store without this member leaves that in the server's memory. */
  readonly work?: WorkStore | undefined;
  close?(): Promise<void>;
}
