import type { ApprovalScope, ApprovalView } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { choose, type Choice } from "../process/choose.ts";
import type { Shell } from "../process/shell.ts";
import { printable } from "../screen/printable.ts";
import { shortIds } from "../screen/short-ids.ts";
import { isGrave, questionDetails, questionLines, type AskedCall } from "../render/question.ts";

type Terminal = NonNullable<Shell["terminal"]>;

/** What a person may answer to a stored question. */
type Answer = "deny" | "reason" | "approve" | "arguments" | "session" | "skip" | "details";

/**
 * Lets the person at the terminal choose stored questions with the arrows and answer them with a key, until none waits or
 * they leave. Each is shown before it is answered: a person approves exactly what is shown.
 */
export async function pickApprovals(
  host: Pick<OpenedHost, "approvals" | "tools">,
  {
    shell,
    terminal,
    by,
  }: {
    readonly shell: Shell;
    readonly terminal: Terminal;
    readonly by: string;
  },
): Promise<void> {
  const { approvals } = host;
  for (;;) {
    const waiting = await approvals.list();
    if (waiting.length === 0) return shell.err.line("no question waits");
    const view = await pickOne(waiting, terminal);
    if (view === undefined) return;
    const facts = host.tools().find(({ name }) => name === view.tool);
    const call: AskedCall = { ...view, facts };
    for (const line of questionLines(call, shell.err)) shell.err.line(line);
    const answer = await askAnswer(view, call, { shell, terminal });
    if (answer === undefined) return;
    if (answer === "skip") continue;
    const { decision, remember, reason } = answer;
    const decided = await approvals.decide(view.id, { decision, remember, reason }, by);
    shell.err.line(`${printable(view.tool)} is ${decided.state}`);
  }
}

async function pickOne(
  waiting: readonly ApprovalView[],
  terminal: Terminal,
): Promise<ApprovalView | undefined> {
  const { isCancel, select } = await import("@clack/prompts");
  const short = shortIds(waiting.map(({ id }) => id));
  const at = await select<number>({
    ...terminal,
    message: "Which question? Ctrl-C leaves.",
    options: waiting.map(({ id, tool, reasons: [first], info }, index) => ({
      value: index,
      label: printable([tool, short(id), info.userId].filter(Boolean).join("  ")),
      ...(first !== undefined && { hint: printable(first.reason) }),
    })),
  });
  return isCancel(at) ? undefined : waiting[at];
}

interface Decided {
  readonly decision: "approve" | "deny";
  readonly remember?: ApprovalScope;
  readonly reason?: string;
}

async function askAnswer(
  view: ApprovalView,
  call: AskedCall,
  { shell, terminal }: { readonly shell: Shell; readonly terminal: Terminal },
): Promise<Decided | "skip" | undefined> {
  const needsEnter = call.facts === undefined || isGrave(call.facts);
  const message = `Approve ${printable(view.tool)}?`;
  const ask = () => choose(shell.err, terminal, { message, choices: choicesOf(view, needsEnter) });
  let answer = await ask();
  for (; answer === "details"; answer = await ask())
    for (const line of questionDetails(call, view.digest, shell.err)) shell.err.line(line);
  if (answer === undefined) return undefined;
  if (answer === "skip") return "skip";
  if (answer === "arguments" || answer === "session")
    return { decision: "approve", remember: { scope: answer } };
  if (answer !== "reason") return { decision: answer };
  const { isCancel, text } = await import("@clack/prompts");
  const reason = await text({ ...terminal, message: "Why not? The model reads it." });
  if (isCancel(reason)) return undefined;
  return { decision: "deny", ...(reason?.trim() ? { reason: reason.trim() } : {}) };
}

function choicesOf({ rememberable, info }: ApprovalView, needsEnter: boolean): Choice<Answer>[] {
  return [
    { value: "deny", key: "n", label: "Deny" },
    { value: "reason", key: "d", label: "Deny, and say why" },
    { value: "approve", key: "y", label: "Approve this one call", needsEnter },
    ...(rememberable
      ? [{ value: "arguments", key: "a", label: "Approve these arguments always", needsEnter } as const]
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
    { value: "skip", key: "l", label: "Decide later" },
    { value: "details", key: "i", label: "Show the digest, the rule and the JSON" },
  ];
}
