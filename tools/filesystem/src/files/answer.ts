import { failure, type JsonObject, type PartialResult, type ToolContext } from "@toolmount/core";
import { isPathError, type PathError, type PathErrorCode } from "@toolmount/paths";
import { resolvePath } from "./mention.ts";
import { Refusal } from "./refusal.ts";
import type { Workspace } from "./workspace.ts";

/** How a tool words what the disk refused, by code; else the path's own sentence. */
export type Wording = Partial<Record<PathErrorCode, (error: PathError, path: string) => string>>;

/** Does the work of a tool on a path and answers with a failure when path, disk or tool refuse. */
export async function answering<Data>(
  workspace: Workspace,
  { path, wording = {}, context }: { path: string; wording?: Wording; context: ToolContext },
  work: (path: string) => Promise<PartialResult<Data>>,
): Promise<PartialResult<Data>> {
  try {
    return await work(await resolvePath(workspace, path));
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.toAnswer();
    if (isPathError(thrown)) return pathFailure(thrown, wording);
    if (context.abortSignal.aborted) return failure("Request was cancelled");
    throw thrown;
  }
}

function pathFailure(error: PathError, wording: Wording): PartialResult<never> {
  const message = wording[error.code]?.(error, error.details.path) ?? error.message;
  return failure(message, { code: error.code, details: error.details as unknown as JsonObject });
}

/** Returns what an event says about its call. */
export function callFacts({ tool, callId, runId, sessionId, conversationId }: ToolContext) {
  return {
    tool_name: tool,
    tool_call_id: callId,
    run_id: runId,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
  };
}
