import {
  specTypeSchemas,
  withInputRequired,
  type Client,
  type McpSubscription,
} from "@modelcontextprotocol/client";
import type { ExposedSource } from "../wire/exposed-source.ts";
import { metaFor } from "./asks.ts";
import type { ServerSettings } from "./config.ts";
import type { Connection } from "./connection.ts";

/** What a server has beside tools, as the plan exposes it. What the server does not have is empty. */
export function createExposedSource(
  { name, expose, ask }: ServerSettings,
  connection: Connection,
): ExposedSource {
  const client = () => connection.client();
  const subscriptions = new Map<string, McpSubscription>();
  const listed = async <Item>(
    capability: "resources" | "prompts",
    list: (connected: Client) => Promise<readonly Item[]>,
  ): Promise<readonly Item[]> => {
    const connected = await client();
    return connected.getServerCapabilities()?.[capability] === undefined ? [] : list(connected);
  };
  return {
    name,
    exposes: expose,
    listResources: () => listed("resources", async (server) => (await server.listResources()).resources),
    listResourceTemplates: () =>
      listed("resources", async (server) => (await server.listResourceTemplates()).resourceTemplates),
    readResource: async (uri) => (await client()).readResource({ uri }),
    subscribe: async (uri) => {
      const connected = await client();
      if (connected.getProtocolEra() === "legacy") await connected.subscribeResource({ uri });
      else subscriptions.set(uri, await connected.listen({ resourceSubscriptions: [uri] }));
    },
    unsubscribe: async (uri) => {
      const connected = await client();
      if (connected.getProtocolEra() === "legacy") await connected.unsubscribeResource({ uri });
      await subscriptions.get(uri)?.close();
      subscriptions.delete(uri);
    },
    listPrompts: () => listed("prompts", async (server) => (await server.listPrompts()).prompts),
    getPrompt: async (params, { capabilities, ...answers }) => {
      const connected = await client();
      if (connected.getProtocolEra() === "legacy" || ask.length === 0) return connected.getPrompt(params);
      const meta = metaFor(ask, { capabilities, logLevel: undefined });
      const request = { method: "prompts/get" as const, params: { ...params, ...answers, _meta: meta } };
      return connected.request(request, withInputRequired(specTypeSchemas.GetPromptResult), {
        allowInputRequired: true,
      });
    },
    complete: async (params) => (await client()).complete(params),
  };
}
