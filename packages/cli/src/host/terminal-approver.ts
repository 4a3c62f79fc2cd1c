import type { ApprovalAnswer, ApprovalQuestion, Approver } from "@toolmount/core";
import type { RuleWriter } from "./rule-writer.ts";
import { askAnswer, type NoDecision } from "./ask-answer.ts";
import type { Choice } from "../process/choose.ts";
import { createTerminalLock, type TerminalLock } from "../process/terminal-lock.ts";
import { isGrave, questionLines } from "../render/question.ts";
import { printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";
import type { Shell } from "../process/shell.ts";

/**
 * Creates an approver that asks the person at the terminal one question at a time. A question shows the tool, the reasons and the
 * exact arguments. Ctrl-C in a question calls `onLeave`.
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

/** A question that waits for its turn at the terminal. */
interface Asked {
  readonly question: ApprovalQuestion;
  /** Whether the person's remembered answer to an earlier question also answers this one. */
  covered: boolean;
}

/**
 * Marks the waiting questions that an approval to be remembered also answers: those about the same call of the same user and
 * session.
 */
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
  /** How many questions wait behind this one. */
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
  const call = { ...question, tool: question.tool.name, facts: question.tool };
  for (const line of questionLines(call, screen, waiting)) screen.line(line);
  const leave = (): ApprovalAnswer => {
    if (!signal.aborted) onLeave();
    return { decision: "deny", reason: "the question was left unanswered" };
  };
  const answer = await askAnswer(call, {
    screen,
    terminal,
    signal,
    message: `Run ${printable(question.tool.name)}?`,
    more: furtherChoices(question, rules?.fits(question) === true),
  });
  if (answer === undefined) return leave();
  if (answer === "later") return { decision: "later" };
  if (answer !== "rule") return answer;
  const wrote = await rules!.write(question, { screen, terminal, signal });
  return wrote ? { decision: "approve" } : askPerson(question, signal, asking);
}

function furtherChoices({ tool, canWait }: ApprovalQuestion, hasRule: boolean): Choice<NoDecision>[] {
  return [
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
            needsEnter: isGrave(tool),
          } as const,
        ]
      : []),
  ];
}
