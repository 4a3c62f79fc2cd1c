import { computed, signal } from "@preact/signals";
import { ApiError, ask, readEvents, token } from "./api.ts";
import type { Approval, CallSummary, Me, Remembered, Tool } from "./shapes.ts";

/** Calls that the page keeps. */
const maxCalls = 10_000;
/** The longest pause before the page connects again, in milliseconds. */
const maxPauseMs = 5_000;
/** How long a notice is shown, in milliseconds. */
const noticeMs = 10_000;

export const me = signal<Me | null>(null);
export const hostName = signal("default");
export const connection = signal<"connecting" | "open" | "lost">("connecting");
/** Null until the list was read on the connection that is open: then nothing is known of what waits. */
export const approvals = signal<readonly Approval[] | null>(null);
export const answered = signal<readonly Approval[]>([]);
export const remembered = signal<readonly Remembered[]>([]);
/** Newest first. */
export const calls = signal<readonly CallSummary[]>([]);
export const notices = signal<readonly { readonly id: number; readonly text: string }[]>([]);
/** The tools that the host offers. */
export const tools = signal<readonly Tool[]>([]);
export const mayApprove = computed(() => me.value?.roles.includes("approve") ?? false);

/** What the shown host serves. */
export const served = computed(() => me.value?.hosts.find(({ name }) => name === hostName.value));

/** Whether the token sees what every user does: the audit and the plan are for such tokens only. */
export const maySeeAll = computed(
  () => me.value?.user === null || mayApprove.value || (me.value?.roles.includes("admin") ?? false),
);

/** The API of the host that is shown. */
export const hostPath = computed(() => `/api/hosts/${encodeURIComponent(hostName.value)}`);

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

/** Connects while there is a token, and again when the connection is lost. Returns what ends that. */
export function follow(): () => void {
  const controller = new AbortController();
  void keepConnected(controller.signal);
  return () => controller.abort();
}

async function keepConnected(ended: AbortSignal): Promise<void> {
  let pauseMs = 200;
  while (!ended.aborted && token.value !== null) {
    connection.value = "connecting";
    try {
      me.value = await ask<Me>("GET", "/api/hosts");
      const known = me.value.hosts.map(({ name }) => name);
      if (!known.includes(hostName.value) && known[0] !== undefined) hostName.value = known[0];
      for await (const { event, data } of readEvents("GET", `${hostPath.value}/events`, ended)) {
        if (event === "hello") {
          pauseMs = 200;
          await readAll();
          connection.value = "open";
        } else if (event === "call") addCall(data as CallSummary);
        else if (event === "dropped") await readCalls();
        else if (event === "approvals") await readApprovals();
      }
    } catch (error) {
      if (!ended.aborted && error instanceof ApiError) notify(textOf(error));
    }
    if (ended.aborted) return;
    connection.value = "lost";
    approvals.value = null;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(pauseMs * 2, maxPauseMs);
  }
}

async function readAll(): Promise<void> {
  await Promise.all([readCalls(), readApprovals(), readTools()]);
}

async function readTools(): Promise<void> {
  tools.value = (await ask<{ tools: Tool[] }>("GET", `${hostPath.value}/tools`)).tools;
}

async function readCalls(): Promise<void> {
  calls.value = (
    await ask<{ calls: CallSummary[] }>("GET", `${hostPath.value}/calls?limit=${maxCalls}`)
  ).calls;
}

/** Reads what waits. A question that is gone is named, with the person who answered it. */
export async function readApprovals(): Promise<void> {
  if (!mayApprove.value) return;
  const before = approvals.value ?? [];
  const now = await ask<{ waiting: Approval[]; answered: Approval[]; remembered: Remembered[] }>(
    "GET",
    `${hostPath.value}/approvals`,
  );
  approvals.value = now.waiting;
  answered.value = now.answered;
  remembered.value = now.remembered;
  for (const { id, tool } of before) {
    if (now.waiting.some((one) => one.id === id)) continue;
    const decision = now.answered.find((one) => one.id === id)?.decision;
    notify(
      decision == null
        ? `The question about ${tool} has ended.`
        : `${decision.by} ${decision.decision === "approve" ? "approved" : "denied"} ${tool}.`,
    );
  }
  const known = new Set(before.map(({ id }) => id));
  for (const approval of now.waiting) if (!known.has(approval.id)) alertPerson(approval);
}

/** A notification of the browser, where the person allowed it and looks elsewhere. */
function alertPerson({ tool, prompt }: Approval): void {
  if (document.visibilityState === "visible" || !("Notification" in window)) return;
  if (Notification.permission !== "granted") return;
  const shown = new Notification(`${tool} waits`, { body: prompt });
  shown.addEventListener("click", () => window.focus());
}

const changed = new Map<string, CallSummary>();
let frame = 0;

/** Calls that change together are drawn together. */
function addCall(call: CallSummary): void {
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
