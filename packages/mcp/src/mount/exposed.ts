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
import { isExposed, ownUri, servedUri } from "./ui.ts";

/** What a server has beside tools, as the plan exposes it. What the server does not have is empty. */
export function createExposedSource(settings: ServerSettings, connection: Connection): ExposedSource {
  const { name, expose, ask } = settings;
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
    exposes: expose.map((what) => (what === "ui" ? "resources" : what)),
    listResources: () =>
      listed("resources", async (server) => {
        const { resources } = await server.listResources();
        const exposed = resources.filter(({ uri }) => isExposed(uri, settings));
        return exposed.map((resource) => ({ ...resource, uri: servedUri(resource.uri, settings) }));
      }),
    listResourceTemplates: () =>
      listed("resources", async (server) => {
        const { resourceTemplates } = await server.listResourceTemplates();
        const exposed = resourceTemplates.filter(({ uriTemplate }) => isExposed(uriTemplate, settings));
        return exposed.map((one) => ({ ...one, uriTemplate: servedUri(one.uriTemplate, settings) }));
      }),
    readResource: async (served) => {
      const uri = ownUri(served, settings);
      if (!isExposed(uri, settings)) return { contents: [] };
      const result = await (await client()).readResource({ uri });
      const contents = result.contents.map((one) => ({ ...one, uri: servedUri(one.uri, settings) }));
      return { ...result, contents };
    },
    subscribe: async (served) => {
      const uri = ownUri(served, settings);
      const connected = await client();
      if (connected.getProtocolEra() === "legacy") await connected.subscribeResource({ uri });
      else subscriptions.set(uri, await connected.listen({ resourceSubscriptions: [uri] }));
    },
    unsubscribe: async (served) => {
      const uri = ownUri(served, settings);
      const connected = await client();
      if (connected.getProtocolEra() === "legacy") await connected.unsubscribeResource({ uri });
      await subscriptions.get(uri)?.close();
      subscriptions.delete(uri);
    },
    listPrompts: () => listed("prompts", async (server) => (await server.listPrompts()).prompts),
    getPrompt: async (params, { capabilities, ...answers }) => {
      const connected = await client();
      if (connected.getProtocolEra() === "legacy" || ask.length === 0) return connected.getPrompt(params);
      const meta = metaFor(settings, { capabilities, logLevel: undefined });
      const request = { method: "prompts/get" as const, params: { ...params, ...answers, _meta: meta } };
      return connected.request(request, withInputRequired(specTypeSchemas.GetPromptResult), {
        allowInputRequired: true,
      });
    },
    complete: async (params) => (await client()).complete(params),
  };
}
