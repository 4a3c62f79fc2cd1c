import { createMemoryStore, type ApprovalQuestion, type JsonObject } from "@toolmount/core";
import { isRecord } from "@toolmount/core/json";
import type { OpenedHost, OpenHostOptions, PlanInput } from "@toolmount/loader";
import type { RecordedCall, PolicyVerdict } from "./recorded-calls.ts";

/** What a plan answers to a recorded call. */
interface Judged {
  /** The answer; `none` if the plan has no such tool, or the tool refuses the arguments. */
  readonly answer: PolicyVerdict | "none";
  /** What asks or denies: lines of the plan, or otherwise the reason. */
  readonly rules: readonly string[];
  /** Whether only the level or the tool itself asks, so that a line of the list `allow` removes the question. */
  readonly isLiftable: boolean;
}

/** Judges calls by a plan. No tool runs, no person is asked, and nothing is stored. */
export interface Judge {
  readonly host: OpenedHost;
  judge(call: Pick<RecordedCall, "tool" | "user"> & { readonly arguments: JsonObject }): Promise<Judged>;
  close(): Promise<void>;
}

/**
 * Opens a plan for judging single calls. Its flows are left out, because they need the words and results of a whole session,
 * which an audit does not have. As each call is judged alone, budgets and the loop guard never answer.
 */
export async function openJudge(input: PlanInput, options: OpenHostOptions): Promise<Judge> {
  const { openHost } = await import("@toolmount/loader");
  let question: ApprovalQuestion | null = null;
  let ran = false;
  const given: OpenHostOptions = {
    ...options,
    store: { ...createMemoryStore(), audit: forgetful },
    approver: (asked) => {
      question = asked;
      return { decision: "deny", by: "the comparison" };
    },
    runner: {
      async run() {
        ran = true;
        return { data: null };
      },
    },
  };
  const opened = await openHost(input, given);
  const { policy, ...rest } = opened.plan.written;
  const { flows, ...others } = isRecord(policy) ? policy : {};
  const host = flows === undefined ? opened : await reopen(opened, { ...rest, policy: others }, given);
  return {
    host,
    async judge({ tool, arguments: args, user }) {
      [question, ran] = [null, false];
      const { status, result } = await host.call({ name: tool, arguments: args }, { userId: user });
      const asked = question as ApprovalQuestion | null;
      if (asked !== null)
        return {
          answer: "ask",
          rules: asked.reasons.map(({ rule, reason }) => rule ?? reason),
          isLiftable: asked.reasons.every(({ source }) => source !== "gate" && source !== "rule"),
        };
      const isLiftable = false;
      if (ran || status === "ok") return { answer: "allow", rules: [], isLiftable };
      if (status === "denied") return { answer: "deny", rules: [result.error ?? ""], isLiftable };
      return { answer: "none", rules: [result.code ?? status], isLiftable };
    },
    close: async () => void (await host.close()),
  };
}

async function reopen(opened: OpenedHost, written: JsonObject, given: OpenHostOptions): Promise<OpenedHost> {
  const { openHost } = await import("@toolmount/loader");
  const { folder } = opened.plan;
  await opened.close();
  return openHost(written, { ...given, cwd: folder, overlays: [] });
}

/** An audit that keeps nothing, because a million judged calls must not fill the memory. */
const forgetful = {
  mode: "batched" as const,
  append: async () => {},
  read: async () => [],
  heads: async () => [],
};
