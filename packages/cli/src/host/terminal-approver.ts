import type { ApprovalAnswer, ApprovalQuestion, Approver, ToolInfo } from "@toolmount/core";
import { placeText } from "@toolmount/core/internal";
import type { RuleWriter } from "./rule-writer.ts";
import { choose, type Choice } from "../process/choose.ts";
import { createTerminalLock, type TerminalLock } from "../process/terminal-lock.ts";
import { printable, jsonText } from "../screen/printable.ts";
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
  for (const line of questionLines(question, screen, waiting)) screen.line(line);
  const leave = (): ApprovalAnswer => {
    if (!signal.aborted) onLeave();
    return { decision: "deny", reason: "the question was left unanswered" };
  };
  const choice = await choose(screen, terminal, {
    signal,
    message: `Run ${printable(question.tool.name)}?`,
    choices: choicesOf(question, rules?.fits(question) === true),
  });
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

type Answer = "approve" | "deny" | "reason" | "later" | "arguments" | "session" | "rule";

function choicesOf(
  { tool, canWait, rememberable, info }: ApprovalQuestion,
  hasRule: boolean,
): Choice<Answer>[] {
  const needsEnter = isGrave(tool);
  return [
    { value: "deny", key: "n", label: "Deny" },
    { value: "reason", key: "d", label: "Deny, and say why", hint: "the model reads it" },
    { value: "approve", key: "y", label: "Approve", hint: "this one call", needsEnter },
    ...(rememberable
      ? [
          {
            value: "arguments",
            key: "a",
            label: "Approve always",
            hint: "these arguments",
            needsEnter,
          } as const,
        ]
      : []),
    ...(rememberable && info.sessionId !== undefined
      ? [
          {
            value: "session",
            key: "s",
            label: "Approve for this session",
            hint: "these arguments, here only",
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
            label: "Approve, and never ask again",
            hint: "writes a rule, shown first",
            needsEnter,
          } as const,
        ]
      : []),
  ];
}

/** Whether one key is too little to approve: what the tool does may be impossible to undo. */
export function isGrave({
  category,
  consequenceLevel,
}: Pick<ToolInfo, "category" | "consequenceLevel">): boolean {
  return category === "delete" || consequenceLevel === "high";
}

function answerOf(choice: Exclude<Answer, "reason" | "rule">): ApprovalAnswer {
  if (choice === "arguments" || choice === "session")
    return { decision: "approve", remember: { scope: choice } };
  return { decision: choice };
}

/** Everything that the answer covers. Nothing is cut: the person approves exactly what is shown. */
function questionLines(question: ApprovalQuestion, screen: Screen, waiting: number): string[] {
  const { tool, info, place, reasons, digest } = question;
  const text = jsonText(question.arguments);
  const fact = (name: string, value: string) => `  ${screen.paint("dim", name.padEnd(9))} ${value}`;
  return [
    "",
    `${screen.paint(["bold", "yellow"], printable(tool.name))} ${info.undoOf === undefined ? "wants to run" : "wants to undo a call"}${behind(waiting)}`,
    fact(
      "tool",
      printable(
        [
          tool.owner,
          tool.category ?? "unclassified",
          `consequence ${tool.consequenceLevel ?? "unknown"}`,
          ...(tool.irreversible === true ? ["cannot be undone"] : []),
        ].join(" · "),
      ),
    ),
    ...reasons.map(({ reason, rule }) =>
      fact("because", printable(rule === undefined ? reason : `${reason} (${rule})`)),
    ),
    ...(place === undefined ? [] : [fact("program", printable(placeText(place)))]),
    ...(info.userId === undefined ? [] : [fact("user", printable(info.userId))]),
    ...(info.sessionId === undefined ? [] : [fact("session", printable(info.sessionId))]),
    fact("digest", `${digest.slice(0, 12)}…`),
    fact(
      "arguments",
      screen.paint("dim", `${Buffer.byteLength(JSON.stringify(question.arguments))} bytes of JSON`),
    ),
    ...text.split("\n").map((line) => `    ${line}`),
    "",
  ];
}

function behind(waiting: number): string {
  if (waiting === 0) return "";
  return waiting === 1 ? " (1 more waits behind it)" : ` (${waiting} more wait behind it)`;
}
