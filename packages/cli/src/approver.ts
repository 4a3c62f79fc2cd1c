import type { ApprovalAnswer, ApprovalQuestion, Approver } from "@toolmount/core";
import { printable, jsonText } from "./render/printable.ts";
import type { Screen } from "./render/screen.ts";
import type { Shell } from "./shell.ts";

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
): Approver["ask"] {
  let last: Promise<unknown> = Promise.resolve();
  return (question, { signal }) => {
    const answer = last.then(() => askPerson(question, signal, { screen, terminal, onLeave }));
    last = answer.catch(() => {});
    return answer;
  };
}

interface Asking {
  readonly screen: Screen;
  readonly terminal: NonNullable<Shell["terminal"]>;
  readonly onLeave: () => void;
}

async function askPerson(
  question: ApprovalQuestion,
  signal: AbortSignal,
  { screen, terminal, onLeave }: Asking,
): Promise<ApprovalAnswer> {
  if (signal.aborted) return { decision: "deny", reason: "nobody was asked in time" };
  const { isCancel, select } = await import("@clack/prompts");
  for (const line of questionLines(question, screen)) screen.line(line);
  const choice = await select<Choice>({
    ...terminal,
    signal,
    message: `Run ${printable(question.tool.name)}?`,
    initialValue: "deny",
    options: choicesOf(question),
  });
  if (!isCancel(choice)) return answerOf(choice);
  if (!signal.aborted) onLeave();
  return { decision: "deny", by, reason: "the question was left unanswered" };
}

type Choice = "approve" | "deny" | "later" | "arguments" | "session";

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
            hint: "this tool, whatever its arguments",
          } as const,
        ]
      : []),
    ...(canWait ? [{ value: "later", label: "Decide later", hint: "toolmount approvals" } as const] : []),
  ];
}

function answerOf(choice: Choice): ApprovalAnswer {
  if (choice === "arguments" || choice === "session")
    return { decision: "approve", by, remember: { scope: choice } };
  return { decision: choice, by };
}

/** Everything that the answer covers. Nothing of it is cut: what is approved is what is shown. */
function questionLines(question: ApprovalQuestion, screen: Screen): string[] {
  const { tool, info, reasons, digest } = question;
  const text = jsonText(question.arguments);
  const fact = (name: string, value: string) => `  ${screen.paint("dim", name.padEnd(9))} ${value}`;
  return [
    "",
    `${screen.paint(["bold", "yellow"], printable(tool.name))} asks for leave to run`,
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
