import { ownSession, userIn, type Approver, type SessionChange, type UnclearUndo } from "@toolmount/core";
import { InvalidArgumentError, Option, type Command } from "commander";
import { confirmUndo } from "../../host/confirm-undo.ts";
import { findChanges } from "../../host/find-changes.ts";
import { openPlan } from "../../host/open-plan.ts";
import { createTerminalApprover } from "../../host/terminal-approver.ts";
import { readUserName } from "../../host/user-name.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { interruption } from "../../process/signals.ts";
import { writeChanges, writeUndo } from "../../render/changes.ts";

interface Options extends PlanOptions {
  readonly session?: string;
  readonly user?: string;
  readonly to?: number;
  readonly rehearse?: true;
  readonly unclear?: UnclearUndo;
  readonly json?: true;
}

/** `toolmount undo <what> [plan]`: undoes the calls of a session, a turn, or one call with those that its tool made. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("<what>", "the id of a session, or the beginning of it; or the id of a turn or a call")
    .argument("[plan]", planArgument)
    .option("--session <id>", "the session of the turn or call")
    .option("--to <number>", "keep the changes up to this number, which --rehearse shows", readNumber)
    .option("--rehearse", "only list the changes that would be undone")
    .addOption(
      new Option(
        "--unclear <decision>",
        "a change whose undo began in a process that died or stalled: repeat undoes it again, done notes that it is undone",
      ).choices(["repeat", "done"] satisfies UnclearUndo[]),
    )
    .option("--user <id>", "the user who undoes")
    .option(...jsonOption)
    .action(async (what: string, plan: string | undefined, options: Options) => {
      shell.end(await undo(what, plan, options, shell));
    });
  addExamples(command, [
    "toolmount undo 5f0c --rehearse",
    "toolmount undo 5f0c --to 3",
    "toolmount undo call_1 mount-plans/coding.yaml --session office",
  ]);
}

async function undo(
  what: string,
  plan: string | undefined,
  options: Options,
  shell: Shell,
): Promise<ExitCode> {
  return shell.interruptible(async (controller) => {
    const terminal = options.json === true ? undefined : shell.terminal;
    const approver = approverOf(terminal, shell, () => controller.abort(interruption("SIGINT")));
    const host = await openPlan(plan, options, shell, { approver });
    try {
      const { sessionId, filter, changes } = await findChanges(
        host,
        what,
        ownSession(options.user, options.session),
      );
      const after = options.to ?? 0;
      const chosen = changes.filter(({ number }) => number > after);
      if (options.rehearse === true) return list(chosen, options, shell);
      if (!(await confirmUndo(chosen, { err: shell.err, terminal }, controller))) return exitCodes.done;
      const context = { userId: userIn(sessionId, options.user), abortSignal: controller.signal };
      const report = await host
        .session(sessionId)
        .undo({ ...filter, after, unclear: options.unclear }, context);
      if (options.json === true) shell.out.json(report);
      else writeUndo(shell.out, report);
      return report.stopped === null ? exitCodes.done : exitCodes.failed;
    } finally {
      await host.close();
    }
  });
}

function list(changes: readonly SessionChange[], { json }: Options, { out }: Shell): ExitCode {
  if (json === true) out.json(changes);
  else writeChanges(out, changes);
  return exitCodes.done;
}

function approverOf(
  terminal: Shell["terminal"],
  { err, env }: Shell,
  onLeave: () => void,
): Approver["ask"] | undefined {
  if (terminal === undefined) return undefined;
  return createTerminalApprover(err, terminal, onLeave, undefined, readUserName(env));
}

function readNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give the number of a change, or 0.");
}
