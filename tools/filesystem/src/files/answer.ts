import { failure, type JsonObject, type PartialResult, type ToolContext } from "@toolmount/core";
import { isPathError, type PathError, type PathErrorCode } from "@toolmount/paths";
import { resolvePath } from "./mention.ts";
import { Refusal } from "./refusal.ts";
import type { Workspace } from "./workspace.ts";

/** A tool's own messages for errors of paths and of the disk, by code. Without one, the error's own message is used. */
export type Wording = Partial<Record<PathErrorCode, (error: PathError, path: string) => string>>;

/** Does the work of a tool on a path. Returns a failure if the path's rules, the disk or the tool refuse it. */
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

/** Returns the facts about a call that are part of its events. */
export function callFacts({ tool, callId, runId, sessionId, conversationId }: ToolContext) {
  return {
    tool_name: tool,
    tool_call_id: callId,
    run_id: runId,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
  };
}
