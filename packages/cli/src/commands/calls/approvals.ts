import { ToolmountError, type ApprovalView, type JsonObject } from "@toolmount/core";
import { listTool } from "@toolmount/core/internal";
import type { OpenedHost } from "@toolmount/loader";
import type { Command } from "commander";
import { countOf } from "../../screen/count.ts";
import { standingLines, viewLines } from "../../host/approval-lines.ts";
import { readUserName } from "../../host/user-name.ts";
import { openPlan } from "../../host/open-plan.ts";
import { readFirst } from "../../options/list-options.ts";
import { findByPrefix } from "../../options/find-by-prefix.ts";
import { readEdited, readRemember } from "../../options/approval-options.ts";
import { readDuration } from "../../options/call-filters.ts";
import { addExamples, planArgument } from "../../options/common.ts";
import { addPlanSubcommand, type PlanOptions } from "../../options/plan-options.ts";
import { printable } from "../../screen/printable.ts";
import { shortIds } from "../../screen/short-ids.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly by?: string;
  readonly reason?: string;
  readonly remember?: string;
  readonly arguments?: string;
  readonly for?: number;
  readonly first?: number;
}

/** `toolmount approvals list|standing|approve|deny|run|revoke`: shows waiting calls and standing answers, and decides them. */
export function define(command: Command, shell: Shell): void {
  const run: Run = (act, plan, options) => withHost(plan, options, shell, act);
  const add: Add = (name, summary) => addPlanSubcommand(command, name, summary);

  add("list", "List calls that wait for an answer, and remembered approvals")
    .argument("[plan]", planArgument)
    .action((plan: string | undefined, options: Options, { parent }: Command) => {
      // `toolmount approvals` without a subcommand asks the person at a terminal; `approvals list` only lists.
      const asks = parent?.args[0] !== "list" && options.json !== true && shell.terminal !== undefined;
      return run((host) => (asks ? pick(host, shell) : list(host, options, shell)), plan, options);
    });
  add("standing", "List remembered approvals: what each answers, how often it did, and when it ends")
    .argument("[plan]", planArgument)
    .action((plan: string | undefined, options: Options) =>
      run((host) => listStanding(host, options, shell), plan, options),
    );
  defineDecisions(add, run, shell);
  addExamples(command, [
    "toolmount approvals list",
    `toolmount approvals approve 8fJ… --arguments '{"to":"ACME","amount":99}'`,
    "toolmount approvals approve 8fJ… --remember arguments --for 8h",
    `toolmount approvals deny 8fJ… --reason "not on Fridays"`,
  ]);
}

type Add = (name: string, summary: string) => Command;
type Run = (
  act: (host: OpenedHost, options: Options) => Promise<ExitCode | void>,
  plan: string | undefined,
  options: Options,
) => Promise<void>;

/** Adds the commands that decide a question or revoke a remembered approval. */
function defineDecisions(add: Add, run: Run, shell: Shell): void {
  const idArgument = "the id that list shows, or the beginning of it";
  add("approve", "Approve one call")
    .argument("<id>", idArgument)
    .argument("[plan]", planArgument)
    .option("--by <name>", "who decides; default: the user of this machine")
    .option(
      "--remember <scope>",
      `remember the approval for: arguments, session, or a pattern such as '{"command":"git *"}'`,
    )
    .option("--for <time>", "with --remember: it ends by itself after 30m, 8h or 7d", readDuration)
    .option(
      "--arguments <json>",
      "the arguments with which the call runs instead of its own; the model reads that",
    )
    .option("--first <count>", "of a list of calls, approve only the first ones", readFirst)
    .action((id: string, plan: string | undefined, options: Options) =>
      run(async (host) => decide(host, await waitingId(host, id), "approve", options, shell), plan, options),
    );
  add("deny", "Deny one call")
    .argument("<id>", idArgument)
    .argument("[plan]", planArgument)
    .option("--by <name>", "who decides; default: the user of this machine")
    .option("--reason <text>", "the reason; the model reads it")
    .action((id: string, plan: string | undefined, options: Options) =>
      run(async (host) => decide(host, await waitingId(host, id), "deny", options, shell), plan, options),
    );
  add("run", "Run an approved call whose caller may be gone; it runs once")
    .argument("<id>", idArgument)
    .argument("[plan]", planArgument)
    .option("--by <name>", "who runs it; default: the user of this machine")
    .action((id: string, plan: string | undefined, options: Options) =>
      run((host) => runApproved(host, id, options, shell), plan, options),
    );
  add("revoke", "Revoke an approval that was not used yet, or a remembered one")
    .argument("<id>", idArgument)
    .argument("[plan]", planArgument)
    .action((id: string, plan: string | undefined, options: Options) =>
      run(async (host) => revoke(host, await knownId(host, id), options, shell), plan, options),
    );
}

async function withHost(
  plan: string | undefined,
  options: Options,
  shell: Shell,
  act: (host: OpenedHost, options: Options) => Promise<ExitCode | void>,
): Promise<void> {
  const host = await openPlan(plan, options, shell);
  try {
    shell.end((await act(host, options)) ?? exitCodes.done);
  } finally {
    await host.close();
  }
}

async function waitingId({ approvals }: OpenedHost, written: string): Promise<string> {
  const waiting = await approvals.list();
  return findByPrefix(
    written,
    waiting.map(({ id }) => id),
  );
}

/**
 * Completes the beginning of the id of a remembered approval or of a waiting question. Any other id is returned as it is
 * written, because it may be of a question that is not listed any more.
 */
async function knownId(host: OpenedHost, written: string): Promise<string> {
  const remembered = await host.approvals.remembered();
  const id = findByPrefix(
    written,
    remembered.map((approval) => approval.id),
  );
  return id === written ? waitingId(host, written) : id;
}

async function list({ approvals }: OpenedHost, { json }: Options, { out }: Shell): Promise<void> {
  const waiting = await approvals.list();
  const approved = await approvals.list({ states: ["approved"] });
  const always = await approvals.remembered();
  if (json === true) return out.json({ waiting, approved, always });
  const short = shortIds([...waiting, ...approved, ...always].map(({ id }) => id));
  for (const view of [...waiting, ...approved])
    for (const line of viewLines(view, short, out)) out.line(line);
  for (const one of always) for (const line of standingLines(one, short)) out.line(line);
  out.line(`${countOf(waiting, "question")}, ${countOf(always, "remembered approval")}`);
}

async function runApproved(
  { approvals }: OpenedHost,
  written: string,
  { by, json }: Options,
  { out, env }: Shell,
): Promise<ExitCode> {
  const approved = await approvals.list({ states: ["approved", "claimed", "started"] });
  const id = findByPrefix(
    written,
    approved.map((view) => view.id),
  );
  const view = await approvals.run(id, by ?? readUserName(env));
  const { tool, state, end } = view;
  if (json === true) out.json(view);
  else out.line(`${printable(tool)}: ${end?.status ?? `${state} in another process`}`);
  if (end === undefined) return exitCodes.pending;
  return end.status === "ok" ? exitCodes.done : exitCodes.failed;
}

async function listStanding({ approvals }: OpenedHost, { json }: Options, { out }: Shell): Promise<void> {
  const standing = await approvals.remembered();
  if (json === true) return out.json(standing);
  const short = shortIds(standing.map(({ id }) => id));
  for (const one of standing) for (const line of standingLines(one, short)) out.line(line);
  out.line(countOf(standing, "remembered approval"));
}

/** Lets the person at the terminal answer the waiting questions. Without a terminal or a question, shows the list. */
async function pick(host: OpenedHost, shell: Shell): Promise<void> {
  const { terminal } = shell;
  if (terminal === undefined || (await host.approvals.list()).length === 0) return list(host, {}, shell);
  const { pickApprovals } = await import("../../host/approvals-picker.ts");
  await pickApprovals(host, { shell, terminal, by: readUserName(shell.env) });
}

async function decide(
  { approvals }: OpenedHost,
  id: string,
  decision: "approve" | "deny",
  options: Options,
  { out, env }: Shell,
): Promise<void> {
  const { reason, json } = options;
  const by = options.by ?? readUserName(env);
  const remember = readRemember(options);
  const edited =
    options.arguments === undefined ? await cutList(approvals, id, options) : readEdited(options.arguments);
  const view = await approvals.decide(id, { decision, reason, remember, arguments: edited }, by);
  if (json === true) return out.json(view);
  out.line(`${printable(view.tool)} is ${view.state}; ${nextStep(view)}`);
}

/**
 * Says how the call continues after the decision. A call outside a session's turn needs its ticket, which only its caller has.
 */
function nextStep({ info: { sessionId, turnId } }: ApprovalView): string {
  if (turnId === undefined && /(?:^|:)mcp-/.test(sessionId ?? ""))
    return "its MCP client continues, or gets the result when it makes the same call again";
  return turnId === undefined || sessionId === undefined
    ? "next, where the call was made: toolmount resume <the ticket that it printed>"
    : `next: toolmount sessions resume ${printable(sessionId)}`;
}

/**
 * Returns the arguments with which only the first calls of a list run; undefined without `--first`. Throws `USAGE_INVALID` if the
 * question is not about a list.
 */
async function cutList(
  approvals: OpenedHost["approvals"],
  id: string,
  { first }: Options,
): Promise<JsonObject | undefined> {
  if (first === undefined) return undefined;
  const found = (await approvals.list()).find((one) => one.id === id);
  if (found?.tool !== listTool)
    throw new ToolmountError("USAGE_INVALID", {
      problem: "--first is for the question about a list of calls",
    });
  return { ...found.arguments, first };
}

async function revoke(
  { approvals }: OpenedHost,
  id: string,
  { json }: Options,
  { out }: Shell,
): Promise<void> {
  if (!(await approvals.revoke(id))) throw new ToolmountError("APPROVAL_NOT_FOUND", {});
  if (json === true) return out.json({ revoked: id });
  out.line("revoked");
}
