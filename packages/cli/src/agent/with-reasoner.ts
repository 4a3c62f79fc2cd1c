import type { Approver } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { TurnEvent, TurnOptions, TurnResult } from "@toolmount/reasoner";
import { createTerminalApprover } from "../host/terminal-approver.ts";
import { openPlan } from "../host/open-plan.ts";
import type { PlanOptions } from "../options/plan-options.ts";
import type { Screen } from "../screen/screen.ts";
import type { Shell } from "../process/shell.ts";
import type { ExitCode } from "../process/exit-codes.ts";
import { interruption } from "../process/signals.ts";
import { createFloor, type Floor } from "../process/terminal-lock.ts";
import { openReasoner, type ModelOptions, type OpenReasoner } from "./open-reasoner.ts";
import { createTurnView, exitCodeOf, turnFooter } from "./turn-view.ts";

/** What commands that run turns are given. */
export interface AgentOptions extends PlanOptions, ModelOptions {
  readonly json?: true;
  readonly user?: string;
}

/** A reasoner over a plan. */
export interface Agent extends Pick<OpenReasoner, "reasoner"> {
  readonly host: OpenedHost;
  /** What a turn is given, which the controller cancels: Ctrl-C in one of its questions, too. */
  readonly turn: (controller: AbortController) => TurnOptions;
}

/** Opens a plan and a reasoner over it, and closes both. Questions go to whoever sits at the terminal. */
export async function withReasoner<Value>(
  plan: string | undefined,
  options: AgentOptions,
  shell: Shell,
  act: (agent: Agent) => Promise<Value>,
): Promise<Value> {
  const floor = createFloor();
  let current: AbortController | undefined;
  const approver = chooseApprover(shell, floor, () => current?.abort(interruption("SIGINT")));
  const host = await openPlan(plan, options, shell, { approver });
  let opened: OpenReasoner | undefined;
  try {
    opened = await openReasoner(host, options, shell);
    const { reasoner, settings } = opened;
    const tell = options.json === true ? tellLines(shell.out) : createTurnView(shell.out);
    const onEvent = (event: TurnEvent) => floor.say(() => tell(event));
    return await act({
      host,
      reasoner,
      turn(controller) {
        current = controller;
        return { userId: options.user, abortSignal: controller.signal, settings, onEvent };
      },
    });
  } finally {
    await host.close();
    await opened?.close();
  }
}

/** Each event as it happens, a JSON object a line; the last one of a turn is `done`, with its result. */
function tellLines(screen: Screen): (event: TurnEvent) => void {
  return (event) => screen.jsonLine(event);
}

function chooseApprover(
  { terminal, err }: Shell,
  floor: Floor,
  onLeave: () => void,
): Approver["ask"] | undefined {
  if (terminal === undefined) return undefined;
  return createTerminalApprover(err, terminal, onLeave, floor);
}

/** Runs what gives one turn, and tells how it ended. */
export async function tellTurn(
  options: AgentOptions,
  plan: string | undefined,
  shell: Shell,
  run: (agent: Agent, turn: TurnOptions) => Promise<TurnResult>,
): Promise<ExitCode> {
  const result = await shell.interruptible((controller) =>
    withReasoner(plan, options, shell, async (agent) => {
      const turn = await run(agent, agent.turn(controller));
      await agent.reasoner.leave(agent.host, turn.sessionId);
      return turn;
    }),
  );
  if (options.json !== true) for (const line of turnFooter(shell.err, result, plan)) shell.err.line(line);
  return exitCodeOf(result);
}
