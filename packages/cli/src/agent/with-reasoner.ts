import type { Approver, Logger } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { TurnEvent, TurnOptions, TurnResult } from "@toolmount/reasoner";
import { createRuleWriter, type RuleWriter } from "../host/rule-writer.ts";
import { createTerminalLogger } from "../host/terminal-logger.ts";
import { createTerminalApprover } from "../host/terminal-approver.ts";
import { readUserName } from "../host/user-name.ts";
import { keepAfterTurn } from "./ask-to-keep.ts";
import { openPlan } from "../host/open-plan.ts";
import type { PlanOptions } from "../options/plan-options.ts";
import { exitCodeOfReplay, type TapeOptions } from "../options/tape-options.ts";
import type { Screen } from "../screen/screen.ts";
import type { Shell } from "../process/shell.ts";
import type { ExitCode } from "../process/exit-codes.ts";
import { interruption } from "../process/signals.ts";
import { createTerminalLock, type TerminalLock } from "../process/terminal-lock.ts";
import { openStatus } from "../process/with-status.ts";
import type { AnswerForm } from "./structured-output.ts";
import { findAgentsFile, sayAgentsFile } from "./agents-md.ts";
import type { AskedModel, OpenReasoner } from "@toolmount/record/internal";
import { openReasoner } from "./open-reasoner.ts";
import { createRunningCalls } from "./running-calls.ts";
import { exitCodeOfTurn, turnFooter } from "./turn-footer.ts";
import { createAnswerView, createTurnView } from "./turn-view.ts";

/** Options of commands that run turns. */
export interface AgentOptions extends PlanOptions, AskedModel, TapeOptions {
  readonly json?: true;
  readonly user?: string;
  /** The schema of the model's last answer, from `run --schema`. */
  readonly form?: AnswerForm | undefined;
  /** False with `--no-agents-md`. */
  readonly agentsMd?: boolean;
  /** Throws unless a condition holds, such as that the session exists. It is called before a local model is searched. */
  readonly before?: (host: OpenedHost) => Promise<void>;
}

/** A reasoner over a plan, with the parts that commands use. */
export interface Agent extends Pick<OpenReasoner, "reasoner"> {
  readonly host: OpenedHost;
  /** The model that the command names; undefined to use the plan's. */
  readonly model: string | undefined;
  /** Lets one writer at a time use the terminal. */
  readonly lock: TerminalLock;
  /**
   * Returns the options of a turn. `controller` cancels the turn, also when the person presses Ctrl-C in one of its questions.
   */
  readonly turn: (controller: AbortController) => TurnOptions;
}

/** Opens a plan and a reasoner over it, and closes both after `act`. The person at the terminal answers questions. */
export async function withReasoner<Value>(
  plan: string | undefined,
  options: AgentOptions,
  given: Shell,
  act: (agent: Agent) => Promise<Value>,
): Promise<Value> {
  const { status, shell } = openStatus(given);
  const agentsFile = options.agentsMd === false ? undefined : await findAgentsFile(shell.cwd);
  if (agentsFile !== undefined && options.json !== true) sayAgentsFile(agentsFile, shell);
  const lock = createTerminalLock();
  let current: AbortController | undefined;
  const rules = createRuleWriter(shell.cwd);
  const approver = chooseApprover(shell, lock, () => current?.abort(interruption("SIGINT")), rules);
  const logger = withoutTurns(createTerminalLogger(shell.err, shell.settings.verbosity));
  const host = await openPlan(plan, options, shell, { approver, logger });
  rules.opened(host);
  let opened: OpenReasoner | undefined;
  try {
    await options.before?.(host);
    opened = await openReasoner(host, options, shell);
    const { reasoner } = opened;
    const { form } = options;
    const settings = {
      ...opened.settings,
      ...(form !== undefined && { outputSchema: form.schema }),
    };
    const write =
      options.json === true ? writeEvents(shell.out) : viewOf(form, status.over(shell.out), shell);
    const running = createRunningCalls();
    const onEvent = (event: TurnEvent) =>
      lock.write(() => {
        write(event);
        if (options.json !== true) status.show(running.after(event));
      });
    return await act({
      host,
      reasoner,
      model: settings.model,
      lock,
      turn(controller) {
        current = controller;
        const instructions = [agentsFile?.text, form?.instructions].filter(Boolean).join("\n\n") || undefined;
        return { userId: options.user, abortSignal: controller.signal, settings, instructions, onEvent };
      },
    });
  } finally {
    await host.close();
    await opened?.close();
  }
}

/** Logs errors of turns only at the level `debug`, because the command already shows the end of a turn as one of its events. */
function withoutTurns(logger: Logger): Logger {
  const own: Logger = {
    ...logger,
    error: (fields, message) =>
      "turn_id" in fields ? logger.debug(fields, message) : logger.error(fields, message),
    child: () => own,
  };
  return own;
}

/**
 * Returns the function that shows a turn. With a form, everything goes to standard error, because the caller writes the answer.
 * Otherwise a standard output that is not a terminal gets only the answer.
 */
function viewOf(form: AnswerForm | undefined, screen: Screen, { out, err, env }: Shell) {
  const isPlain = env["TERM"] === "dumb";
  if (form !== undefined) return createTurnView(err, isPlain);
  return out.columns === undefined ? createAnswerView(out, err, isPlain) : createTurnView(screen, isPlain);
}

/** Writes each event of a turn as a line of JSON when it happens. The last event of a turn is `done`, with the turn's result. */
function writeEvents(screen: Screen): (event: TurnEvent) => void {
  return (event) => screen.jsonLine(event);
}

function chooseApprover(
  { terminal, err, env }: Shell,
  lock: TerminalLock,
  onLeave: () => void,
  rules: RuleWriter,
): Approver["ask"] | undefined {
  if (terminal === undefined) return undefined;
  return createTerminalApprover(err, terminal, onLeave, lock, readUserName(env), rules);
}

/**
 * Runs one turn, lets the person keep its changes, and returns the exit code. If `run` has deleted the session, its result has
 * an empty session id.
 */
export async function runTurn(
  options: AgentOptions,
  plan: string | undefined,
  shell: Shell,
  run: (agent: Agent, turn: TurnOptions) => Promise<TurnResult>,
): Promise<ExitCode> {
  const { result, code } = await shell.interruptible((controller) =>
    withReasoner(plan, options, shell, async (agent) => {
      const given = agent.turn(controller);
      const turn = await run(agent, given);
      const asked = options.json === true ? { err: shell.err, terminal: undefined } : shell;
      await keepAfterTurn(agent.host, turn, { ...given, plan }, asked, controller);
      if (turn.sessionId !== "") await agent.reasoner.leave(agent.host, turn.sessionId);
      return { result: turn, code: exitCodeOfReplay(agent.host, exitCodeOfTurn(turn), shell) };
    }),
  );
  if (options.json !== true)
    for (const line of turnFooter(shell.err, result, { ...options, plan })) shell.err.line(line);
  return code;
}
