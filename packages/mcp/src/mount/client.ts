import {
  Client,
  type PriorDiscovery,
  type Tool,
  type VersionNegotiationOptions,
} from "@modelcontextprotocol/client";
import { systemClock, type Logger } from "@toolmount/core";
import type { Front } from "../wire/front.ts";
import { answerAsks, capabilitiesFor } from "./asks.ts";
import type { ServerSettings } from "./config.ts";
import { groupsOf } from "./exposed-definitions.ts";
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
  const changed = {
    autoRefresh: false,
    onChanged: () =>
      void listOffered(client, settings)
        .then((tools) => onTools?.(tools))
        .catch((err: unknown) => {
          // A connection that has ended reads the list again when it is made again.
          if (client.transport !== undefined) logger.warn({ err }, "a changed list of tools was not read");
        }),
  };
  const client: Client = new Client(
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
        tools: changed,
        ...(groupsOf(settings).includes("resources") && { resources: changed }),
        ...(groupsOf(settings).includes("prompts") && { prompts: changed }),
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

/** After this time a server is asked again which revision it speaks: it may have been upgraded. */
const verdictMs = 60 * 60 * 1_000;

/** How long a program may leave the question unanswered before it counts as one from before 2026, in milliseconds. */
const probeMs = 10_000;

/** Which revision a server speaks, as it was found out last, with the time of it. */
export class EraVerdict {
  #prior: PriorDiscovery | undefined;
  #at = 0;

  /** What is known and still fresh. */
  get prior(): PriorDiscovery | undefined {
    return systemClock.now() - this.#at < verdictMs ? this.#prior : undefined;
  }

  /** When it was found out, in milliseconds since the epoch; undefined while nothing is known. */
  get at(): number | undefined {
    return this.#prior === undefined ? undefined : this.#at;
  }

  /** Takes note of what a connection has found out. */
  note(client: Client): void {
    const discover = client.getDiscoverResult();
    this.#prior = discover === undefined ? { kind: "legacy" } : { kind: "modern", discover };
    this.#at = systemClock.now();
  }

  forget(): void {
    this.#prior = undefined;
  }
}

/** How the SDK's client finds, or is given, the revision to speak. */
export function negotiationOf({ era, command, startTimeoutMs }: ServerSettings): VersionNegotiationOptions {
  switch (era) {
    case "legacy":
      return { mode: "legacy" };
    case "modern":
      return { mode: { pin: "2026-07-28" } };
    case "auto":
    default: {
      const timeoutMs = command === undefined ? startTimeoutMs : Math.min(probeMs, startTimeoutMs / 3);
      return { mode: "auto", probe: { timeoutMs } };
    }
  }
}
