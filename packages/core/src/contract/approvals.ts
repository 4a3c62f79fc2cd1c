import type { CallInfo } from "./context.ts";
import type { JsonObject } from "../json/json.ts";
import type { CallStatus } from "./outcome.ts";
import type { ApprovalReason, ApprovalScope } from "./ports.ts";
import type { ApprovalFilter, ApprovalState, RecordedDecision, RememberedApproval } from "./stores.ts";

/** A question as approvers see it, open or decided. Values under names of secrets are masked. */
export interface ApprovalView {
  /** For approvers only: who has it decides. */
  readonly id: string;
  readonly state: ApprovalState;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly prompt: string;
  readonly reasons: readonly ApprovalReason[];
  readonly options: readonly string[];
  readonly digest: string;
  readonly createdAt: number;
  /** Until when it may be answered; once decided, until when the call may be gone on with. */
  readonly expiresAt: number;
  readonly decision: RecordedDecision | null;
  readonly info: CallInfo;
  /** What silence means. */
  readonly default: "approve" | "deny";
  /** Whether `remember` is taken. */
  readonly rememberable: boolean;
  readonly end?: { readonly status: CallStatus; readonly at: number; readonly code?: string };
}

/** An approver's decision about a stored question. */
export interface ApprovalDecision {
  readonly decision: "approve" | "deny";
  readonly reason?: string | undefined;
  /** Approves the like from now on. */
  readonly remember?: ApprovalScope | undefined;
}

/** Questions about calls that wait, for approvers. Ids never reach a model; tickets never reach an approver. */
export interface Approvals {
  /** Open questions, oldest first; with `states`, others. Ends those whose time is over first. */
  list(filter?: Omit<ApprovalFilter, "dueBy">): Promise<readonly ApprovalView[]>;
  /**
   * Decides; of several, one wins. The decision is on disk when this resolves. Throws `APPROVAL_NOT_FOUND`,
   * `APPROVAL_DECIDED`, and `OPTION_INVALID` for a `remember` that is too wide.
   */
  decide(id: string, decision: ApprovalDecision | "approve" | "deny", by: string): Promise<ApprovalView>;
  /** What is approved from now on. */
  remembered(tool?: string): Promise<readonly RememberedApproval[]>;
  /** Takes back an "always", or an approval that was not used yet; false when there is nothing to take back. */
  revoke(id: string): Promise<boolean>;
  /** Ends what has expired, and what a host that is gone left behind. A host does so by itself while it lives. */
  sweep(): Promise<void>;
}
