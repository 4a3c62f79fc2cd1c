import type { ApprovalAnswer, ApprovalQuestion, Approver } from "@toolmount/core";
import type { RuleWriter } from "./rule-writer.ts";
import { choose, type Choice } from "../process/choose.ts";
import { createTerminalLock, type TerminalLock } from "../process/terminal-lock.ts";
import { isGrave, questionDetails, questionLines, type AskedCall } from "../render/question.ts";
import { printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";
import type { Shell } from "../process/shell.ts";

/**
 * Asks the person at the terminal, one question at a time, and shows the tool, the reasons and the exact arguments.
 * Ctrl-C in a question calls `onLeave`.
 */
export function createTerminalApprover(
  screen: Screen,
  terminal: NonNullable<Shell["terminal"]>,
  onLeave: () => void,
  lock: TerminalLock = createTerminalLock(),
  by = "the person at the terminal",
  rules?: RuleWriter,
): Approver["ask"] {
  const queue = new Set<Asked>();
  return async (question, { signal }) => {
    const asked: Asked = { question, covered: false };
    queue.add(asked);
    try {
      return await lock.alone(async () => {
        if (asked.covered) return { decision: "approve", by };
        const answer = await askPerson(question, signal, {
          screen,
          terminal,
          onLeave,
          waiting: queue.size - 1,
          rules,
        });
        coverLike(question, answer, queue);
        return { ...answer, by };
      });
    } finally {
      queue.delete(asked);
    }
  };
}

/** A question in the queue. */
interface Asked {
  readonly question: ApprovalQuestion;
  /** Whether a remembered answer to an earlier question covers it. */
  covered: boolean;
}

/** A remembered approval also answers the questions in the queue that it covers. */
function coverLike(
  question: ApprovalQuestion,
  { remember }: ApprovalAnswer,
  queue: ReadonlySet<Asked>,
): void {
  if (remember === undefined) return;
  const like = ({ tool, info, digest }: ApprovalQuestion) =>
    [tool.owner, tool.name, info.userId, info.sessionId, digest].join("\n");
  for (const asked of queue)
    if (asked.question.rememberable && like(asked.question) === like(question)) asked.covered = true;
}

interface Asking {
  readonly screen: Screen;
  readonly terminal: NonNullable<Shell["terminal"]>;
  readonly onLeave: () => void;
  /** Questions behind this one. */
  readonly waiting: number;
  readonly rules: RuleWriter | undefined;
}

async function askPerson(
  question: ApprovalQuestion,
  signal: AbortSignal,
  asking: Asking,
): Promise<ApprovalAnswer> {
  const { screen, terminal, onLeave, waiting, rules } = asking;
  if (signal.aborted) return { decision: "deny", reason: "the call ended before the question was shown" };
  const call = askedCall(question);
  for (const line of questionLines(call, screen, waiting)) screen.line(line);
  const leave = (): ApprovalAnswer => {
    if (!signal.aborted) onLeave();
    return { decision: "deny", reason: "the question was left unanswered" };
  };
  const ask = () =>
    choose(screen, terminal, {
      signal,
      message: `Run ${printable(question.tool.name)}?`,
      choices: choicesOf(question, rules?.fits(question) === true),
    });
  let choice = await ask();
  for (; choice === "details"; choice = await ask())
    for (const line of questionDetails(call, question.digest, screen)) screen.line(line);
  if (choice === undefined) return leave();
  if (choice === "rule")
    return rules!
      .write(question, { screen, terminal, signal })
      .then((wrote) => (wrote ? { decision: "approve" } : askPerson(question, signal, asking)));
  if (choice !== "reason") return answerOf(choice);
  const { isCancel, text } = await import("@clack/prompts");
  const reason = await text({ ...terminal, signal, message: "Why not? The model reads it." });
  if (isCancel(reason)) return leave();
  return { decision: "deny", ...(reason?.trim() ? { reason: reason.trim() } : {}) };
}

type Answer = "approve" | "deny" | "reason" | "later" | "arguments" | "session" | "rule" | "details";

function choicesOf(
  { tool, canWait, rememberable, info }: ApprovalQuestion,
  hasRule: boolean,
): Choice<Answer>[] {
  const needsEnter = isGrave(tool);
  return [
    { value: "deny", key: "n", label: "Deny" },
    { value: "reason", key: "d", label: "Deny, and say why", hint: "the model reads it" },
    { value: "approve", key: "y", label: "Approve this one call", needsEnter },
    ...(rememberable
      ? [
          {
            value: "arguments",
            key: "a",
            label: "Approve these arguments always",
            needsEnter,
          } as const,
        ]
      : []),
    ...(rememberable && info.sessionId !== undefined
      ? [
          {
            value: "session",
            key: "s",
            label: "Approve these arguments in this session",
            needsEnter,
          } as const,
        ]
      : []),
    ...(canWait
      ? [{ value: "later", key: "l", label: "Decide later", hint: "toolmount approvals" } as const]
      : []),
    ...(hasRule
      ? [
          {
            value: "rule",
            key: "r",
            label: "Approve, and write a rule",
            hint: "you see it first",
            needsEnter,
          } as const,
        ]
      : []),
    { value: "details", key: "i", label: "Show the digest, the rule and the JSON" },
  ];
}

function answerOf(choice: Exclude<Answer, "reason" | "rule" | "details">): ApprovalAnswer {
  if (choice === "arguments" || choice === "session")
    return { decision: "approve", remember: { scope: choice } };
  return { decision: choice };
}

function askedCall({ tool, ...question }: ApprovalQuestion): AskedCall {
  return { ...question, tool: tool.name, facts: tool };
}
