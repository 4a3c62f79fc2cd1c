import { failure, type JsonObject, type PartialResult, type ToolContext } from "@toolmount/core";
import { isPathError } from "@toolmount/paths";
import { Refusal } from "./refusal.ts";

/** Does the work of a search under a signal with a deadline. Returns a failure if path, engine or deadline refuse it. */
export async function answering<Data>(
  { context, seconds, title }: { context: ToolContext; seconds: number; title: string },
  work: (signal: AbortSignal) => Promise<PartialResult<Data>>,
): Promise<PartialResult<Data>> {
  const deadline = AbortSignal.timeout(Math.ceil(seconds * 1000));
  try {
    return await work(AbortSignal.any([context.abortSignal, deadline]));
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.toAnswer();
    if (isPathError(thrown))
      return failure(thrown.message, { code: thrown.code, details: thrown.details as unknown as JsonObject });
    if (context.abortSignal.aborted) return failure("Request was cancelled");
    if (deadline.aborted) return timedOut(seconds);
    context.logger.error({ err: thrown, tool: context.tool }, "the search engine did not run");
    return failure(`${title}: the search engine did not run`, { code: "SEARCH_FAILED" });
  }
}

function timedOut(seconds: number): PartialResult<never> {
  return failure("Search timed out. Try narrowing your search or using more specific patterns.", {
    code: "SEARCH_TIMED_OUT",
    details: { seconds },
  });
}
