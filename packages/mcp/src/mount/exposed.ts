import {
  specTypeSchemas,
  withInputRequired,
  type CompleteRequest,
  type GetPromptRequest,
  type McpSubscription,
  type RequestOptions,
  type Tool,
} from "@modelcontextprotocol/client";
import { currentRound, type PublishedSource } from "../wire/exposed-source.ts";
import { metaFor } from "./asks.ts";
import type { ServerSettings } from "./config.ts";
import type { Connection } from "./connection.ts";
import {
  exposedOf,
  groupsOf,
  listExposed,
  requestTool,
  type Exposed,
  type ExposedGroup,
} from "./exposed-definitions.ts";
import { gone } from "./failures.ts";
import { isExposed, ownUri, servedUri } from "./ui.ts";

/** Longest time that a list waits for a server that is connecting, in milliseconds. */
const patienceMs = 3_000;

/** Makes requests of clients to one server. */
export class ExposedServer {
  readonly #settings: ServerSettings;
  readonly #connection: Connection;
  readonly #onListed: (group: ExposedGroup, tools: readonly Tool[]) => Promise<void>;
  readonly #subscriptions = new Map<string, McpSubscription>();

  /** `onListed` mounts what the server lists now. */
  constructor(
    settings: ServerSettings,
    connection: Connection,
    onListed: (group: ExposedGroup, tools: readonly Tool[]) => Promise<void>,
  ) {
    this.#settings = settings;
    this.#connection = connection;
    this.#onListed = onListed;
  }

  /** For servers of other clients; `mounted` are the tools of this one. */
  publish(mounted: () => Iterable<{ readonly name: string; readonly tool: Tool }>): PublishedSource {
    const settings = this.#settings;
    return {
      name: settings.name,
      exposes: groupsOf(settings),
      toolFor: (request) =>
        [...mounted()].find(({ tool }) => tool.name === requestTool(settings, request))?.name ?? "",
      items: (kind) =>
        [...mounted()].flatMap(({ name, tool }) => {
          const exposed = exposedOf(tool);
          return exposed?.kind === kind ? { tool: name, item: exposed.item as never } : [];
        }),
      servedUri: (uri) => servedUri(uri, settings),
      ownUri: (uri) => ownUri(uri, settings),
      unsubscribe: (uri) => this.#unsubscribe(uri),
    };
  }

  /** Makes the request for which an internal tool is. */
  async run(
    exposed: Exposed,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const options = { signal };
    const uri = String(params["uri"]);
    if (exposed.kind === "instructions") return exposed.text;
    if (exposed.kind === "prompt") {
      const args = params as Readonly<Record<string, string>>;
      return this.#getPrompt({ name: exposed.item.name, arguments: args }, options);
    }
    const request = exposed.kind === "request" ? exposed.request : "resources.read";
    switch (request) {
      case "prompts.list":
      case "resources.list":
        return this.#list(request === "prompts.list" ? "prompts" : "resources", signal);
      case "resources.subscribe":
        return this.#subscribe(uri, signal);
      case "completions":
        return (await this.#connection.client(signal)).complete(params as CompleteRequest["params"], options);
      case "resources.read":
      default:
        if (!isExposed(uri, this.#settings)) return { contents: [] };
        return (await this.#connection.client(signal)).readResource({ uri }, options);
    }
  }

  /** A list of several servers does not wait for one that is away. */
  async #list(group: ExposedGroup, signal: AbortSignal): Promise<{ readonly listed: number }> {
    const { state, cause = "" } = this.#connection.status;
    if (state === "down" || state === "needs_auth") throw gone(this.#settings.name, cause);
    const client = await this.#connection.client(AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]));
    const tools = await listExposed(client, this.#settings, group, { signal });
    await this.#onListed(group, tools);
    return { listed: tools.length };
  }

  async #subscribe(uri: string, signal: AbortSignal): Promise<object> {
    const server = await this.#connection.client(signal);
    if (server.getProtocolEra() === "legacy") await server.subscribeResource({ uri });
    else this.#subscriptions.set(uri, await server.listen({ resourceSubscriptions: [uri] }));
    return {};
  }

  async #unsubscribe(uri: string): Promise<void> {
    const server = await this.#connection.client();
    if (server.getProtocolEra() === "legacy") await server.unsubscribeResource({ uri });
    await this.#subscriptions.get(uri)?.close();
    this.#subscriptions.delete(uri);
  }

  /** A server of 2026 may ask before it gives a prompt. The question goes to the client as it is, and so do its answers. */
  async #getPrompt(params: GetPromptRequest["params"], options: RequestOptions) {
    const server = await this.#connection.client(options.signal);
    const round = currentRound.getStore();
    if (server.getProtocolEra() === "legacy" || this.#settings.ask.length === 0 || round === undefined)
      return server.getPrompt(params, options);
    const { capabilities, ...answers } = round;
    const meta = metaFor(this.#settings, { capabilities, logLevel: undefined });
    const request = { method: "prompts/get" as const, params: { ...params, ...answers, _meta: meta } };
    return server.request(request, withInputRequired(specTypeSchemas.GetPromptResult), {
      ...options,
      allowInputRequired: true,
    });
  }
}
