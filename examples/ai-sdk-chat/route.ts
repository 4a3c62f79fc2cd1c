import { convertToModelMessages, isStepCount, streamText, type UIMessage } from "ai";
import { toAiSdkTools } from "@toolmount/interop";
import { openHost } from "@toolmount/loader";
import { model } from "./model.ts";

/** One host for all requests: it holds the tools, the policy and the limits. */
export const host = await openHost("mount-plan.yaml");

/** Answers one request of `useChat`. */
export async function POST(request: Request): Promise<Response> {
  const { id, messages } = (await request.json()) as { id: string; messages: UIMessage[] };
  // Your own login says who this is. The policy, budgets and the audit use it.
  const userId = request.headers.get("x-user") ?? "anonymous";
  const result = streamText({
    model,
    system: (await host.offer()).guidance,
    messages: await convertToModelMessages(messages),
    tools: toAiSdkTools(host, host.tools(), { sessionId: id, userId }),
    stopWhen: isStepCount(8),
    abortSignal: request.signal,
  });
  return result.toUIMessageStreamResponse({
    onError: (error) => (error instanceof Error ? error.message : "failed"),
  });
}
