import type { ApprovalAnswer, ApprovalQuestion, Approver } from "@toolmount/core";
import { createFloor, type Floor } from "../process/terminal-lock.ts";
import { printable, jsonText } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";
import type { Shell } from "../process/shell.ts";

/** Whose the answers of a terminal are. */
const by = "the person at the terminal";

/**
 * Asks whoever sits at the terminal, one question at a time: what would run, on what, why it is asked, and the exact
 * bytes. Leaving the question with Ctrl-C calls `onLeave`.
 */
export function createTerminalApprover(
  screen: Screen,
  terminal: NonNullable<Shell["terminal"]>,
  onLeave: () => void,
  floor: Floor = createFloor(),
): Approver["ask"] {
  const queue = new Set<Asked>();
  return async (question, { signal }) => {
    const asked: Asked = { question, covered: false };
    queue.add(asked);
    try {
      return await floor.alone(async () => {
        if (asked.covered) return { decision: "approve", by };
        const answer = await askPerson(question, signal, {
          screen,
          terminal,
          onLeave,
          waiting: queue.size - 1,
        });
        coverLike(question, answer, queue);
        return answer;
      });
    } finally {
      queue.delete(asked);
    }
  };
}

/** A question that stands in the line. */
interface Asked {
  readonly question: ApprovalQuestion;
  /** Whether an answer before it, for the session or for always, was for it, too. */
  covered: boolean;
}

/** What was approved for the session or for these arguments is not asked again of those that were in the line by then. */
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
}

async function askPerson(
  question: ApprovalQuestion,
  signal: AbortSignal,
  { screen, terminal, onLeave, waiting }: Asking,
): Promise<ApprovalAnswer> {
  if (signal.aborted) return { decision: "deny", reason: "nobody was asked in time" };
  const { isCancel, select, text } = await import("@clack/prompts");
  for (const line of questionLines(question, screen, waiting)) screen.line(line);
  const leave = (): ApprovalAnswer => {
    if (!signal.aborted) onLeave();
    return { decision: "deny", by, reason: "the question was left unanswered" };
  };
  const choice = await select<Choice>({
    ...terminal,
    signal,
    message: `Run ${printable(question.tool.name)}?`,
    initialValue: "deny",
    options: choicesOf(question),
  });
  if (isCancel(choice)) return leave();
  if (choice !== "reason") return answerOf(choice);
  const reason = await text({ ...terminal, signal, message: "Why not? The model reads it." });
  if (isCancel(reason)) return leave();
  return { decision: "deny", by, ...(reason?.trim() ? { reason: reason.trim() } : {}) };
}

type Choice = "approve" | "deny" | "reason" | "later" | "arguments" | "session";

function choicesOf({
  canWait,
  rememberable,
  info,
}: ApprovalQuestion): { value: Choice; label: string; hint?: string }[] {
  return [
    { value: "deny", label: "Deny" },
    { value: "approve", label: "Approve", hint: "this one call" },
    ...(rememberable
      ? [{ value: "arguments", label: "Approve always", hint: "these arguments" } as const]
      : []),
    ...(rememberable && info.sessionId !== undefined
      ? [
          {
            value: "session",
            label: "Approve for this session",
            hint: "these arguments, here only",
          } as const,
        ]
      : []),
    ...(canWait ? [{ value: "later", label: "Decide later", hint: "toolmount approvals" } as const] : []),
    { value: "reason", label: "Deny, and say why", hint: "the model reads it" },
  ];
}

function answerOf(choice: Exclude<Choice, "reason">): ApprovalAnswer {
  if (choice === "arguments" || choice === "session")
    return { decision: "approve", by, remember: { scope: choice } };
  return { decision: choice, by };
}

/** Everything that the answer covers. Nothing of it is cut: what is approved is what is shown. */
function questionLines(question: ApprovalQuestion, screen: Screen, waiting: number): string[] {
  const { tool, info, reasons, digest } = question;
  const text = jsonText(question.arguments);
  const fact = (name: string, value: string) => `  ${screen.paint("dim", name.padEnd(9))} ${value}`;
  return [
    "",
    `${screen.paint(["bold", "yellow"], printable(tool.name))} asks for leave to run${behind(waiting)}`,
    fact(
      "tool",
      printable(
        [
          tool.owner,
          tool.category ?? "unclassified",
          `consequence ${tool.consequenceLevel ?? "unknown"}`,
        ].join(" · "),
      ),
    ),
    ...reasons.map(({ reason, rule }) =>
      fact("because", printable(rule === undefined ? reason : `${reason} (${rule})`)),
    ),
    ...(info.userId === undefined ? [] : [fact("user", printable(info.userId))]),
    ...(info.sessionId === undefined ? [] : [fact("session", printable(info.sessionId))]),
    fact("digest", digest),
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
