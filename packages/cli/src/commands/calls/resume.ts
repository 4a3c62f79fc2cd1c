import type { Command } from "commander";
import { openPlan } from "../../host/open-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { readJson } from "../../options/json-option.ts";
import { writeNextCommands } from "../../render/next-commands.ts";
import { exitCodeOfCall, writeOutcome } from "../../render/outcome.ts";
import type { Shell } from "../../process/shell.ts";
import type { ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly session?: string;
  readonly user?: string;
  readonly mode?: string;
  readonly result?: string;
}

/** `toolmount resume <ticket> [plan]`: resumes a call that waits for an answer or for a result of the client. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("<ticket>", "the ticket that the pending call printed")
    .argument("[plan]", planArgument)
    .option("--session <id>", "the session of the call")
    .option("--user <id>", "the user of the call")
    .option("--mode <name>", "the mode of the session")
    .option("--result <json>", "the result, for a tool that the client runs")
    .option(...jsonOption)
    .action(async (ticket: string, plan: string | undefined, options: Options) => {
      shell.end(await resume(ticket, plan, options, shell));
    });
  addExamples(command, ["toolmount resume qX3… mount-plans/coding.yaml"]);
}

async function resume(
  ticket: string,
  plan: string | undefined,
  options: Options,
  shell: Shell,
): Promise<ExitCode> {
  const { session, user, mode, json } = options;
  const result = readJson("--result", options.result);
  const outcome = await shell.interruptible(async ({ signal }) => {
    const host = await openPlan(plan, options, shell);
    try {
      return await host.resume(
        ticket,
        { sessionId: session, userId: user, mode, abortSignal: signal },
        result,
      );
    } finally {
      await host.close();
    }
  });
  if (json === true) shell.out.json(outcome);
  else {
    writeOutcome(shell.out, outcome);
    writeNextCommands(shell.out, outcome, { plan, session, user });
  }
  return exitCodeOfCall(outcome);
}
