import { signal } from "@preact/signals";
import { createContext } from "preact";
import { go } from "../route.ts";
import type { Approval, Tool } from "../shapes.ts";
import { answered, answeredHere, approvals, calls, cards, tools } from "../state.ts";

/** The id of the shown question; null if none is shown yet. */
export const shownId = signal<string | null>(null);

export function findQuestion(id: string | null): Approval | undefined {
  if (id === null) return undefined;
  return cards.value.find((one) => one.id === id) ?? answered.value.find((one) => one.id === id);
}

export function isWaiting(id: string): boolean {
  return approvals.value?.some((one) => one.id === id) ?? false;
}

export function toolOf({ tool }: Approval): Tool | undefined {
  return tools.value.find(({ name }) => name === tool);
}

/** Returns the next waiting question after the shown one, then from the beginning again; null if there is no other. */
function nextWaiting(): string | null {
  const ids = cards.value.map(({ id }) => id);
  const at = ids.indexOf(shownId.value ?? "");
  const others = [...ids.slice(at + 1), ...ids.slice(0, Math.max(0, at))];
  return others.find((id) => isWaiting(id)) ?? null;
}

/** Shows a question, and moves the focus to its sentence. */
function show(id: string): void {
  shownId.value = id;
  go("inbox", id);
  requestAnimationFrame(() => document.getElementById("question")?.focus());
}

/**
 * How an answered question leads to the next one. An embedded element provides its own functions in place of these of the inbox.
 */
export const Following = createContext({ nextWaiting, show });

/** Shows the next question of the list, or the one before. */
export function step(by: 1 | -1): void {
  const ids = [...cards.value, ...answered.value.filter(({ id }) => !isPlaced(id))].map(({ id }) => id);
  const at = ids.indexOf(shownId.value ?? "");
  const next = at === -1 ? ids[0] : ids[at + by];
  if (next !== undefined) show(next);
}

/** Tests whether a question is in the list of those that wait, or that ended since the person opened the view. */
export function isPlaced(id: string): boolean {
  return cards.value.some((one) => one.id === id);
}

/** Returns how a question ended, in words; null while it waits. */
export function endOf(approval: Approval): string | null {
  const { id, decision } = approval;
  if (isWaiting(id)) return null;
  if (decision === null) return "ended without an answer";
  const by = answeredHere.value.has(id) ? "you" : decision.by;
  const edited = decision.arguments !== undefined ? ", with other arguments" : "";
  if (decision.decision === "deny") return `denied by ${by}`;
  return `approved by ${by}${edited}${effectOf(approval)}`;
}

/** Tests whether a call was approved but its effect is not known yet, because it has not run or still runs. */
export function isUnsettled(approval: Approval): boolean {
  if (isWaiting(approval.id) || approval.decision?.decision !== "approve") return false;
  return ["decided", "running"].includes(statusOf(approval));
}

/** Tests whether an approved call still waits for its caller, so that a person can run it instead. */
export function canRunNow(approval: Approval): boolean {
  return approval.runnable && isUnsettled(approval) && statusOf(approval) === "decided";
}

/** Returns the status of an answered question's call: from the list of calls or, if it is not there, from the question. */
function statusOf({ info, state, end }: Approval): string {
  const known = calls.value.find(({ runId }) => runId === info.runId)?.status;
  const byState: Readonly<Record<string, string>> = {
    approved: "decided",
    claimed: "running",
    started: "running",
  };
  return known ?? end?.status ?? byState[state] ?? "";
}

/**
 * Returns what the page knows about the result of an approved call. The caller runs the call itself, perhaps much later or never.
 */
function effectOf(approval: Approval): string {
  const status = statusOf(approval);
  if (status === "" || status === "waiting") return "";
  const known: Readonly<Record<string, string>> = {
    decided: "its caller has not run it yet",
    running: "it runs",
    ok: "it ran",
    unknown: "it may have run: its process ended",
  };
  return `; ${known[status] ?? `it ended as ${status.replaceAll("_", " ")}`}`;
}
