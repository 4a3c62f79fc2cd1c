import type {
  ClientCapabilities,
  Implementation,
  Server,
  ServerContext,
  ServerOptions,
} from "@modelcontextprotocol/server";
import type { Host, SessionCallContext, ToolOutcome } from "@toolmount/core";
import { meter, withoutUndefined } from "@toolmount/core/json";
import { z } from "zod";
import type { InternalCall } from "../wire/front.ts";
import { answerWaiting, type Waiting } from "./approvals.ts";
import type { InFront } from "./in-front.ts";
import type { ServeOptions } from "./options.ts";
import type { StateSeal } from "./seal.ts";
import type { ServedCall, ServedSession } from "./served-session.ts";
import type { Era } from "./tool-list.ts";

/** The key of `_meta` under which a client sends what its user has written in the session, oldest first. */
const promptsKey = "toolmount/prompts";

/** Bytes of a user's words that are read. */
const maxBytes = 1_048_576;

/** What one server of the protocol is made for: a connection, or one request over HTTP. */
export interface Serving {
  readonly served: ServedSession;
  readonly era: Era;
  readonly options: ServeOptions;
  readonly seal: StateSeal;
  /** On whose behalf its calls are. */
  readonly userId?: string | undefined;
  /** Whether the client's user is on this machine, and can sign in to a mounted server that wants it. */
  readonly isHere?: boolean | undefined;
  readonly signInPage?: InFront["signInPage"];
  /** It answers one request about tools, so it needs neither instructions nor what mounted servers have beside tools. */
  readonly toolsOnly?: boolean | undefined;
  readonly make?: ((info: Implementation, options: ServerOptions) => Server) | undefined;
}

/** The server that a request came to, and what its client can do. */
export type Requested = Serving & { readonly capabilities: ClientCapabilities | undefined };

/** A request, and what mounted servers may need of its client. */
export function inFrontOf(
  call: ServedCall,
  ctx: ServerContext,
  serving: Requested & Pick<InFront, "task">,
): InFront {
  const context = contextOf(ctx, serving.served.host, serving.userId);
  const internal = (own: SessionCallContext) => internalCalls(ctx, serving, own);
  return { ...serving, ctx, call, context, internalCalls: internal };
}

/** A request for a resource or a prompt, as a call. */
export function callExposed(ctx: ServerContext, serving: Serving): InternalCall {
  return internalCalls(ctx, serving, contextOf(ctx, serving.served.host, serving.userId));
}

/** Calls of internal tools. No form is shown for one: a question about it can only wait elsewhere. */
export function internalCalls(
  ctx: ServerContext,
  { served, options, seal }: Serving,
  context: SessionCallContext,
): InternalCall {
  const { approvals = {} } = options;
  return async (name, args) => {
    const call: ServedCall = { name, arguments: args, isInternal: true };
    const waiting = { served, approvals, seal, capabilities: undefined, ctx, call, context };
    const outcome = await served.call(call, context);
    const answer = await answerCall(outcome, waiting);
    return isOutcome(answer) ? answer : outcome;
  };
}

export function answerCall(outcome: ToolOutcome, waiting: Waiting) {
  return outcome.status === "pending" ? answerWaiting(outcome, waiting) : outcome;
}

export function isOutcome(answer: object): answer is ToolOutcome {
  return "runId" in answer && "status" in answer && "result" in answer;
}

function contextOf(
  { mcpReq }: ServerContext,
  host: ServedSession["host"],
  userId: string | undefined,
): SessionCallContext {
  const { _meta: meta = {} } = mcpReq;
  const { progressToken: token, traceparent } = meta;
  return {
    abortSignal: mcpReq.signal,
    ...readPrompts(meta, host, userId),
    ...(userId !== undefined && { userId }),
    ...(typeof traceparent === "string" && { traceparent }),
    ...(token !== undefined && {
      onProgress: ({ progress, total, message }) =>
        // A client that is gone needs no progress; its call is cancelled by the signal.
        void mcpReq
          .notify({
            method: "notifications/progress",
            params: { progressToken: token, progress, ...withoutUndefined({ total, message }) },
          })
          .catch(() => {}),
    }),
  };
}

/**
 * The user's words that a client sends with a call. They count only where the plan believes the clients of this user
 * (`flows.mcpUsers`): a client can write anything there.
 */
function readPrompts(
  meta: Readonly<Record<string, unknown>>,
  { coordinator }: Pick<Host, "coordinator">,
  userId: string | undefined,
): { readonly prompts?: readonly string[] } {
  const given = meta[promptsKey];
  const believes = coordinator.getCapability("flows.believesClientOf") as
    | ((userId: string | undefined) => boolean)
    | null;
  if (given === undefined || believes?.(userId) !== true || meter(given, maxBytes) !== null) return {};
  const { data: prompts } = z.array(z.string()).safeParse(given);
  return prompts === undefined ? {} : { prompts };
}
