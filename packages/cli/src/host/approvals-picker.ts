import type { ApprovalView } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { askAnswer } from "./ask-answer.ts";
import type { Shell } from "../process/shell.ts";
import { printable } from "../screen/printable.ts";
import { shortIds } from "../screen/short-ids.ts";
import { questionLines } from "../render/question.ts";
import { effectLines } from "../render/rehearsal.ts";
import type { Screen } from "../screen/screen.ts";

type Terminal = NonNullable<Shell["terminal"]>;

/**
 * Lets the person at the terminal choose stored questions with the arrow keys and answer each with a key, until no question waits
 * or the person leaves. A question is shown completely before it is answered.
 */
export async function pickApprovals(host: Questioned, person: Person): Promise<void> {
  for (;;) {
    const waiting = await host.approvals.list();
    if (waiting.length === 0) return person.shell.err.line("no question waits");
    const view = await pickOne(waiting, person.terminal);
    if (view === undefined || !(await answerStored(host, view, person))) return;
  }
}

/** Asks the person at the terminal the stored questions of one session, one after the other, until the person leaves. */
export async function askStored(host: Questioned, sessionId: string, person: Person): Promise<void> {
  for (const view of await host.approvals.list({ sessionId }))
    if (!(await answerStored(host, view, person))) return;
}

type Questioned = Pick<OpenedHost, "approvals" | "tools">;

/** The person who answers, and their terminal. */
interface Person {
  readonly shell: Shell;
  readonly terminal: Terminal;
  readonly by: string;
}

/** Shows one question and records the person's answer. Resolves to false if the person leaves. */
async function answerStored(
  host: Questioned,
  view: ApprovalView,
  { shell, terminal, by }: Person,
): Promise<boolean> {
  const facts = host.tools().find(({ name }) => name === view.tool);
  const call = { ...view, facts };
  for (const line of questionLines(call, shell.err)) shell.err.line(line);
  if (facts?.previews === true) await showPreview(host, view.id, shell.err);
  const answer = await askAnswer(call, {
    screen: shell.err,
    terminal,
    message: `Approve ${printable(view.tool)}?`,
    more: [{ value: "later", key: "l", label: "Decide later" }],
  });
  if (answer === undefined) return false;
  if (typeof answer === "string") return true;
  const { decision, remember, reason } = answer;
  const decided = await host.approvals.decide(view.id, { decision, remember, reason }, by);
  shell.err.line(`${printable(view.tool)} is ${decided.state}`);
  return true;
}

/** Shows the changes that the call would make now. The tool computes them as a preview. */
async function showPreview({ approvals }: Questioned, id: string, screen: Screen): Promise<void> {
  const { effects, problem } = await approvals.preview(id);
  screen.line("It would change now:");
  if (problem !== null) screen.line(`  ${printable(problem)}`);
  for (const line of effects.flatMap((effect) => effectLines(screen, effect))) screen.line(`  ${line}`);
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
