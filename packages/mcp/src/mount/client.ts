import { Client, type Tool } from "@modelcontextprotocol/client";
import type { Logger } from "@toolmount/core";
import type { Front } from "../wire/front.ts";
import { answerAsks, capabilitiesFor } from "./asks.ts";
import type { ServerSettings } from "./config.ts";
import { negotiationOf } from "./era.ts";
import { listOffered } from "./skills.ts";
import { uiCapabilities } from "./ui.ts";

/** What a server reports by itself. */
export interface ClientEvents {
  /** The server says that its tools are others now, or a new connection was made. */
  readonly onTools?: ((tools: readonly Tool[]) => void) | undefined;
  /** The server says that a resource has changed. */
  readonly onResource?: ((uri: string) => void) | undefined;
}

/** Pages of a list that are asked for; a server whose list does not end is stopped there. */
const maxPages = 1_000;

/** Makes a client of the official SDK for one connection to a server; it is not connected yet. */
export function createClient(
  {
    settings,
    logger,
    onTools,
    onResource,
  }: ClientEvents & { readonly settings: ServerSettings; readonly logger: Logger },
  /** The client whose call runs, where it is the only one on this connection. */
  frontOf: () => Front | undefined,
): Client {
  const client = new Client(
    { name: "toolmount", version: "0.0.0" },
    {
      capabilities: { ...capabilitiesFor(settings.ask), ...uiCapabilities(settings) },
      versionNegotiation: negotiationOf(settings),
      listMaxPages: maxPages,
      // The host checks results; the SDK would check them a second time, by rules of its own.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
      listChanged: {
        tools: {
          autoRefresh: false,
          onChanged: () =>
            void listOffered(client, settings)
              .then((tools) => onTools?.(tools))
              .catch((err: unknown) => {
                // A connection that has ended reads the list again when it is made again.
                if (client.transport !== undefined)
                  logger.warn({ err }, "a changed list of tools was not read");
              }),
        },
      },
    },
  );
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => onResource?.(params.uri));
  answerAsks(client, settings.ask, frontOf);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client of the SDK has no addEventListener
  client.onerror = (err) =>
    logger.debug({ server: settings.name, err }, "an error on a connection to an MCP server");
  return client;
}
