import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type ListToolsRequest,
  type ListToolsResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ToolOutcome } from "@toolmount/core";
import { isAvailable } from "@toolmount/core/internal";
import { hostsOf, writeChain } from "../wire/chain.ts";
import { isRecord } from "@toolmount/core/json";
import { lockChannel } from "../wire/kept-definitions.ts";
import { publishedOn, waitForStarting } from "../wire/published.ts";
import { traceConnections } from "../wire/trace.ts";
import { passUnknownMembers } from "../wire/unknown-members.ts";
import { answerRetry, asProtocolError, type Waiting } from "./approvals.ts";
import { watchResources } from "./exposed-resources.ts";
import { exposedCapabilities, serveExposed } from "./exposed.ts";
import { render } from "./render.ts";
import { runInFront, type Answer } from "./in-front.ts";
import type { SealedState, WaitingState } from "./seal.ts";
import { findSkills, skillsExtension } from "./skills.ts";
import {
  answerCall,
  callExposed,
  inFrontOf,
  internalCalls,
  type Requested,
  type Serving,
} from "./requests.ts";
import { serveTasks, taskCapabilities, taskFor } from "./tasks.ts";
import { requestDigest, type ServedCall, type ServedSession } from "./served-session.ts";
import { loadExtras, ownName, pageOf, toMcpTool } from "./tool-list.ts";

const defaultPageSize = 1_000;
/** Milliseconds for which a client may keep the list of a locked plan, because only a reload can change it. */
const lockedListMs = 60_000;

/** Makes a server of the official SDK for one session. It lists and calls tools; the host validates, decides and runs. */
export async function createServer(serving: Serving): Promise<Server> {
  const { options, served } = serving;
  const { name = "toolmount", version = await versionOf(served) } = options;
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
  const isBrief = serving.era === "modern" && serving.isHere !== true;
  passUnknownMembers(server);
  traceConnections(server, { hostId, role: "server", transport, isBrief });
  const requested = (ctx: ServerContext) => ({ ...serving, capabilities: capabilitiesOf(server, ctx) });
  server.setRequestHandler("tools/list", (request) => listTools(request, serving));
  server.setRequestHandler("tools/call", (request, ctx) => callTool(request, ctx, requested(ctx)));
  if (serving.toolsOnly === true) return server;
  const subscribed = serveExposed(server, {
    host: served.host,
    userId: serving.userId,
    sources,
    skills: skills?.source,
    callFor: (ctx) => callExposed(ctx, serving),
    asking: (ctx, request, work) =>
      runInFront(inFrontOf(request, ctx, requested(ctx)), serving.era, (own) =>
        work(internalCalls(ctx, serving, own)),
      ),
  });
  skills?.attach(server, serving.era);
  serveTasks(server, serving, requested);
  // Only clients from before 2026 subscribe here; a server that is made for one request of a newer client watches nothing.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a server of the SDK has no addEventListener
  if (exposed.resources?.subscribe === true) server.onclose = watchResources(served.host, server, subscribed);
  return server;
}

/** Returns a version that changes with the offered tools, so that a client can notice the change. */
async function versionOf(served: ServedSession): Promise<string> {
  // If the tools cannot be listed, the request that lists them reports why; other requests are served.
  const surface = await served.surface().catch(() => "unknown");
  return surface.slice(0, 12);
}

const bare = { instructions: null, sources: [], skills: undefined };

/** Returns what a client gets when it connects, in addition to the tools. */
async function describe({ served, userId, options: { instructions } }: Serving) {
  const [texts, sources, skills] = await Promise.all([
    instructions === undefined ? instructionsOf(served) : instructions,
    publishedOn(served.host, "mcp.exposed"),
    findSkills(served, userId === undefined ? {} : { userId }),
  ]);
  return { instructions: texts, sources, skills };
}

/**
 * Returns the instructions of mounted servers, each below a heading, and the guidance of the tools. Instructions that differ
 * from the lock file are left out.
 */
async function instructionsOf(served: ServedSession): Promise<string> {
  const { host } = served;
  const [offered, guidance] = await Promise.all([publishedOn(host, "mcp.instructions"), served.guidance()]);
  const ofServers = offered
    .filter(({ tool }) => isAvailable(host, tool))
    .map(({ server, text }) => `# The MCP server "${server}"\n\n${text}`);
  return [...ofServers, guidance].filter((text) => text !== "").join("\n\n");
}

/** Opens a state. The state of another session is refused like a forged one. */
async function openState(text: string, { seal, served }: Serving): Promise<SealedState> {
  const state = await seal.open(text);
  if (state.sessionId !== served.id) throw new Error("the state belongs to another session");
  return state;
}

/** Returns the client's capabilities. A client of 2026 states them with each request, an older one when it connects. */
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
  const isLocked = served.host.coordinator.getCapability(lockChannel) !== null;
  return {
    ...page,
    ...(hosts.length > 0 && { _meta: writeChain(hosts) }),
    ...(era === "modern" && isLocked && { ttlMs: lockedListMs }),
  };
}

async function callTool(
  { params }: CallToolRequest,
  ctx: ServerContext,
  serving: Requested,
): Promise<CallToolResult | InputRequiredResult> {
  const { served, era } = serving;
  if (served.host.coordinator.get("tools", params.name) === null) await waitForStarting(served.host);
  const call: ServedCall = { name: ownName(params.name, served.host), arguments: params.arguments ?? {} };
  const state = ctx.mcpReq.requestState<SealedState>();
  const task = taskFor(params, call, serving);
  // The request of a task that was wanted from the beginning is answered already, so no form can reach the user.
  const capabilities = task?.isWanted === true ? undefined : serving.capabilities;
  return render(
    await runInFront(inFrontOf(call, ctx, { ...serving, task }), era, async (context): Promise<Answer> => {
      const waiting = { ...serving, capabilities, ctx, call, context };
      if (state === undefined || state.asked === "input")
        return answerCall(await served.call(call, context), waiting);
      return retry(state, waiting);
    }),
    serving,
  );
}

/** Continues a call. The retry must be of the request for which the client was asked. */
async function retry(state: WaitingState, waiting: Waiting): Promise<ToolOutcome> {
  if (state.request !== requestDigest(waiting.call))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "the requestState belongs to another call");
  return answerRetry(state, waiting).catch(asProtocolError(ProtocolErrorCode.InvalidParams));
}
