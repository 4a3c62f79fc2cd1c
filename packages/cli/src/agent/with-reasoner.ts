import type { Approver } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { TurnOptions, TurnResult } from "@toolmount/reasoner";
import { createTerminalApprover } from "../approver.ts";
import { openPlan } from "../open-plan.ts";
import type { PlanOptions } from "../plan-options.ts";
import type { ExitCode, Shell } from "../shell.ts";
import { openReasoner, type ModelOptions, type OpenReasoner } from "./open-reasoner.ts";
import { createTurnView, exitCodeOf, turnFooter } from "./turn-view.ts";

/** What commands that run turns are given. */
export interface AgentOptions extends PlanOptions, ModelOptions {
  readonly json?: true;
  readonly user?: string;
}

/** A reasoner over a plan, and what each turn is given. */
export interface Agent extends Pick<OpenReasoner, "reasoner"> {
  readonly host: OpenedHost;
  readonly turn: TurnOptions;
}

/** Opens a plan and a reasoner over it, and closes both. Questions go to whoever sits at the terminal. */
export async function withReasoner<Value>(
  plan: string | undefined,
  options: AgentOptions,
  shell: Shell,
  controller: AbortController,
  act: (agent: Agent) => Promise<Value>,
): Promise<Value> {
  const host = await openPlan(plan, options, shell, { approver: chooseApprover(shell, controller) });
  let opened: OpenReasoner | undefined;
  try {
    opened = await openReasoner(host, options, shell);
    const { reasoner, settings } = opened;
    const onEvent = options.json === true ? undefined : createTurnView(shell.out);
    return await act({
      host,
      reasoner,
      turn: { userId: options.user, abortSignal: controller.signal, settings, onEvent },
    });
  } finally {
    await host.close();
    await opened?.close();
  }
}

function chooseApprover({ terminal, err }: Shell, controller: AbortController): Approver["ask"] | undefined {
  if (terminal === undefined) return undefined;
  return createTerminalApprover(err, terminal, () => controller.abort(new Error("Ctrl-C")));
}

/** Runs what gives one turn, and tells how it ended. */
export async function tellTurn(
  options: AgentOptions,
  plan: string | undefined,
  shell: Shell,
  run: (agent: Agent) => Promise<TurnResult>,
): Promise<ExitCode> {
  const result = await shell.interruptible((controller) =>
    withReasoner(plan, options, shell, controller, async (agent) => {
      const turn = await run(agent);
      await agent.reasoner.leave(agent.host, turn.sessionId);
      return turn;
    }),
  );
  if (options.json === true) shell.out.json(result);
  else for (const line of turnFooter(shell.err, result)) shell.err.line(line);
  return exitCodeOf(result);
}
