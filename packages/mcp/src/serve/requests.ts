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
import { isOutcome } from "./render.ts";
import type { StateSeal } from "./seal.ts";
import type { ServedCall, ServedSession } from "./served-session.ts";
import type { Era } from "./tool-list.ts";

/** Key of `_meta` under which a client sends what its user has written in the session, oldest first. */
const promptsKey = "toolmount/prompts";

/** Maximum number of bytes of a user's words; more are ignored. */
const maxBytes = 1_048_576;

/** What one server object of the protocol serves: a connection, or one request over HTTP. */
export interface Serving {
  readonly served: ServedSession;
  readonly era: Era;
  readonly options: ServeOptions;
  readonly seal: StateSeal;
  /** The user on whose behalf its calls are made. */
  readonly userId?: string | undefined;
  /** Whether the client's user is on this machine, and so can sign in to mounted servers by a local address. */
  readonly isHere?: boolean | undefined;
  readonly signInPage?: InFront["signInPage"];
  /**
   * Whether this server object answers only one request about tools, which needs neither instructions nor resources and
   * prompts.
   */
  readonly toolsOnly?: boolean | undefined;
  readonly make?: ((info: Implementation, options: ServerOptions) => Server) | undefined;
}

/** The server that a request came to, and what its client can do. */
export type Requested = Serving & { readonly capabilities: ClientCapabilities | undefined };

/** Collects what a request needs so that mounted servers can ask its client. */
export function inFrontOf(
  call: ServedCall,
  ctx: ServerContext,
  serving: Requested & Pick<InFront, "task">,
): InFront {
  const context = contextOf(ctx, serving.served.host, serving.userId);
  const internal = (own: SessionCallContext) => internalCalls(ctx, serving, own);
  return { ...serving, ctx, call, context, internalCalls: internal };
}

/** Returns the function by which a request for a resource or a prompt calls an internal tool. */
export function callExposed(ctx: ServerContext, serving: Serving): InternalCall {
  return internalCalls(ctx, serving, contextOf(ctx, serving.served.host, serving.userId));
}

/**
 * Returns a function that calls an internal tool. The client shows no form for such a call; a question about it waits
 * elsewhere.
 */
export function internalCalls(
  ctx: ServerContext,
  { served, options, seal }: Serving,
  context: SessionCallContext,
): InternalCall {
  return async (name, args) => {
    const call: ServedCall = { name, arguments: args, isInternal: true };
    const waiting = { served, options, seal, capabilities: undefined, ctx, call, context };
    const outcome = await served.call(call, context);
    const answer = await answerCall(outcome, waiting);
    return isOutcome(answer) ? answer : outcome;
  };
}

export function answerCall(outcome: ToolOutcome, waiting: Waiting) {
  return outcome.status === "pending" ? answerWaiting(outcome, waiting) : outcome;
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
        // A client that has left needs no progress, and the signal cancels its call.
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
 * Reads the user's words that a client sends with a call. They count only if the plan trusts the clients of this user
 * (`flows.mcpUsers`), because a client can write anything there.
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
