import type { CallInfo, Clock, Runner, ToolDefinition } from "@toolmount/core";
import { errorMessage } from "@toolmount/core/errors";
import type { ToolHere } from "@toolmount/core/internal";
import type { FarMessage } from "../far/far-message.ts";
import { breachOfSize, runFar } from "../far/far-run.ts";
import { returnedJson } from "../far/to-json.ts";
import { answerOfError, type FleetAnswer } from "./answer.ts";
import type { RemoteRun } from "./remote-run.ts";

/** Milliseconds that a tool in the worker may take to end after its signal was aborted; then its place is free again. */
const abandonAfterMs = 250;

/** Milliseconds for which the host may abort a call at its deadline before its worker does. */
const hostFirstMs = 200;

/** A tool that a worker runs: in this process, or through a runner of its own. */
export interface WorkerTool {
  readonly tool: ToolHere;
  readonly runner: Runner | null;
}

/** Runs the tool of a call. The host aborts it at its deadline; the deadline here is for a host that ended. */
export async function runTool(
  { tool, runner }: WorkerTool,
  run: RemoteRun,
  clock: Clock,
): Promise<FleetAnswer> {
  const { timeoutMs } = run.job;
  const stop = () => run.abort("TimeoutError", `the deadline of ${timeoutMs} ms passed`);
  const deadline = timeoutMs === 0 ? undefined : clock.setTimer(stop, timeoutMs + hostFirstMs);
  try {
    return runner === null ? await runInWorker(tool, run, clock) : await runInRunner(runner, tool, run);
  } finally {
    deadline?.cancel();
  }
}

/** Runs the tool of a call in processes of their own. */
async function runInRunner(runner: Runner, tool: ToolHere, run: RemoteRun): Promise<FleetAnswer> {
  const { job } = run;
  const { runId } = run.call;
  const { info, arguments: given, timeoutMs } = job;
  const { module } = tool;
  try {
    const returned: unknown = await runner.run(
      {
        runId,
        tool: tool.info.declaredName,
        ...(module !== undefined && { module }),
        info,
        arguments: given,
        timeoutMs,
      },
      { ...run.control(tool.definition), provided: tool.provided },
    );
    return { type: "returned", runId, value: returnedJson(returned) };
  } catch (error) {
    return answerOfError(runId, error);
  }
}

/** Runs the tool of a call in this process. One that does not end after its signal was aborted is abandoned. */
async function runInWorker(tool: ToolHere, run: RemoteRun, clock: Clock): Promise<FleetAnswer> {
  const { job } = run;
  const { runId } = run.call;
  const ended = Promise.withResolvers<FleetAnswer>();
  const send = (message: FarMessage) => {
    if (message.type === "returned" || message.type === "threw") ended.resolve(limited(message));
    else run.say(message);
  };
  const request = { type: "run", runId, tool: tool.info.declaredName, ...job } as const;
  const abandon = () => {
    const timer = clock.setTimer(() => ended.resolve(abandoned(run)), abandonAfterMs);
    void ended.promise.then(() => timer.cancel());
  };
  run.signal.addEventListener("abort", abandon, { once: true });
  void runFar(withServices(tool, job.info), request, run.signal, send, {
    call: (_, call) => run.callHost(call),
  });
  return ended.promise;
}

/** An answer that is too large for a process is too large for a fleet, too. */
function limited(message: FleetAnswer & FarMessage): FleetAnswer {
  return breachOfSize(message, JSON.stringify(message)) ?? message;
}

/** The tool, with the members that this worker's modules add to its context. */
function withServices(tool: ToolHere, info: CallInfo): ToolDefinition {
  const { definition } = tool;
  return {
    ...definition,
    execute: (given, context) => definition.execute(given, tool.provide(context, info)),
  };
}

function abandoned({ call: { tool }, job: { timeoutMs }, signal }: RemoteRun): FleetAnswer {
  return (signal.reason as Error).name === "TimeoutError"
    ? {
        type: "failed",
        code: "TIMED_OUT",
        message: errorMessage("TIMED_OUT", { tool, timeoutMs }),
        status: "timed_out",
      }
    : { type: "failed", code: "CANCELLED", message: errorMessage("CANCELLED", {}), status: "cancelled" };
}
