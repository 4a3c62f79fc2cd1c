import { signal } from "@preact/signals";
import { createContext } from "preact";
import { go } from "../route.ts";
import type { Approval, Tool } from "../shapes.ts";
import { answered, answeredHere, approvals, calls, cards, tools } from "../state.ts";

/** The question that is shown; null before there is one. */
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

/** The next question that waits, after the shown one, and from the first one again; null without another. */
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

/** Which question follows an answered one, and how it is shown: the inbox's, unless an element says otherwise. */
export const Following = createContext({ nextWaiting, show });

/** Shows the question so many places after the shown one. */
export function step(by: 1 | -1): void {
  const ids = [...cards.value, ...answered.value.filter(({ id }) => !isPlaced(id))].map(({ id }) => id);
  const at = ids.indexOf(shownId.value ?? "");
  const next = at === -1 ? ids[0] : ids[at + by];
  if (next !== undefined) show(next);
}

/** Whether a question has a place among those that wait or ended since the view was opened. */
export function isPlaced(id: string): boolean {
  return cards.value.some((one) => one.id === id);
}

/** How a question ended, in words; null while it waits. */
export function endOf({ id, decision, info }: Approval): string | null {
  if (isWaiting(id)) return null;
  if (decision === null) return "ended without an answer";
  const by = answeredHere.value.has(id) ? "you" : decision.by;
  const edited = decision.arguments !== undefined ? ", with other arguments" : "";
  if (decision.decision === "deny") return `denied by ${by}`;
  return `approved by ${by}${edited}${effectOf(info.runId)}`;
}

/** What became of an approved call, as far as the page knows it; its caller runs it, so that may be later, or never. */
function effectOf(runId: string): string {
  const call = calls.value.find((one) => one.runId === runId);
  if (call === undefined || call.status === "waiting") return "";
  const known: Readonly<Record<string, string>> = {
    decided: "its caller has not run it yet",
    running: "it runs",
    ok: "it ran",
    unknown: "it may have run: its process ended",
  };
  return `; ${known[call.status] ?? `it ended as ${call.status.replaceAll("_", " ")}`}`;
}
