import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type CompleteRequest,
  type CompleteResult,
  type ClientCapabilities,
  type GetPromptResult,
  type InputRequiredResult,
  type ServerContext,
  type Prompt,
  type Server,
  type ServerCapabilities,
} from "@modelcontextprotocol/server";
import type { Host } from "@toolmount/core";
import { exposedChannel, type ExposedSource, type PublishedSource } from "../wire/exposed-source.ts";
import type { InternalCall } from "../wire/front.ts";
import { throughHost } from "./exposed-calls.ts";
import { serveResources, type Subscribed } from "./exposed-resources.ts";
import type { SealedState } from "./seal.ts";
import type { Era } from "./tool-list.ts";
import { isRecord } from "../wire/guards.ts";

/** The mounted servers that the plan exposes more of than tools. */
export async function findExposed(host: Host): Promise<readonly PublishedSource[]> {
  const published = await host.coordinator.collectContributions(exposedChannel);
  return published.filter(isRecord) as unknown as readonly PublishedSource[];
}

/**
 * Capabilities are those that the plan exposes, so that no server has to be started to state them. Updates of single
 * resources are passed on to clients from before 2026, which ask for each; what a newer client listens to is not known here.
 */
export function exposedCapabilities(sources: readonly PublishedSource[], era: Era): ServerCapabilities {
  const resources = having(sources, "resources").length > 0;
  const prompts = having(sources, "prompts").length > 0;
  return {
    // Without servers behind it, it has what was cut from results.
    resources: resources && era === "legacy" ? { subscribe: true } : {},
    ...(prompts && { prompts: {} }),
    ...((resources || prompts) && { completions: {} }),
  };
}

function having<Source extends Pick<ExposedSource, "exposes">>(
  sources: readonly Source[],
  what: "resources" | "prompts",
): readonly Source[] {
  return sources.filter(({ exposes }) => exposes.includes(what));
}

/** What is served beside tools, and how its requests are made for one request of the client. */
interface Exposing {
  readonly host: Host;
  readonly sources: readonly PublishedSource[];
  readonly skills: ExposedSource | undefined;
  readonly callFor: (ctx: ServerContext) => InternalCall;
  readonly passing: Passing;
}

/** Passes resources and prompts of mounted servers through. Returns the addresses that the client has subscribed to. */
export function serveExposed(server: Server, exposing: Exposing): Subscribed {
  const { host, sources, skills, callFor, passing } = exposing;
  const subscribed: Subscribed = new Map();
  const sourcesFor = (ctx: ServerContext, what?: "resources" | "prompts") =>
    (what === undefined ? sources : having(sources, what)).map((source) =>
      throughHost(host, source, callFor(ctx)),
    );
  // The skills come first: which source has an address is asked in this order.
  const withResources: SourcesFor = (ctx) => [
    ...(skills === undefined ? [] : [skills]),
    ...sourcesFor(ctx, "resources"),
  ];
  serveResources(server, host, withResources, subscribed);
  if (having(sources, "prompts").length > 0)
    servePrompts(server, (ctx) => sourcesFor(ctx, "prompts"), passing);
  if (sources.length > 0)
    server.setRequestHandler("completion/complete", ({ params }, ctx) => complete(sourcesFor(ctx), params));
  return subscribed;
}

type SourcesFor = (ctx: ServerContext) => readonly ExposedSource[];

/** A prompt by the name under which it is offered. */
interface OfferedPrompt {
  readonly prompt: Prompt;
  readonly source: ExposedSource;
  /** The name that its server gave it. */
  readonly name: string;
}

/** A name that two servers have gets the entry's id before it, for the second and every further one. */
async function offeredPrompts(
  sources: readonly ExposedSource[],
): Promise<ReadonlyMap<string, OfferedPrompt>> {
  const offered = new Map<string, OfferedPrompt>();
  const lists = await Promise.all(sources.map((source) => source.listPrompts().catch(() => [])));
  for (const [index, list] of lists.entries()) {
    const source = sources[index]!;
    for (const prompt of list) {
      const name = offered.has(prompt.name) ? `${source.name}_${prompt.name}` : prompt.name;
      if (!offered.has(name)) offered.set(name, { prompt: { ...prompt, name }, source, name: prompt.name });
    }
  }
  return offered;
}

function servePrompts(server: Server, sourcesFor: SourcesFor, passing: Passing): void {
  server.setRequestHandler("prompts/list", async (_, ctx) => ({
    prompts: [...(await offeredPrompts(sourcesFor(ctx))).values()].map(({ prompt }) => prompt),
  }));
  server.setRequestHandler("prompts/get", async ({ params }, ctx) => {
    const found = (await offeredPrompts(sourcesFor(ctx))).get(params.name);
    if (found === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `no prompt is called "${params.name.slice(0, 100)}"`,
      );
    return passPrompt(found, params.arguments, ctx, passing);
  });
}

/** How questions of a mounted server are passed to the client, and its state back. */
interface Passing {
  readonly capabilitiesOf: (ctx: ServerContext) => ClientCapabilities;
  /** Seals a server's state, so that only the server that made it gets it back. */
  readonly close: (state: string | undefined) => string;
}

/** A server may ask before it gives a prompt; its question and its state go through unchanged. */
async function passPrompt(
  { source, name }: OfferedPrompt,
  args: Readonly<Record<string, string>> | undefined,
  ctx: ServerContext,
  { capabilitiesOf, close }: Passing,
): Promise<GetPromptResult | InputRequiredResult> {
  const sealed = ctx.mcpReq.requestState<SealedState>();
  const { inputResponses } = ctx.mcpReq;
  const result = await source.getPrompt(
    { name, ...(args !== undefined && { arguments: args }) },
    {
      capabilities: capabilitiesOf(ctx),
      ...(inputResponses !== undefined && { inputResponses }),
      ...(sealed?.asked === "passed" && sealed.state !== undefined && { requestState: sealed.state }),
    },
  );
  return isInputRequiredResult(result) ? { ...result, requestState: close(result.requestState) } : result;
}

async function complete(
  sources: readonly ExposedSource[],
  params: CompleteRequest["params"],
): Promise<CompleteResult> {
  for (const source of sources) {
    const result = await source.complete(params).catch(() => undefined);
    if (result !== undefined) return result;
  }
  return { completion: { values: [] } };
}
