import {
  createMemoryStore,
  systemClock,
  type ApprovalView,
  type StateStore,
  type WorkRecord,
} from "@toolmount/core";
import { onTestFinished } from "vitest";
import type { ApprovalListener } from "../../src/journal/approval-watch.ts";
import { QuestionReports } from "../../src/work/question-reports.ts";
import { createWorld } from "./world.ts";

/** A report that was posted, and how a test answers it. */
export interface Posted {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly question: ApprovalView; readonly host: string; readonly link?: string };
  readonly at: number;
}

/** The reports of one host, whose questions and webhook are the test's. `answer` may reject: then a report does not arrive. */
export function reportsWorld(
  answer: (posted: Posted) => Promise<void> = async () => {},
  store: StateStore = createMemoryStore(),
  linkTo: (id: string) => string | undefined = (id) => `https://tools.test/${id}`,
) {
  const { host } = createWorld({ store });
  onTestFinished(async () => void (await host.close()));
  const posted: Posted[] = [];
  const logged: unknown[][] = [];
  const note =
    (level: string) =>
    (...words: unknown[]) =>
      void logged.push([level, ...words]);
  const logger = { warn: note("warn"), error: note("error") };
  const listeners = new Set<ApprovalListener>();
  const watch = {
    watch(listener: ApprovalListener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const webhook = {
    async post(id: string, text: string, signal: AbortSignal) {
      const { type, data } = JSON.parse(text) as Posted;
      const report = { id, type, data, at: Date.now() };
      posted.push(report);
      const ended = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("the server closes")), { once: true });
      });
      await Promise.race([answer(report), ended]);
    },
  };
  const open = (scope = "plan") => {
    const given = { name: "main", host, watch, webhook, clock: systemClock, logger, scope, linkTo };
    const reports = new QuestionReports(given as never);
    onTestFinished(() => reports.close());
    return reports;
  };
  /** What the watch of the host sees now. */
  const see = async () => {
    const waiting = await host.approvals.list();
    for (const listener of listeners) listener(waiting);
  };
  /** A call that waits, as its question. */
  const ask = async (text = "all", userId?: string) => {
    const { callId, ticket } = await host.call(
      { name: "wipe", arguments: { text } },
      { sessionId: "s", ...(userId !== undefined && { userId }) },
    );
    const [question] = await host.approvals.list({ callId });
    return { ...question!, ticket: ticket! };
  };
  const row = (id: string) => store.work!.get("report", id);
  const add = (record: Partial<WorkRecord>) =>
    store.work!.save({
      kind: "report",
      id: "q",
      version: 1,
      scope: "plan",
      status: "open",
      sessionId: "s",
      userId: null,
      at: Date.now(),
      dueAt: null,
      body: { callId: "c", sent: [], attempts: 0, sending: false },
      ...record,
    });
  return { host, store, posted, logged, listeners, open, see, ask, row, add };
}
