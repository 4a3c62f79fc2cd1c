import type { ApprovalScope, ApprovalView } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { choose, type Choice } from "../process/choose.ts";
import type { Shell } from "../process/shell.ts";
import { printable } from "../screen/printable.ts";
import { shortIds } from "../screen/short-ids.ts";
import { isGrave } from "./terminal-approver.ts";

type Terminal = NonNullable<Shell["terminal"]>;

/** What a person may answer to a stored question. */
type Answer = "deny" | "reason" | "approve" | "arguments" | "session" | "skip";

/**
 * Lets the person at the terminal choose stored questions with the arrows and answer them with a key, until none waits or
 * they leave. `show` writes a question before it is answered: a person approves exactly what is shown.
 */
export async function pickApprovals(
  host: Pick<OpenedHost, "approvals" | "tools">,
  {
    shell,
    terminal,
    by,
    show,
  }: {
    readonly shell: Shell;
    readonly terminal: Terminal;
    readonly by: string;
    readonly show: (view: ApprovalView) => void;
  },
): Promise<void> {
  const { approvals } = host;
  for (;;) {
    const waiting = await approvals.list();
    if (waiting.length === 0) return shell.err.line("no question waits");
    const view = await pickOne(waiting, terminal);
    if (view === undefined) return;
    show(view);
    const tool = host.tools().find(({ name }) => name === view.tool);
    const answer = await askAnswer(view, tool === undefined || isGrave(tool), { shell, terminal });
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
  needsEnter: boolean,
  { shell, terminal }: { readonly shell: Shell; readonly terminal: Terminal },
): Promise<Decided | "skip" | undefined> {
  const answer = await choose(shell.err, terminal, {
    message: `Approve ${printable(view.tool)}?`,
    choices: choicesOf(view, needsEnter),
  });
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
  ];
}
