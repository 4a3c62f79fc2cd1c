import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type CompleteRequest,
  type CompleteResult,
  type ClientCapabilities,
  type GetPromptResult,
  type InputRequiredResult,
  type ServerContext,
  type Prompt,
  type ReadResourceResult,
  type Server,
  type ServerCapabilities,
} from "@modelcontextprotocol/server";
import type { Host } from "@toolmount/core";
import { exposedChannel, type ExposedSource, type PublishedSource } from "../wire/exposed-source.ts";
import { RefusedRequest, throughHost, type ExposedCall } from "./exposed-calls.ts";
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
    ...(resources && { resources: era === "legacy" ? { subscribe: true } : {} }),
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
export interface Exposing {
  readonly host: Host;
  readonly sources: readonly PublishedSource[];
  readonly skills: ExposedSource | undefined;
  readonly callFor: (ctx: ServerContext) => ExposedCall;
  readonly passing: Passing;
}

/** Passes resources and prompts of mounted servers through. Returns the addresses that the client has subscribed to. */
export function serveExposed(server: Server, exposing: Exposing): ReadonlySet<string> {
  const { host, sources, skills, callFor, passing } = exposing;
  const subscribed = new Set<string>();
  const sourcesFor = (ctx: ServerContext, what?: "resources" | "prompts") =>
    (what === undefined ? sources : having(sources, what)).map((source) =>
      throughHost(host, source, callFor(ctx)),
    );
  // The skills come first: which source has an address is asked in this order.
  const withResources: SourcesFor = (ctx) => [
    ...(skills === undefined ? [] : [skills]),
    ...sourcesFor(ctx, "resources"),
  ];
  if (skills !== undefined || having(sources, "resources").length > 0)
    serveResources(server, withResources, subscribed);
  if (having(sources, "prompts").length > 0)
    servePrompts(server, (ctx) => sourcesFor(ctx, "prompts"), passing);
  if (sources.length > 0)
    server.setRequestHandler("completion/complete", ({ params }, ctx) => complete(sourcesFor(ctx), params));
  return subscribed;
}

type SourcesFor = (ctx: ServerContext) => readonly ExposedSource[];

function serveResources(server: Server, sourcesFor: SourcesFor, subscribed: Set<string>): void {
  server.setRequestHandler("resources/list", async (_, ctx) => ({
    resources: [...(await collect(sourcesFor(ctx), (source) => source.listResources()))],
  }));
  server.setRequestHandler("resources/templates/list", async (_, ctx) => ({
    resourceTemplates: [...(await collect(sourcesFor(ctx), (source) => source.listResourceTemplates()))],
  }));
  server.setRequestHandler("resources/read", ({ params }, ctx) => readResource(sourcesFor(ctx), params.uri));
  server.setRequestHandler("resources/subscribe", async ({ params }, ctx) => {
    const source = await ownerOf(sourcesFor(ctx), params.uri);
    const isNew = !subscribed.has(params.uri);
    // Before the server knows, because its first change may come together with its answer.
    subscribed.add(params.uri);
    try {
      await source?.subscribe(params.uri);
    } catch (error) {
      if (isNew) subscribed.delete(params.uri);
      throw error;
    }
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params }, ctx) => {
    const source = await ownerOf(sourcesFor(ctx), params.uri);
    subscribed.delete(params.uri);
    await source?.unsubscribe(params.uri);
    return {};
  });
}

/** Lists of all servers, in the plan's order. One that cannot be reached is left out: the others are no worse for it. */
async function collect<Item>(
  sources: readonly ExposedSource[],
  list: (source: ExposedSource) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const lists = await Promise.all(sources.map((source) => list(source).catch(() => [])));
  return lists.flat();
}

/** The server that lists an address; undefined when none does: it may still be one of a template. */
async function ownerOf(sources: readonly ExposedSource[], uri: string): Promise<ExposedSource | undefined> {
  if (sources.length === 1) return sources[0];
  for (const source of sources) {
    const listed = await source.listResources().catch(() => []);
    if (listed.some((resource) => resource.uri === uri)) return source;
  }
  return undefined;
}

/** Asks the owner of an address, or else each source. A refusal is reported where no other source has the address. */
async function readResource(sources: readonly ExposedSource[], uri: string): Promise<ReadResourceResult> {
  const owner = await ownerOf(sources, uri);
  let refusal: unknown = new ResourceNotFoundError(uri);
  for (const source of owner === undefined ? sources : [owner]) {
    try {
      const result = await source.readResource(uri);
      if (result.contents.length > 0) return result;
    } catch (error) {
      if (error instanceof RefusedRequest) refusal = error;
    }
  }
  throw refusal;
}

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

/** The event by which mounted servers say that one of their resources has changed. */
const resourceEvent = "mcp:resource_updated";

/** Passes on that a resource has changed, to a client that has subscribed to it. Returns how to stop. */
export function watchResources(host: Host, server: Server, subscribed: ReadonlySet<string>): () => void {
  return host.coordinator.hooks.observe(resourceEvent, (_, { uri }) => {
    if (typeof uri === "string" && subscribed.has(uri))
      void server.sendResourceUpdated({ uri }).catch(() => {}); // it has left
  });
}
