import type { CompleteRequest, McpSubscription, Tool } from "@modelcontextprotocol/client";
import { ToolError } from "@toolmount/core/errors";
import type { PublishedSource } from "../wire/exposed-source.ts";
import { answerOfClient, withAnswers } from "./asks.ts";
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

interface Requesting {
  readonly signal: AbortSignal;
  readonly connection: Connection;
}

/** Sends requests of clients for resources, prompts and completions to one server. */
export class ExposedServer {
  readonly #settings: ServerSettings;
  /** The host's own connection, by which the lists are read. */
  readonly #main: Connection;
  readonly #onListed: (group: ExposedGroup, tools: readonly Tool[]) => Promise<void>;
  readonly #subscriptions = new Map<string, McpSubscription>();

  /** `onListed` mounts the items that the server lists now. */
  constructor(
    settings: ServerSettings,
    main: Connection,
    onListed: (group: ExposedGroup, tools: readonly Tool[]) => Promise<void>,
  ) {
    this.#settings = settings;
    this.#main = main;
    this.#onListed = onListed;
  }

  /** Returns what this server offers to clients of served hosts; `mounted` returns its mounted tools. */
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

  /** Makes the request of an internal tool, on the connection of the user who makes it. */
  async run(
    exposed: Exposed,
    params: Readonly<Record<string, unknown>>,
    { signal, connection }: Requesting,
  ): Promise<unknown> {
    const options = { signal };
    const cacheMode = this.#settings.ask.length === 0 ? ("use" as const) : ("bypass" as const);
    const uri = String(params["uri"]);
    if (exposed.kind === "instructions") return exposed.text;
    if (exposed.kind === "prompt") {
      const wanted = { name: exposed.item.name, arguments: params as Readonly<Record<string, string>> };
      return connection.request({ signal, idempotent: true }, (client, asks) =>
        withAnswers(client, wanted, asks, options, (next, how) => client.getPrompt(next, how)),
      );
    }
    const request = exposed.kind === "request" ? exposed.request : "resources.read";
    switch (request) {
      case "prompts.list":
      case "resources.list":
        return this.#list(request === "prompts.list" ? "prompts" : "resources", signal);
      case "resources.subscribe":
        return this.#subscribe(uri, signal);
      case "elicitation":
      case "sampling":
      case "roots":
        return answerOfClient();
      case "completions":
        return (await connection.client(signal)).complete(params as CompleteRequest["params"], options);
      case "resources.read":
      default:
        if (!isExposed(uri, this.#settings)) return { contents: [] };
        return connection.request({ signal, idempotent: true }, (client, asks) =>
          // A resource that was read after the server asked one client is not cached for others.
          withAnswers(client, { uri }, asks, { signal, cacheMode }, (next, how) =>
            client.readResource(next, how),
          ),
        );
    }
  }

  /**
   * Lists one group and mounts its items. Throws if the server is away, because a client's list may combine several servers and
   * must not wait long for one of them.
   */
  async #list(group: ExposedGroup, signal: AbortSignal): Promise<{ readonly listed: number }> {
    const { state, cause = "" } = this.#main.status;
    if (state === "down" || state === "needs_auth") throw gone(this.#settings.name, cause);
    const client = await this.#main.client(AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]));
    const tools = await listExposed(client, this.#settings, group, { signal });
    await this.#onListed(group, tools);
    return { listed: tools.length };
  }

  async #subscribe(uri: string, signal: AbortSignal): Promise<object> {
    const { name, instance } = this.#settings;
    if (instance === "user")
      throw new ToolError(
        `the MCP server "${name}" reports no changes of resources: each user has a connection of their own`,
        { code: "MCP_NO_SUBSCRIPTION" },
      );
    const server = await this.#main.client(signal);
    if (server.getProtocolEra() === "legacy") await server.subscribeResource({ uri });
    else this.#subscriptions.set(uri, await server.listen({ resourceSubscriptions: [uri] }));
    return {};
  }

  async #unsubscribe(uri: string): Promise<void> {
    const server = await this.#main.client();
    if (server.getProtocolEra() === "legacy") await server.unsubscribeResource({ uri });
    await this.#subscriptions.get(uri)?.close();
    this.#subscriptions.delete(uri);
  }
}
