import { ResourceNotFoundError, type ReadResourceResult, type Server } from "@modelcontextprotocol/server";
import type { ResourceSource } from "../wire/exposed-source.ts";
import type { Host } from "@toolmount/core";
import { RefusedRequest, type ExposedRequests } from "./exposed-calls.ts";
import { readOutput, type OutputReader } from "./outputs.ts";

/** The addresses to which a client has subscribed, by server and by the server's own address. */
export type Subscribed = Map<string, string>;

function keyOf(server: string, own: string): string {
  return `${server}\n${own}`;
}

/** Passes requests for resources to the servers that have them. Without servers, it serves only what was cut from results. */
export function serveResources(
  server: Server,
  reader: OutputReader,
  { sourcesFor, callFor, asking }: ExposedRequests<ResourceSource>,
  subscribed: Subscribed,
): void {
  server.setRequestHandler("resources/list", async (_, ctx) => {
    const sources = sourcesFor(callFor(ctx));
    const listed = await offeredBy(
      sources,
      (source) => source.listResources(),
      ({ uri }) => uri,
      apart,
    );
    return { resources: [...listed].map(([uri, { item }]) => ({ ...item, uri })) };
  });
  server.setRequestHandler("resources/templates/list", async (_, ctx) => {
    const lists = await listsOf(sourcesFor(callFor(ctx)), (source) => source.listResourceTemplates());
    return { resourceTemplates: lists.flat() };
  });
  server.setRequestHandler("resources/read", ({ method, params: { uri } }, ctx) => {
    const request = { name: method, arguments: { uri } };
    return readOutput(reader, uri) ?? asking(ctx, request, (call) => readResource(sourcesFor(call), uri));
  });
  server.setRequestHandler("resources/subscribe", async ({ params }, ctx) => {
    const found = await ownerOf(sourcesFor(callFor(ctx)), params.uri);
    if (found === undefined) return {};
    const { source, own } = found;
    const key = keyOf(source.name, own);
    const isNew = !subscribed.has(key);
    // The address is stored before the server gets the request, because a first change may arrive together with the server's
    // answer.
    subscribed.set(key, params.uri);
    try {
      await source.subscribe(own);
    } catch (error) {
      if (isNew) subscribed.delete(key);
      throw error;
    }
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params }, ctx) => {
    const found = await ownerOf(sourcesFor(callFor(ctx)), params.uri);
    if (found === undefined) return {};
    subscribed.delete(keyOf(found.source.name, found.own));
    await found.source.unsubscribe(found.own);
    return {};
  });
}

/** Returns the lists of all servers, in the plan's order. A server that cannot be reached has an empty list. */
export function listsOf<Source, Item>(
  sources: readonly Source[],
  list: (source: Source) => Promise<readonly Item[]>,
): Promise<readonly (readonly Item[])[]> {
  return Promise.all(sources.map((source) => list(source).catch(() => [])));
}

interface Offered<Source, Item> {
  readonly source: Source;
  readonly item: Item;
}

/**
 * Returns the items of all servers by name, in the plan's order. If two servers use the same name, `apartOf` makes another name
 * for the second and every further one.
 */
export async function offeredBy<Source extends { readonly name: string }, Item>(
  sources: readonly Source[],
  list: (source: Source) => Promise<readonly Item[]>,
  nameOf: (item: Item) => string,
  apartOf: (server: string, name: string) => string,
): Promise<ReadonlyMap<string, Offered<Source, Item>>> {
  const offered = new Map<string, Offered<Source, Item>>();
  const lists = await listsOf(sources, list);
  for (const [index, source] of sources.entries())
    for (const item of lists[index]!) {
      const own = nameOf(item);
      const name = offered.has(own) ? apartOf(source.name, own) : own;
      if (!offered.has(name)) offered.set(name, { source, item });
    }
  return offered;
}

function apart(server: string, uri: string): string {
  return `toolmount://resource/${encodeURIComponent(server)}/${encodeURIComponent(uri)}`;
}

/**
 * Returns the server that has a resource, with the server's own address of it; a single server has every address. Undefined if
 * no server lists the address, which may still fit a template.
 */
async function ownerOf(
  sources: readonly ResourceSource[],
  uri: string,
): Promise<{ readonly source: ResourceSource; readonly own: string } | undefined> {
  if (sources.length === 1) return { source: sources[0]!, own: uri };
  // Each list is a call of a tool, so servers after the owner are not asked.
  for (const source of sources) {
    const listed = await source.listResources().catch(() => []);
    if (listed.some((resource) => resource.uri === uri)) return { source, own: uri };
  }
  const source = sources.find(({ name }) => uri.startsWith(apart(name, "")));
  return source && { source, own: decodeOwn(uri.slice(apart(source.name, "").length)) };
}

function decodeOwn(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Asks the owner of an address or, if it is unknown, each source. Reports a refusal only if no source has the address. */
async function readResource(sources: readonly ResourceSource[], uri: string): Promise<ReadResourceResult> {
  const owner = await ownerOf(sources, uri);
  const asked = owner === undefined ? sources.map((one) => ({ source: one, own: uri })) : [owner];
  let refusal: unknown = new ResourceNotFoundError(uri);
  for (const { source, own } of asked) {
    try {
      const result = await source.readResource(own);
      if (result.contents.length > 0) return servedAs(result, own, uri);
    } catch (error) {
      if (error instanceof RefusedRequest) refusal = error;
    }
  }
  throw refusal;
}

function servedAs(result: ReadResourceResult, own: string, uri: string): ReadResourceResult {
  if (own === uri) return result;
  return { ...result, contents: result.contents.map((one) => (one.uri === own ? { ...one, uri } : one)) };
}

/** Event by which mounted servers say that one of their resources has changed. */
const resourceEvent = "mcp:resource_updated";

/** Informs a client about changes of the resources to which it has subscribed. Returns a function that stops this. */
export function watchResources(host: Host, server: Server, subscribed: Subscribed): () => void {
  return host.coordinator.hooks.observe(resourceEvent, (_, { server: from, uri: own }) => {
    const uri = subscribed.get(keyOf(String(from), String(own)));
    if (uri !== undefined) void server.sendResourceUpdated({ uri }).catch(() => {}); // the client has left
  });
}
