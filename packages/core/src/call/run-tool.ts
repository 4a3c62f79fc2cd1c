import { errorMessage, isRunnerFailure, RunnerFailure } from "../contract/errors.ts";
import { failure } from "../contract/result.ts";
import type { RunnerControl, RunnerInstead } from "../contract/runner.ts";
import { infoOf, type Call } from "./call.ts";
import { ownSession } from "./call-state.ts";
import { runnerOf } from "./changes.ts";
import { isPreviewed, rehearsalOf, runPreview } from "./rehearse.ts";
import type { ToolCallContext } from "./tool-context.ts";
import { endUnavailable } from "./transitions.ts";

/** Runs a tool in this process: its undo or its preview where the call asks for that, or else the tool itself. */
export function runInstead(call: Call, context: ToolCallContext): unknown {
  const { definition } = call.tool!;
  if (call.undo !== null) return runUndo(call, async ({ undo }) => definition.undo!(undo, context));
  if (!isPreviewed(call)) return definition.execute(call.arguments!, context);
  return runPreview(call, definition.preview!(call.arguments!, context));
}

/** Gives the call to its runner. The runner gets JSON, and callbacks for what must stay in this process. */
export function runElsewhere(call: Call, context: ToolCallContext): unknown {
  const runner = runnerOf(call);
  if (runner === undefined || runner === null)
    return endUnavailable(call, `there is no runner "${call.tool!.runner}"`);
  const run = (instead?: RunnerInstead) =>
    runner.run({ ...jobOf(call), ...(instead !== undefined && { instead }) }, controlOf(call, context));
  if (call.undo !== null)
    return runUndo(call, (undo) => run(undo).catch((error) => rethrowUndo(call, error)));
  return isPreviewed(call) ? runPreview(call, run({ preview: true })) : run();
}

/** Stores that an undo begins, then runs it. Only one process can store this, and only that process may run the undo. */
async function runUndo(
  { undo }: Call,
  run: (instead: Extract<RunnerInstead, { undo: unknown }>) => Promise<unknown>,
): Promise<unknown> {
  if (await undo!.begin()) return run({ undo: undo!.request });
  return failure("another process has taken over the undo", { code: "UNDO_UNAVAILABLE" });
}

/** Reports the outcome of an undo as unknown if its process ended in the middle: it may have undone the change. */
function rethrowUndo({ tool }: Call, error: unknown): never {
  if (!isRunnerFailure(error) || error.code !== "TOOL_FAILED") throw error;
  const message = errorMessage("OUTCOME_UNKNOWN", { tool: tool!.name });
  throw new RunnerFailure("OUTCOME_UNKNOWN", message, { status: "unknown" });
}

function jobOf(call: Call) {
  const tool = call.tool!;
  const { module } = tool.module.options;
  return {
    runId: call.runId,
    tool: tool.declaredName,
    ...(module !== undefined && { module }),
    info: infoOf(call),
    rootSession: rootOf(call),
    arguments: call.arguments as never,
    timeoutMs: tool.timeoutMs,
  };
}

/** Returns the session whose files a call may share: the first session of a chain of agents, or the session of the rehearsal. */
function rootOf(call: Call): string | undefined {
  const { causes, sessionId, userId } = call.given;
  return rehearsalOf(call)?.sessionId ?? ownSession(userId, causes?.at(-1)?.sessionId ?? sessionId);
}

function controlOf(call: Call, context: ToolCallContext): RunnerControl {
  const { host, sessionKey, tool } = call;
  const { providers } = call.generation;
  const state = host.states.of(sessionKey);
  const rehearsal = rehearsalOf(call);
  const { undoable, irreversible } = context;
  return {
    signal: context.abortSignal,
    progress: (progress) => context.progress(progress),
    call: (request) => context.call(request),
    session: rehearsal === null ? state : rehearsal.stateOver(state, sessionKey),
    ...(undoable !== undefined && { undoable, irreversible }),
    ...(rehearsal !== null && { rehearsal }),
    ...(providers.size > 0 && { provided: [...providers.keys()] }),
    definition: tool!.definition,
  };
}
