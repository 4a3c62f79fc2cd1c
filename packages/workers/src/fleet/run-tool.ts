import type { CallInfo, Clock, Runner, ToolDefinition } from "@toolmount/core";
import { errorMessage } from "@toolmount/core/errors";
import type { ToolHere } from "@toolmount/core/internal";
import type { FarMessage } from "../far/far-message.ts";
import { breachOfSize, runFar } from "../far/far-run.ts";
import { returnedJson } from "../far/to-json.ts";
import { answerOfError, type FleetAnswer } from "./answer.ts";
import type { RemoteRun } from "./remote-run.ts";

/** Milliseconds within which a tool in the worker has to end after its signal was aborted; then its place is free again. */
const abandonAfterMs = 250;

/** Milliseconds after the deadline of a call in which the host may abort it, before the worker does so itself. */
const hostFirstMs = 200;

/** A tool that a worker runs: in this process, or through a runner if there is one. */
export interface WorkerTool {
  readonly tool: ToolHere;
  readonly runner: Runner | null;
}

/** Runs the tool of a call. Normally the host aborts it at its deadline; the deadline here is for a host that has ended. */
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

/** Runs the tool of a call through a runner, in other processes. */
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

/** Runs the tool of a call in this process. If it does not end after its signal was aborted, it is abandoned. */
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

/** Replaces an answer that is too large. The limit is the same as for processes. */
function limited(message: FleetAnswer & FarMessage): FleetAnswer {
  return breachOfSize(message, JSON.stringify(message)) ?? message;
}

/** Returns the tool so that it gets the members which this worker's modules add to its context. */
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
