import { isDeepStrictEqual } from "node:util";
import {
  createMemoryStore,
  type ApprovalQuestion,
  type Host,
  type HostOptions,
  type JsonObject,
  type ToolOutcome,
} from "@toolmount/core";
import type { Answer, Expectation, PlanTest } from "./read.ts";

/** The result of one test. */
export interface TestReport {
  readonly test: PlanTest;
  readonly answer: Answer;
  /** Why the call is asked about or denied, or what is wrong with its arguments; empty for a call that runs. */
  readonly reason: string;
  /** The lines of the plan that ask. */
  readonly rules: readonly string[];
  /** Differences from the expectation; empty if the test passes. */
  readonly problems: readonly string[];
}

/** Options of a host in which only the plan decides: no tool runs, no person is asked, and nothing is stored. */
export interface TestBench {
  readonly options: HostOptions;
  run(host: Host, test: PlanTest): Promise<TestReport>;
}

interface Seen {
  question: ApprovalQuestion | null;
  arguments: JsonObject | null;
}

export function createTestBench(): TestBench {
  let current: PlanTest | null = null;
  let seen: Seen = { question: null, arguments: null };
  let count = 0;
  const options: HostOptions = {
    store: createMemoryStore({ audit: "batched" }),
    approver: (question) => {
      seen.question = question;
      return { decision: current?.approve === true ? "approve" : "deny", by: "the test" };
    },
    runner: {
      async run(job) {
        seen.arguments = job.arguments;
        return current!.given as never;
      },
    },
  };
  return {
    options,
    async run(host, test) {
      current = test;
      seen = { question: null, arguments: null };
      const { tool, user, mode, prompts, session = `test ${++count}` } = test;
      const outcome = await host.call(
        { name: tool, arguments: test.arguments },
        { sessionId: session, userId: user, mode, prompts },
      );
      const answer = answerOf(outcome, seen);
      const reason = reasonOf(outcome, seen);
      const rules = seen.question?.reasons.flatMap(({ rule }) => rule ?? []) ?? [];
      return { test, answer, reason, rules, problems: findProblems(test.expect, answer, outcome, seen) };
    },
  };
}

function answerOf({ status, result }: ToolOutcome, { question, arguments: got }: Seen): Answer {
  if (question !== null) return "ask";
  if (got !== null || status === "ok") return "allow";
  if (status === "invalid" || status === "not_found") return status;
  return result.code === "UNAVAILABLE" ? "allow" : "deny";
}

function reasonOf({ result }: ToolOutcome, { question }: Seen): string {
  return question === null ? (result.error ?? "") : question.reasons.map(({ reason }) => reason).join("; ");
}

function findProblems(expect: Expectation, answer: Answer, outcome: ToolOutcome, seen: Seen): string[] {
  const { reasons = [], arguments: asked } = seen.question ?? {};
  const said = reasonOf(outcome, seen);
  const rules = reasons.flatMap(({ rule }) => rule ?? []);
  const got = seen.arguments ?? asked ?? null;
  const problems: string[] = [];
  if (expect.answer !== undefined && expect.answer !== answer)
    problems.push(`the answer is ${answer}, not ${expect.answer}${said === "" ? "" : ` (${said})`}`);
  if (expect.reason !== undefined && !said.includes(expect.reason))
    problems.push(`the reason is ${JSON.stringify(said)}, which has no ${JSON.stringify(expect.reason)}`);
  if (expect.rule !== undefined && !rules.some((rule) => rule.endsWith(expect.rule!)))
    problems.push(`asked by ${rules.join(", ") || "no rule"}, not ${expect.rule}`);
  if (expect.arguments !== undefined && !isDeepStrictEqual(plain(got), plain(expect.arguments)))
    problems.push(`the arguments are ${JSON.stringify(got)}, not ${JSON.stringify(expect.arguments)}`);
  if (expect.result !== undefined && !holds(plain(outcome.result), plain(expect.result)))
    problems.push(
      `the result is ${JSON.stringify(outcome.result).slice(0, 500)}, which has no ${JSON.stringify(expect.result)}`,
    );
  return problems;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null)) as unknown;
}

/** Whether a value contains everything of a part, member by member. */
function holds(value: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return isDeepStrictEqual(value, part);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(part).every(([key, inner]) => holds((value as Record<string, unknown>)[key], inner));
}
