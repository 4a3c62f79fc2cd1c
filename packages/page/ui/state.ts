import { computed, signal } from "@preact/signals";
import { alertPerson } from "./notifications.tsx";
import { ApiError, ask } from "./api.ts";
import { listOf, listSentence } from "./inbox/listed-calls.ts";
import { sentenceOf } from "./inbox/sentence.ts";
import type { Approval, CallSummary, Me, Remembered, Tool } from "./shapes.ts";

/** Calls that the page keeps. */
const maxCalls = 10_000;
/** How long a notice is shown, in milliseconds. */
const noticeMs = 10_000;

export const me = signal<Me | null>(null);
export const hostName = signal("default");
export const connection = signal<"connecting" | "open" | "lost">("connecting");
/** Null until the list was read on the connection that is open: then nothing is known of what waits. */
export const approvals = signal<readonly Approval[] | null>(null);
/** Whether more questions wait than the server lists at a time. */
export const hasMore = signal(false);
/** The questions where the page shows them: those that wait, and those that ended since the person looked elsewhere. */
export const cards = signal<readonly Approval[]>([]);
export const answered = signal<readonly Approval[]>([]);
export const remembered = signal<readonly Remembered[]>([]);
/** Newest first. */
export const calls = signal<readonly CallSummary[]>([]);
/** What a screen reader says of new questions. */
export const announced = signal("");
export const notices = signal<readonly { readonly id: number; readonly text: string }[]>([]);
/** The tools that the host offers. */
export const tools = signal<readonly Tool[]>([]);
/** Questions that were answered on this page. */
export const answeredHere = signal<ReadonlySet<string>>(new Set());
export const mayApprove = computed(() => has("approve"));
export const maySeeQuestions = computed(() => has("approve") || has("view"));

const has = (role: Me["roles"][number]) => me.value?.roles.includes(role) ?? false;

/** What the shown host serves. */
export const served = computed(() => me.value?.hosts.find(({ name }) => name === hostName.value));

/** Whether the token sees what every user does: the audit and the plan are for such tokens only. */
export const maySeeAll = computed(() => me.value?.user === null || maySeeQuestions.value || has("admin"));

/** What a link needs to open on this host, where a server has several. */
export const hostFilter = computed<Readonly<Record<string, string>>>(() =>
  (me.value?.hosts.length ?? 0) > 1 ? { host: hostName.value } : {},
);

/** The API of the host that is shown. */
export const hostPath = computed(() => `/hosts/${encodeURIComponent(hostName.value)}`);

/** What a question asks, as a sentence. */
export function sentence(approval: Approval): string {
  const list = listOf(approval);
  if (list !== null) return listSentence(list, tools.value);
  return sentenceOf(
    approval,
    tools.value.find(({ name }) => name === approval.tool),
  );
}

let lastNotice = 0;

/** Says something to the person: on the page for a while, and to a screen reader. */
export function notify(text: string): void {
  const id = (lastNotice += 1);
  notices.value = [...notices.value.slice(-3), { id, text }];
  setTimeout(() => (notices.value = notices.value.filter((notice) => notice.id !== id)), noticeMs);
}

/** The text of anything that was thrown. */
export function textOf(error: unknown): string {
  return error instanceof ApiError ? `${error.message} (${error.code})` : String(error);
}

/** Reads what the page shows of the host, on a connection that has just opened. */
export async function readAll(): Promise<void> {
  await Promise.all([readCalls(), readApprovals(), readTools()]);
}

async function readTools(): Promise<void> {
  tools.value = (await ask<{ tools: Tool[] }>("GET", `${hostPath.value}/tools`)).tools;
}

/** Reads the newest calls. */
export async function readCalls(): Promise<void> {
  calls.value = (
    await ask<{ calls: CallSummary[] }>("GET", `${hostPath.value}/calls?limit=${maxCalls}`)
  ).calls;
}

let lastRead = 0;

/** Makes it unknown what waits: the connection is lost, and an answer that still comes is too old. */
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

/** Reads what waits. A question that has ended is named, with the person who answered it. */
export async function readApprovals(): Promise<void> {
  if (!maySeeQuestions.value) return;
  const read = (lastRead += 1);
  const now = await ask<Approvals>("GET", `${hostPath.value}/approvals`);
  // A later reading knows more.
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
    // Chrome on Android lets a page ask for notifications, and then constructs none.
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

/** Each question stays where it is, also when it ends; new ones come last. */
function placeCards(
  shown: readonly Approval[],
  { waiting, answered: ended }: Approvals,
): readonly Approval[] {
  const known = new Map([...ended, ...waiting].map((approval) => [approval.id, approval]));
  const ids = new Set(shown.map(({ id }) => id));
  return [...shown.map((card) => known.get(card.id) ?? card), ...waiting.filter(({ id }) => !ids.has(id))];
}

/** Takes the questions that ended out of their places: the person has looked elsewhere. */
export function dropEnded(): void {
  if (approvals.value !== null && cards.value.length > approvals.value.length) cards.value = approvals.value;
}

const changed = new Map<string, CallSummary>();
let frame = 0;

/** Adds or changes a call. Calls that change together are drawn together. */
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
