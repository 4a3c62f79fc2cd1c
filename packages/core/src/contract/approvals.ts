import type { CallInfo, Placed } from "./context.ts";
import type { JsonObject } from "../json/json.ts";
import type { PreviewedEffect } from "./preview.ts";
import type { CallStatus } from "./outcome.ts";
import type { ApprovalReason, ApprovalScope } from "./ports.ts";
import type { ApprovalFilter, ApprovalState, RecordedDecision, StandingGrant } from "./stores.ts";

/** A question as approvers see it, open or decided. Values under names of secrets are masked. */
export interface ApprovalView extends Placed {
  /** For approvers only: the id is enough to decide. */
  readonly id: string;
  readonly state: ApprovalState;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly prompt: string;
  readonly reasons: readonly ApprovalReason[];
  readonly options: readonly string[];
  readonly digest: string;
  readonly createdAt: number;
  /** Deadline for the decision; once decided, deadline for resuming the call. Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly decision: RecordedDecision | null;
  readonly info: CallInfo;
  /** The decision when the deadline passes without an answer. */
  readonly default: "approve" | "deny";
  /** Whether a decision may carry `remember`. */
  readonly rememberable: boolean;
  /** Whether `run` can run the call when it is approved. */
  readonly runnable: boolean;
  readonly end?: { readonly status: CallStatus; readonly at: number; readonly code?: string };
}

/** An approver's decision about a stored question. */
export interface ApprovalDecision {
  readonly decision: "approve" | "deny";
  readonly reason?: string | undefined;
  /** Also approves later calls of this scope. */
  readonly remember?: ApprovalScope | undefined;
  /**
   * Approves the call with these arguments instead of its own. A member that is equal to the member shown in the question keeps
   * the call's own value, even if the question masks it. The call is parsed and decided again, and its result says so.
   */
  readonly arguments?: JsonObject | undefined;
}

/** What the call of a question would change. */
export interface QuestionPreview {
  readonly effects: readonly PreviewedEffect[];
  /** Why the effects are not known, or why the call would change nothing; null if `effects` has them. */
  readonly problem: string | null;
}

/**
 * The questions about waiting calls, for approvers. Ids never reach a model; tickets never reach an approver. Without a store
 * there are no questions: `decide`, `preview`, `run` and `revoke` throw `EXTENSION_MISSING`.
 */
export interface Approvals {
  /** Ends expired questions, then returns the open ones, oldest first; with `states`, questions in other states. */
  list(filter?: Omit<ApprovalFilter, "dueBy">): Promise<readonly ApprovalView[]>;
  /**
   * Decides a question. Of several decisions exactly one counts, and it is stored when the promise resolves. Throws
   * `APPROVAL_NOT_FOUND`, `APPROVAL_DECIDED`, and `OPTION_INVALID` for a `remember` that is too wide or `arguments` that the
   * tool refuses.
   */
  decide(id: string, decision: ApprovalDecision | "approve" | "deny", by: string): Promise<ApprovalView>;
  /**
   * Returns what the call of an open question would change now, as its tool's preview says. It is a rehearsal, so nothing
   * changes. Throws `APPROVAL_NOT_FOUND` and `APPROVAL_DECIDED`.
   */
  preview(id: string): Promise<QuestionPreview>;
  /**
   * Runs an approved call for its caller, who may be gone, with the caller's session and user. The call runs once: a caller who
   * resumes it reads the same outcome. Resolves when the call has ended; if another host runs it, resolves to the unchanged
   * question. Throws `APPROVAL_NOT_FOUND`, and `RUN_REFUSED` for a call that is not approved or that only its caller can make.
   */
  run(id: string, by: string): Promise<ApprovalView>;
  /** Returns the remembered approvals of `tool`, or of all tools. */
  remembered(tool?: string): Promise<readonly StandingGrant[]>;
  /** Revokes a remembered approval, or an approval that was not used yet. False if there is no such approval. */
  revoke(id: string): Promise<boolean>;
  /** Ends expired questions, and calls whose host is gone. A running host does this by itself. */
  sweep(): Promise<void>;
}
