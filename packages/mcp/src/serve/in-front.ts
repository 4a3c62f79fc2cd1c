import {
  inputRequired,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequiredResult,
  type LoggingLevel,
} from "@modelcontextprotocol/server";
import type { SessionCallContext, ToolOutcome } from "@toolmount/core";
import {
  askEarlier,
  currentFront,
  Questions,
  type Front,
  type FrontClient,
  type InternalCall,
} from "../wire/front.ts";
import type { Waiting } from "./approvals.ts";
import type { SealedState } from "./seal.ts";
import { requestDigest } from "./served-session.ts";
import { SuspendableCall } from "../tasks/suspended.ts";
import type { Era } from "./tool-list.ts";

/** Answer to the call of a tool: its outcome, or a question that its client has to answer first. */
export type Answer = InputRequiredResult | ToolOutcome;

/** How a call becomes a task. */
export interface AsTask {
  /** Whether the client asked for a task. In 2026 the server decides, and only a call that takes long becomes a task. */
  readonly isWanted: boolean;
  /** Keeps the call as a task, and returns the answer that names the task. */
  create(call: SuspendableCall): Promise<object>;
}

/** A request, with what mounted servers may need to ask its client. */
export interface InFront extends Waiting {
  readonly isHere?: boolean | undefined;
  readonly signInPage?: FrontClient["signInPage"];
  /** How the request can become a task; undefined if it cannot. */
  readonly task?: AsTask | undefined;
  readonly internalCalls: (context: SessionCallContext) => InternalCall;
}

/**
 * Runs `work` for a request, so that mounted servers can ask its client meanwhile. A client from before 2026 is asked by
 * requests of the protocol. A client of 2026 gets the answer `input_required`, and its next request continues the same work.
 */
export async function runInFront<Result extends object>(
  waiting: InFront,
  era: Era,
  work: (context: SessionCallContext) => Promise<Result>,
): Promise<Result | InputRequiredResult> {
  const { ctx, context, task } = waiting;
  const state = ctx.mcpReq.requestState<SealedState>();
  if (era === "legacy" && task === undefined) {
    const front = createPushFront(waiting);
    return front.questions.after(currentFront.run(front, () => work(context)));
  }
  let call: SuspendableCall<Result>;
  if (state?.asked === "input") {
    const found = waiting.served.suspended(state.call);
    if (found === undefined || state.request !== requestDigest(waiting.call))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "the requestState belongs to a call that has ended, or to another call",
      );
    call = found as SuspendableCall<Result>;
    call.from = clientOf(waiting);
    call.answer(ctx.mcpReq.inputResponses ?? {});
  } else {
    const given = ctx.mcpReq.inputResponses;
    call = beginCall(waiting, { given, isFollowed: task !== undefined }, work);
  }
  if (task?.isWanted === true) void call.becomeTask?.();
  const step = await call.step(ctx.mcpReq.signal);
  if ("outcome" in step) return step.outcome;
  if ("isTask" in step) return (await task?.create(call)) as Result;
  waiting.served.suspend(call);
  return inputRequired({
    inputRequests: step.asked.requests as never,
    requestState: await waiting.seal.close({
      asked: "input",
      call: step.asked.id,
      sessionId: waiting.served.id,
      request: requestDigest(waiting.call),
    }),
  });
}

/** Begins a call that continues while its client answers questions in other requests. */
export function beginCall<Result extends object>(
  waiting: InFront,
  options: ConstructorParameters<typeof SuspendableCall>[2],
  work: (context: SessionCallContext) => Promise<Result>,
): SuspendableCall<Result> {
  const { context, internalCalls } = waiting;
  const internal = (abortSignal: AbortSignal) => internalCalls({ ...context, abortSignal });
  return new SuspendableCall<Result>(clientOf(waiting), internal, options, (call) =>
    currentFront.run(call, () => work(contextOf(call, context))),
  );
}

/** Describes the client of a request. A client of 2026 states the level of its log messages with each request. */
function clientOf({ served, ctx: { mcpReq }, capabilities = {}, isHere, signInPage }: InFront): FrontClient {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  const logLevel = envelope[LOG_LEVEL_META_KEY] as LoggingLevel | undefined;
  const log: FrontClient["log"] = (level, data, logger) =>
    void mcpReq.log(level, data, logger).catch(() => {}); // the client has left
  return { client: served, capabilities, logLevel, isHere, signInPage, log };
}

/**
 * Returns the context of a call that can become a task. Its progress is also the task's message, and the ticket of a question
 * is stored with the task before an approver is asked.
 */
function contextOf(call: SuspendableCall, context: SessionCallContext): SessionCallContext {
  return {
    ...context,
    abortSignal: call.signal,
    ...(call.becomeTask !== undefined && { onQuestion: (ticket: string) => call.keepTicket(ticket) }),
    onProgress: (progress) => {
      call.note(progress.message);
      context.onProgress?.(progress);
    },
  };
}

/**
 * Describes a client from before 2026. It is asked by requests while its call runs. It filters log messages by itself, so it
 * gets those of all levels.
 */
function createPushFront(waiting: InFront): Front {
  const { mcpReq } = waiting.ctx;
  return {
    from: { ...clientOf(waiting), logLevel: "debug" },
    callInternal: waiting.internalCalls(waiting.context),
    questions: new Questions(),
    ask: (requests, signal) => askEarlier(waiting.ctx, requests, { signal }),
    completed(elicitationId) {
      const method = "notifications/elicitation/complete";
      void mcpReq.notify({ method, params: { elicitationId } }).catch(() => {}); // the client has left
    },
  };
}
