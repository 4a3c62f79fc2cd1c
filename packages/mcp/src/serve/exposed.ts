import {
  ProtocolError,
  ProtocolErrorCode,
  type CompleteRequest,
  type CompleteResult,
  type GetPromptRequest,
  type GetPromptResult,
  type Server,
  type ServerCapabilities,
} from "@modelcontextprotocol/server";
import type { Host } from "@toolmount/core";
import type { ExposedSource, PublishedSource, ResourceSource } from "../wire/exposed-source.ts";
import type { InternalCall } from "../wire/front.ts";
import { throughHost, type ExposedRequests } from "./exposed-calls.ts";
import { listsOf, offeredBy, serveResources, type Subscribed } from "./exposed-resources.ts";
import type { OutputReader } from "./outputs.ts";
import type { Era } from "./tool-list.ts";

/**
 * Returns the capabilities that the plan exposes, so no server has to start to state its own. Only clients from before 2026 can
 * subscribe to single resources here, because it is not known to which ones newer clients listen.
 */
export function exposedCapabilities(sources: readonly PublishedSource[], era: Era): ServerCapabilities {
  const resources = having(sources, "resources").length > 0;
  const prompts = having(sources, "prompts").length > 0;
  return {
    // Even without servers, the resources include what was cut from results.
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

/** The sources that are served besides tools, and how requests to them are made. */
interface Exposing extends Omit<ExposedRequests<never>, "sourcesFor">, OutputReader {
  readonly host: Host;
  readonly sources: readonly PublishedSource[];
  readonly skills: ResourceSource | undefined;
}

/** Passes requests for resources and prompts to mounted servers. Returns the addresses to which the client has subscribed. */
export function serveExposed(server: Server, exposing: Exposing): Subscribed {
  const { host, userId, sources, skills, callFor, asking } = exposing;
  const subscribed: Subscribed = new Map();
  const sourcesFor = (call: InternalCall, what?: "resources" | "prompts") =>
    (what === undefined ? sources : having(sources, what)).map((source) => throughHost(host, source, call));
  // The skills come first, because the sources are asked for an address in this order.
  const withResources: ExposedRequests<ResourceSource>["sourcesFor"] = (call) => [
    ...(skills === undefined ? [] : [skills]),
    ...sourcesFor(call, "resources"),
  ];
  serveResources(server, { host, userId }, { sourcesFor: withResources, callFor, asking }, subscribed);
  if (having(sources, "prompts").length > 0)
    servePrompts(server, { sourcesFor: (call) => sourcesFor(call, "prompts"), callFor, asking });
  if (sources.length > 0)
    server.setRequestHandler("completion/complete", ({ params }, ctx) =>
      complete(sourcesFor(callFor(ctx)), params),
    );
  return subscribed;
}

/** Returns the prompts of all servers. If two servers use the same name, every further one gets the entry's id before it. */
function offeredPrompts(sources: readonly ExposedSource[]) {
  return offeredBy(
    sources,
    (source) => source.listPrompts(),
    ({ name }) => name,
    (server, name) => `${server}_${name}`,
  );
}

function servePrompts(server: Server, { sourcesFor, callFor, asking }: ExposedRequests<ExposedSource>): void {
  server.setRequestHandler("prompts/list", async (_, ctx) => ({
    prompts: [...(await offeredPrompts(sourcesFor(callFor(ctx))))].map(([name, { item }]) => ({
      ...item,
      name,
    })),
  }));
  server.setRequestHandler("prompts/get", ({ method, params }, ctx) => {
    const { name, arguments: args } = params;
    const request = { name: method, arguments: { name, arguments: args } };
    return asking(ctx, request, (call) => getPrompt(sourcesFor(call), params));
  });
}

async function getPrompt(
  sources: readonly ExposedSource[],
  { name, arguments: args }: GetPromptRequest["params"],
): Promise<GetPromptResult> {
  const found = (await offeredPrompts(sources)).get(name);
  if (found === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no prompt is called "${name.slice(0, 100)}"`);
  return found.source.getPrompt({ name: found.item.name, ...(args !== undefined && { arguments: args }) });
}

async function complete(
  sources: readonly ExposedSource[],
  params: CompleteRequest["params"],
): Promise<CompleteResult> {
  for (const { source, ref } of await completers(sources, params.ref)) {
    const result = await source.complete({ ...params, ref }).catch(() => undefined);
    if (result !== undefined) return result;
  }
  return { completion: { values: [] } };
}

type Reference = CompleteRequest["params"]["ref"];

/** Returns the servers that may complete a text, with their own names for it. No other server gets what a user types. */
async function completers(
  sources: readonly ExposedSource[],
  ref: Reference,
): Promise<readonly { readonly source: ExposedSource; readonly ref: Reference }[]> {
  if (sources.length === 1) return [{ source: sources[0]!, ref }];
  if (ref.type === "ref/prompt") {
    const found = (await offeredPrompts(having(sources, "prompts"))).get(ref.name);
    return found === undefined ? [] : [{ source: found.source, ref: { ...ref, name: found.item.name } }];
  }
  const lists = await listsOf(sources, (source) => source.listResourceTemplates());
  const has = (index: number) => lists[index]?.some(({ uriTemplate }) => uriTemplate === ref.uri) === true;
  return sources.filter((_, index) => has(index)).map((source) => ({ source, ref }));
}
