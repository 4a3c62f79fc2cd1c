import {
  inputRequired,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequiredResult,
  type LoggingLevel,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { SessionCallContext, ToolOutcome } from "@toolmount/core";
import { currentFront, type Front, type InternalCall } from "../wire/front.ts";
import type { Waiting } from "./approvals.ts";
import type { SealedState } from "./seal.ts";
import { requestDigest } from "./served-session.ts";
import type { AsTask } from "./tasks.ts";
import { SuspendableCall } from "../tasks/suspended.ts";
import type { Era } from "./tool-list.ts";

/** What the call of a tool gets: its outcome, or a question that its client has to answer first. */
export type Answer = InputRequiredResult | ToolOutcome;

/** A request, and what mounted servers may need of its client. */
export interface InFront extends Omit<Waiting, "approvals"> {
  readonly isHere?: boolean | undefined;
  readonly signInPage?: Front["signInPage"];
  /** How the request can become a task; undefined where it cannot. */
  readonly task?: AsTask | undefined;
  /** Makes calls of internal tools for the same client. */
  readonly internalCalls: (context: SessionCallContext) => InternalCall;
}

/**
 * Works on a request so that mounted servers can ask its client: an older client by requests of the protocol, a client of
 * 2026 by an answer `input_required`, after which its next request continues the same work.
 */
export async function runInFront<Result extends object>(
  waiting: InFront,
  era: Era,
  work: (context: SessionCallContext) => Promise<Result>,
): Promise<Result | InputRequiredResult> {
  const { ctx, capabilities = {}, context, isHere, signInPage, internalCalls, task } = waiting;
  const client = waiting.served;
  const state = ctx.mcpReq.requestState<SealedState>();
  if (era === "legacy" && task === undefined) {
    const callInternal = internalCalls(context);
    const front = createPushFront(ctx, { client, capabilities, isHere, signInPage, callInternal });
    return currentFront.run(front, () => work(context));
  }
  const attached = {
    client,
    capabilities,
    logLevel: logLevelOf(ctx),
    isHere,
    signInPage,
    log: logTo(ctx),
  };
  const call =
    state?.asked === "input"
      ? find<Result>(waiting, state)
      : new SuspendableCall<Result>(attached, (abortSignal) => internalCalls({ ...context, abortSignal }), {
          given: ctx.mcpReq.inputResponses,
          isFollowed: task !== undefined,
        });
  if (state?.asked === "input") call.attach(attached, ctx.mcpReq.inputResponses ?? {});
  else call.start(() => currentFront.run(call, () => work(contextOf(call, context))));
  if (task?.isWanted === true) call.becomeTask?.();
  const step = await call.step(ctx.mcpReq.signal);
  if ("outcome" in step) return step.outcome;
  if ("isTask" in step) return task?.create(call) as Result;
  waiting.served.suspend(call);
  return inputRequired({
    inputRequests: step.asked.requests as never,
    requestState: waiting.seal.close({
      asked: "input",
      call: step.asked.id,
      sessionId: waiting.served.id,
      request: requestDigest(waiting.call),
    }),
  });
}

/** A client that follows the call reads its progress from the state of the task. */
function contextOf(call: SuspendableCall, context: SessionCallContext): SessionCallContext {
  return {
    ...context,
    abortSignal: call.signal,
    onProgress: (progress) => {
      call.note(progress.message);
      context.onProgress?.(progress);
    },
  };
}

function find<Result extends object>(
  { served, call }: Pick<InFront, "served" | "call">,
  state: Extract<SealedState, { readonly asked: "input" }>,
): SuspendableCall<Result> {
  const found = served.suspended(state.call);
  if (found === undefined || state.request !== requestDigest(call))
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      "the requestState belongs to a call that has ended, or to another call",
    );
  return found as SuspendableCall<Result>;
}

/** A 2026 client states the level with each request. */
function logLevelOf({ mcpReq }: ServerContext): LoggingLevel | undefined {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  return envelope[LOG_LEVEL_META_KEY] as LoggingLevel | undefined;
}

function logTo({ mcpReq }: ServerContext): Front["log"] {
  return (level, data, logger) => void mcpReq.log(level, data, logger).catch(() => {}); // it has left
}

/** A client from before 2026: it is asked by requests while its call runs, and it filters log messages by its level. */
function createPushFront(
  { mcpReq }: ServerContext,
  own: Pick<Front, "client" | "capabilities" | "isHere" | "signInPage" | "callInternal">,
): Front {
  return {
    ...own,
    logLevel: "debug",
    async ask(requests) {
      const answers = Object.entries(requests).map(async ([key, { method, params }]) => {
        const request = { method: method as "elicitation/create", params: { ...params } };
        return [key, await mcpReq.send(request)] as const;
      });
      return Object.fromEntries(await Promise.all(answers));
    },
    log: (level, data, logger) => void mcpReq.log(level, data, logger).catch(() => {}), // it has left
  };
}
