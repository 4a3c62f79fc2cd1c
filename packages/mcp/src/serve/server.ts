import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  type Implementation,
  type InputRequiredResult,
  type ListToolsRequest,
  type ListToolsResult,
  type ServerContext,
  type ServerOptions,
} from "@modelcontextprotocol/server";
import { isToolmountError, type SessionCallContext, type ToolOutcome } from "@toolmount/core";
import { hostsOf, writeChain } from "../wire/chain.ts";
import { isRecord } from "../wire/guards.ts";
import type { InternalCall } from "../wire/front.ts";
import { collectInstructions } from "../wire/instructions.ts";
import { waitForStarting } from "../wire/starting.ts";
import { traceConnections } from "../wire/trace.ts";
import { answerRetry, answerWaiting, type Waiting } from "./approvals.ts";
import { watchResources } from "./exposed-resources.ts";
import { exposedCapabilities, findExposed, serveExposed } from "./exposed.ts";
import type { ServeOptions } from "./options.ts";
import { render } from "./render.ts";
import { runInFront, type Answer, type InFront } from "./in-front.ts";
import type { SealedState, StateSeal, WaitingState } from "./seal.ts";
import { readPrompts } from "./prompts.ts";
import { findSkills, skillsExtension } from "./skills.ts";
import { serveTasks, taskCapabilities, taskFor } from "./tasks.ts";
import { requestDigest, type ServedCall, type ServedSession } from "./served-session.ts";
import { loadExtras, ownName, pageOf, toMcpTool, type Era } from "./tool-list.ts";

const defaultPageSize = 1_000;

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
  /** Makes the server of the SDK. */
  readonly make?: ((info: Implementation, options: ServerOptions) => Server) | undefined;
}

/** Makes a server of the official SDK over one session. It lists and calls; the host validates, decides and runs. */
export async function createServer(serving: Serving): Promise<Server> {
  const { options, served } = serving;
  const { name = "toolmount", version = "0.0.0" } = options;
  const { instructions, sources, skills } = serving.toolsOnly === true ? bare : await describe(serving);
  const exposed = exposedCapabilities(sources, serving.era);
  const { make = (info, given) => new Server(info, given) } = serving;
  const server = make(
    { name, version },
    {
      capabilities: {
        tools: { listChanged: true },
        logging: {},
        ...exposed,
        ...taskCapabilities(serving.era, skills === undefined ? [] : [skillsExtension]),
      },
      requestState: { verify: (state) => openState(state, serving) },
      ...(instructions !== null && instructions !== "" && { instructions }),
    },
  );
  const transport = serving.isHere === true ? "pipe" : "tcp";
  const hostId = served.host.coordinator.getCapability("host.id") ?? "";
  traceConnections(server, { hostId, role: "server", transport });
  const requested = (ctx: ServerContext) => ({ ...serving, capabilities: capabilitiesOf(server, ctx) });
  server.setRequestHandler("tools/list", (request) => listTools(request, serving));
  server.setRequestHandler("tools/call", (request, ctx) => callTool(request, ctx, requested(ctx)));
  if (serving.toolsOnly === true) return server;
  const subscribed = serveExposed(server, {
    host: served.host,
    sources,
    skills: skills?.source,
    callFor: (ctx) => callExposed(ctx, serving),
    asking: (ctx, request, work) =>
      requestInFront(request, ctx, requested(ctx), (own) => work(internalCalls(ctx, serving, own))),
  });
  skills?.attach(server, serving.era);
  serveTasks(server, served, serving.era, (ctx) => capabilitiesOf(server, ctx));
  // Only clients from before 2026 subscribe here; a server for one request of a newer one watches nothing.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a server of the SDK has no addEventListener
  if (exposed.resources?.subscribe === true) server.onclose = watchResources(served.host, server, subscribed);
  return server;
}

const bare = { instructions: null, sources: [], skills: undefined };

/** Returns what a client gets when it connects, beside the tools. */
async function describe({ served, userId, options: { instructions } }: Serving) {
  const [texts, sources, skills] = await Promise.all([
    instructions === undefined ? instructionsOf(served) : instructions,
    findExposed(served.host),
    findSkills(served, userId === undefined ? {} : { userId }),
  ]);
  return { instructions: texts, sources, skills };
}

/** Returns what mounted servers say of themselves, and the guidance of the tools. */
async function instructionsOf(served: ServedSession): Promise<string> {
  const [ofServers, guidance] = await Promise.all([collectInstructions(served.host), served.guidance()]);
  return [...ofServers, guidance].filter((text) => text !== "").join("\n\n");
}

/** Of another session than this one, a state is as good as forged. */
function openState(text: string, { seal, served }: Serving): SealedState {
  const state = seal.open(text);
  if (state.sessionId !== served.id) throw new Error("the state belongs to another session");
  return state;
}

/** A 2026 client states its capabilities with each request, an older one when it connects. */
function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  const stated = envelope[CLIENT_CAPABILITIES_META_KEY];
  return isRecord(stated) ? stated : server.getClientCapabilities();
}

async function listTools({ params }: ListToolsRequest, serving: Serving): Promise<ListToolsResult> {
  const { served, era, options } = serving;
  await waitForStarting(served.host);
  const [tools, extras] = await Promise.all([served.tools(), loadExtras(served.host)]);
  const rendered = tools.map((info) => toMcpTool(info, era, extras));
  const page = pageOf(rendered, params?.cursor, options.pageSize ?? defaultPageSize);
  const hosts = await hostsOf(served.host);
  return hosts.length === 0 ? page : { ...page, _meta: writeChain(hosts) };
}

/** The server that a request came to, and what its client can do. */
type Requested = Serving & { readonly capabilities: ClientCapabilities | undefined };

async function callTool(
  { params }: CallToolRequest,
  ctx: ServerContext,
  serving: Requested,
): Promise<CallToolResult | InputRequiredResult> {
  const { served, options, era } = serving;
  if (served.host.coordinator.get("tools", params.name) === null) await waitForStarting(served.host);
  const call: ServedCall = { name: ownName(params.name, served.host), arguments: params.arguments ?? {} };
  const state = ctx.mcpReq.requestState<SealedState>();
  const finish = (answer: object) =>
    isOutcome(answer) ? render(answer, serving) : (answer as CallToolResult);
  const task = taskFor(params, serving.capabilities, served, era, finish);
  // No form reaches the user of a task that is wanted from the beginning: its request is answered already.
  const capabilities = task?.isWanted === true ? undefined : serving.capabilities;
  return finish(
    await requestInFront(call, ctx, { ...serving, task }, async (context): Promise<Answer> => {
      const waiting = { ...serving, capabilities, approvals: options.approvals ?? {}, ctx, call, context };
      if (state === undefined || state.asked === "input")
        return answerCall(await served.call(call, context), waiting);
      return retry(state, waiting);
    }),
  );
}

/** Works on a request, during which a mounted server may ask the client. */
function requestInFront<Result extends object>(
  call: ServedCall,
  ctx: ServerContext,
  serving: Requested & Pick<InFront, "task">,
  work: (context: SessionCallContext) => Promise<Result>,
): Promise<Result | InputRequiredResult> {
  const context = contextOf(ctx, serving.served.host, serving.userId);
  const internal = (own: SessionCallContext) => internalCalls(ctx, serving, own);
  return runInFront({ ...serving, ctx, call, context, internalCalls: internal }, serving.era, work);
}

/** A request for a resource or a prompt, as a call. */
function callExposed(ctx: ServerContext, serving: Serving): InternalCall {
  return internalCalls(ctx, serving, contextOf(ctx, serving.served.host, serving.userId));
}

/** Calls of internal tools. No form is shown for one: a question about it can only wait elsewhere. */
function internalCalls(
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

function answerCall(outcome: ToolOutcome, waiting: Waiting) {
  return outcome.status === "pending" ? answerWaiting(outcome, waiting) : outcome;
}

/** A retry is of the request that was asked about, or of none. */
async function retry(state: WaitingState, waiting: Waiting): Promise<ToolOutcome> {
  if (state.request !== requestDigest(waiting.call))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "the requestState belongs to another call");
  try {
    return await answerRetry(state, waiting);
  } catch (error) {
    if (!isToolmountError(error)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: error.code });
  }
}

function isOutcome(answer: object): answer is ToolOutcome {
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
            params: {
              progressToken: token,
              progress,
              ...(total !== undefined && { total }),
              ...(message !== undefined && { message }),
            },
          })
          .catch(() => {}),
    }),
  };
}
