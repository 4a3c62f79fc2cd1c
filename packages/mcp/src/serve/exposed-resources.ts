import { ResourceNotFoundError, type ReadResourceResult, type Server } from "@modelcontextprotocol/server";
import type { ResourceSource } from "../wire/exposed-source.ts";
import type { Host } from "@toolmount/core";
import { RefusedRequest, type ExposedRequests } from "./exposed-calls.ts";
import { readOutput, type OutputReader } from "./outputs.ts";

/** The addresses that a client has subscribed to, by the server and the server's own address. */
export type Subscribed = Map<string, string>;

function keyOf(server: string, own: string): string {
  return `${server}\n${own}`;
}

/** Passes requests for resources to the servers that have them. Without any, it has what was cut from results. */
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
  server.setRequestHandler("resources/templates/list", async (_, ctx) => ({
    resourceTemplates: [
      ...(await collect(sourcesFor(callFor(ctx)), (source) => source.listResourceTemplates())),
    ],
  }));
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
    // Before the server knows, because its first change may come together with its answer.
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

/** Lists of all servers, in the plan's order. One that cannot be reached is left out: the others are no worse for it. */
async function collect<Item>(
  sources: readonly ResourceSource[],
  list: (source: ResourceSource) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const lists = await Promise.all(sources.map((source) => list(source).catch(() => [])));
  return lists.flat();
}

interface Offered<Source, Item> {
  readonly source: Source;
  readonly item: Item;
}

/**
 * The items of all servers by their names, in the plan's order. A name that two servers have is made another one, `apart`, for
 * the second and every further one. A server that cannot be reached is left out.
 */
export async function offeredBy<Source extends { readonly name: string }, Item>(
  sources: readonly Source[],
  list: (source: Source) => Promise<readonly Item[]>,
  nameOf: (item: Item) => string,
  apartOf: (server: string, name: string) => string,
): Promise<ReadonlyMap<string, Offered<Source, Item>>> {
  const offered = new Map<string, Offered<Source, Item>>();
  const lists = await Promise.all(sources.map((source) => list(source).catch(() => [])));
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

/** The server that has an address, and its own address for it; undefined when none lists it: it may be one of a template. */
async function ownerOf(
  sources: readonly ResourceSource[],
  uri: string,
): Promise<{ readonly source: ResourceSource; readonly own: string } | undefined> {
  if (sources.length === 1) return { source: sources[0]!, own: uri };
  // A list is a call of a tool: those after the owner are not asked.
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

/** Asks the owner of an address, or else each source. A refusal is reported where no other source has the address. */
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

/** The event by which mounted servers say that one of their resources has changed. */
const resourceEvent = "mcp:resource_updated";

/** Passes on that a resource has changed, to a client that has subscribed to it. Returns how to stop. */
export function watchResources(host: Host, server: Server, subscribed: Subscribed): () => void {
  return host.coordinator.hooks.observe(resourceEvent, (_, { server: from, uri: own }) => {
    const uri = subscribed.get(keyOf(String(from), String(own)));
    if (uri !== undefined) void server.sendResourceUpdated({ uri }).catch(() => {}); // it has left
  });
}
