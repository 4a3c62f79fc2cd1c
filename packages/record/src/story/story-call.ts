import type { AuditEntry, Omission, PastCall, SessionChange } from "@toolmount/core";
import { callOf, joinedOf, type AuditedCall } from "../audit/audited-calls.ts";

/** The question about a call, and its answer. */
interface StoryQuestion {
  /** When the question was asked; null if it was answered while the call ran. */
  readonly askedAt: number | null;
  /** What caused the question, such as a line of the plan. */
  readonly rules: readonly string[];
  readonly answer: "approved" | "denied" | null;
  /** The person who answered, or what answered instead of a person. */
  readonly by: string | null;
  readonly answeredAt: number | null;
  readonly reason: string | null;
}

/**
 * A call in a story: what it was, who allowed it, and how it ended. Its arguments are only a line; the audit has them in full,
 * and the result, under the run id.
 */
export interface StoryCall extends PastCall {
  readonly error: string | null;
  readonly question: StoryQuestion | null;
  /** The person who ran the call instead of its caller. */
  readonly runBy: string | null;
  /** The line of the plan that removed a question. */
  readonly allowedBy: string | null;
  readonly omitted: readonly Omission[];
  readonly change: SessionChange | null;
  /** What happened to the call, in words: `approved by ada; its caller has not run it yet`. */
  readonly says: string;
}

/** Completes a call with what its records say. `entries` are the records of its run, oldest first. */
export function storyCall(
  past: PastCall,
  entries: readonly AuditEntry[],
  change: SessionChange | null,
): StoryCall {
  const joined = joinedOf(entries);
  const audited = callOf(joined);
  const { error, allowedBy, runBy } = audited;
  const question = questionOf(entries, audited);
  const omitted = (joined["omitted"] ?? []) as unknown as readonly Omission[];
  const call = { ...past, error, question, runBy, allowedBy, omitted, change };
  return { ...call, says: saysOf(call) };
}

function questionOf(
  entries: readonly AuditEntry[],
  { rules, approvedBy, deniedBy }: AuditedCall,
): StoryQuestion | null {
  const decision = entries.findLast(({ kind }) => kind === "decision");
  if (rules.length === 0 && decision === undefined) return null;
  const by = (decision?.["by"] as string | undefined) ?? approvedBy ?? deniedBy;
  const isApproved = decision === undefined ? approvedBy !== null : decision["decision"] === "approve";
  return {
    askedAt: entries.find(({ kind }) => kind === "pending")?.at ?? null,
    rules,
    answer: by === null ? null : isApproved ? "approved" : "denied",
    by,
    answeredAt: decision?.at ?? null,
    reason: (decision?.["reason"] as string | undefined) ?? null,
  };
}

type Facts = Pick<StoryCall, "status" | "kind" | "code" | "error" | "question" | "runBy" | "change">;

/** Says in words what happened to a call. A call that took effect is never called failed. */
function saysOf({ status, kind, code, error, question, runBy, change }: Facts): string {
  const by = question?.by == null ? "" : `${question.answer} by ${question.by}`;
  const grounds = runBy === null ? by : `${by}, run by ${runBy}`;
  const parts = [grounds, endOf(status, kind, { code, error, isApproved: question?.answer === "approved" })];
  if (change?.isUndone === true) parts.push("undone later");
  return parts.filter((part) => part !== "").join("; ");
}

interface Ending extends Pick<StoryCall, "code" | "error"> {
  readonly isApproved: boolean;
}

function endOf(status: string, kind: StoryCall["kind"], { code, error, isApproved }: Ending): string {
  const why = [code, error].filter((part) => part !== null).join(": ");
  const known: Readonly<Record<string, string>> = {
    ok: { call: "ran", rehearsal: "rehearsed: nothing changed", undo: "undid an earlier call" }[kind],
    running: "runs",
    waiting: "waits for an answer",
    decided: isApproved ? "its caller has not run it yet" : "its caller has not read the answer yet",
    denied: `did not run (${why})`,
    unknown: "its process ended: it may have run",
  };
  return known[status] ?? `${status.replaceAll("_", " ")} (${why})`;
}
