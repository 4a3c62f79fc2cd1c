import { ToolmountError } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { InvalidArgumentError, type Command } from "commander";
import { openPlan } from "../../host/open-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { printable } from "../../screen/printable.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly stdio?: true;
  readonly user?: string;
  readonly session?: string;
  readonly approval?: Approval;
}

const approvals = ["pending", "wait", "elicitation"] as const;
type Approval = (typeof approvals)[number];

/** `toolmount serve [plan] --stdio`: the tools of a plan to an MCP client. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option("--stdio", "serve over MCP on standard input and output")
    .option("--user <id>", "the user on whose behalf calls are made")
    .option("--session <id>", "the session of the connection; default a new one")
    .option(
      "--approval <way>",
      "how a call that needs approval is answered: pending (a result that says so), wait (the call stays open until it is decided elsewhere), elicitation (the user of the client decides)",
      readApproval,
      "pending",
    )
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await serve(plan, options, shell));
    });
  addExamples(command, [
    "toolmount serve --stdio",
    "toolmount serve mount-plans/coding.yaml --stdio --approval wait",
  ]);
}

function readApproval(text: string): Approval {
  const way = approvals.find((known) => known === text);
  if (way === undefined) throw new InvalidArgumentError(`It is one of ${approvals.join(", ")}.`);
  return way;
}

async function serve(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  if (options.stdio !== true)
    throw new ToolmountError("USAGE_INVALID", { problem: "say how to serve: toolmount serve --stdio" });
  const output = shell.openAnswerStream();
  return shell.interruptible(async ({ signal }) => {
    // Nobody watches a client's calls while they run, so all of them are recorded.
    const host = await openPlan(plan, options, shell, {}, "mixed");
    try {
      const { serveStreams } = await import("@toolmount/mcp");
      const { user, session, approval, json } = options;
      const served = serveStreams(host, {
        input: shell.input,
        output,
        name: nameOf(host),
        userId: user,
        sessionId: session,
        approvals: { wait: approval === "wait", elicitation: approval === "elicitation" },
        onError: ({ message }) =>
          shell.err.line(
            json === true ? JSON.stringify({ error: message }) : `toolmount serve: ${printable(message)}`,
          ),
      });
      const stop = () => void served.close();
      signal.addEventListener("abort", stop);
      if (signal.aborted) stop();
      await served.closed;
      return exitCodes.done;
    } finally {
      await host.close();
    }
  });
}

function nameOf({ plan }: OpenedHost): string {
  return plan.name === undefined ? "toolmount" : `toolmount: ${plan.name}`;
}
