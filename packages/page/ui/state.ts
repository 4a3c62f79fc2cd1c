import { computed, signal } from "@preact/signals";
import { alertPerson } from "./notifications.tsx";
import { ApiError, ask } from "./api.ts";
import { listOf, listSentence } from "./inbox/listed-calls.ts";
import { sentenceOf } from "./inbox/sentence.ts";
import type { Approval, CallSummary, Me, Remembered, Tool } from "./shapes.ts";

/** Maximum number of calls that the page keeps. Older ones are dropped. */
const maxCalls = 10_000;
/** Milliseconds for which a notice is shown. */
const noticeMs = 10_000;

export const me = signal<Me | null>(null);
export const hostName = signal("default");
export const connection = signal<"connecting" | "open" | "lost">("connecting");
/** The waiting questions; null while they are not known, because they have not been loaded since the last connection. */
export const approvals = signal<readonly Approval[] | null>(null);
/** Whether more questions wait than the server lists at a time. */
export const hasMore = signal(false);
/** The questions in the order of the list: those that wait, and those that ended since the person opened the inbox. */
export const cards = signal<readonly Approval[]>([]);
export const answered = signal<readonly Approval[]>([]);
export const remembered = signal<readonly Remembered[]>([]);
/** The newest calls of the host, the newest first. */
export const calls = signal<readonly CallSummary[]>([]);
/** A sentence about new questions for screen readers. */
export const announced = signal("");
export const notices = signal<readonly { readonly id: number; readonly text: string }[]>([]);
export const tools = signal<readonly Tool[]>([]);
/** Ids of the questions that this page answered. */
export const answeredHere = signal<ReadonlySet<string>>(new Set());
export const mayApprove = computed(() => has("approve"));
export const maySeeQuestions = computed(() => has("approve") || has("view"));

const has = (role: Me["roles"][number]) => me.value?.roles.includes(role) ?? false;

/** The features that the shown host offers. */
export const served = computed(() => me.value?.hosts.find(({ name }) => name === hostName.value));

/** Whether the token may see the data of all users, which it must to read the audit and the plan. */
export const maySeeAll = computed(() => me.value?.user === null || maySeeQuestions.value || has("admin"));

/** The filter that a link needs so that it opens on this host; empty if the server has only one host. */
export const hostFilter = computed<Readonly<Record<string, string>>>(() =>
  (me.value?.hosts.length ?? 0) > 1 ? { host: hostName.value } : {},
);

/** The path of the shown host in the API. */
export const hostPath = computed(() => `/hosts/${encodeURIComponent(hostName.value)}`);

/** Returns a sentence for what a question asks. */
export function sentence(approval: Approval): string {
  const list = listOf(approval);
  if (list !== null) return listSentence(list, tools.value);
  return sentenceOf(
    approval,
    tools.value.find(({ name }) => name === approval.tool),
  );
}

let lastNotice = 0;

/** Shows a notice to the person for a while. Screen readers read it, too. */
export function notify(text: string): void {
  const id = (lastNotice += 1);
  notices.value = [...notices.value.slice(-3), { id, text }];
  setTimeout(() => (notices.value = notices.value.filter((notice) => notice.id !== id)), noticeMs);
}

/** Returns the text of a thrown value. */
export function textOf(error: unknown): string {
  return error instanceof ApiError ? `${error.message} (${error.code})` : String(error);
}

/** Loads the calls, questions and tools of the host, after a connection has opened. */
export async function readAll(): Promise<void> {
  await Promise.all([readCalls(), readApprovals(), readTools()]);
}

async function readTools(): Promise<void> {
  tools.value = (await ask<{ tools: Tool[] }>("GET", `${hostPath.value}/tools`)).tools;
}

export async function readCalls(): Promise<void> {
  calls.value = (
    await ask<{ calls: CallSummary[] }>("GET", `${hostPath.value}/calls?limit=${maxCalls}`)
  ).calls;
}

let lastRead = 0;

/** Marks the waiting questions as unknown, because the connection is lost. Responses to earlier requests are then ignored. */
export function forgetApprovals(): void {
  lastRead += 1;
  approvals.value = null;
}

interface Approvals {
  readonly waiting: readonly Approval[];
  readonly hasMore: boolean;
  readonly answered: readonly Approval[];
  readonly remembered: readonly Remembered[];
}

/**
 * Loads the questions. Notifies the person about questions that ended, and who answered them. Loads none if the token may not see
 * them.
 */
export async function readApprovals(): Promise<void> {
  if (!maySeeQuestions.value) return;
  const read = (lastRead += 1);
  const now = await ask<Approvals>("GET", `${hostPath.value}/approvals`);
  // A later request has newer questions, so this answer is ignored.
  if (read !== lastRead) return;
  const before = approvals.value ?? [];
  approvals.value = now.waiting;
  hasMore.value = now.hasMore;
  cards.value = placeCards(cards.value, now);
  answered.value = now.answered;
  remembered.value = now.remembered;
  announceNew(before, now.waiting);
  for (const { id, tool } of before) {
    if (answeredHere.value.has(id) || now.waiting.some((one) => one.id === id)) continue;
    const decision = now.answered.find((one) => one.id === id)?.decision;
    notify(
      decision == null
        ? `The question about ${tool} has ended.`
        : `${decision.by} ${decision.decision === "approve" ? "approved" : "denied"} ${tool}.`,
    );
  }
  try {
    alertPerson(before, now.waiting, sentence);
  } catch (error) {
    // Chrome on Android lets a page ask for permission, but then cannot construct notifications.
    notify(`The browser shows no notification: ${textOf(error)}`);
  }
}

function announceNew(before: readonly Approval[], waiting: readonly Approval[]): void {
  const known = new Set(before.map(({ id }) => id));
  const added = waiting.filter(({ id }) => !known.has(id));
  const [first] = added;
  if (first === undefined) return;
  const what = added.length === 1 ? `New question: ${sentence(first)}` : `${added.length} new questions`;
  announced.value = `${what}. ${waiting.length} wait.`;
}

/** Returns the list in which each question keeps its place, even if it has ended. New questions are added at the end. */
function placeCards(
  shown: readonly Approval[],
  { waiting, answered: ended }: Approvals,
): readonly Approval[] {
  const known = new Map([...ended, ...waiting].map((approval) => [approval.id, approval]));
  const ids = new Set(shown.map(({ id }) => id));
  return [...shown.map((card) => known.get(card.id) ?? card), ...waiting.filter(({ id }) => !ids.has(id))];
}

/** Removes the questions that have ended from the list, because the person has opened another view. */
export function dropEnded(): void {
  if (approvals.value !== null && cards.value.length > approvals.value.length) cards.value = approvals.value;
}

const changed = new Map<string, CallSummary>();
let frame = 0;

/** Adds or updates a call. Calls that change at the same time are drawn together. */
export function addCall(call: CallSummary): void {
  changed.set(call.runId, call);
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    const kept = calls.value.map((known) => {
      const next = changed.get(known.runId);
      changed.delete(known.runId);
      return next ?? known;
    });
    calls.value = [...[...changed.values()].toReversed(), ...kept].slice(0, maxCalls);
    changed.clear();
  });
}
