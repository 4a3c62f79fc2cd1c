import {
  Client,
  type PriorDiscovery,
  type Tool,
  type Transport,
  type VersionNegotiationOptions,
} from "@modelcontextprotocol/client";
import type { HostChain, HostLink, Logger, ToolmountError } from "@toolmount/core";
import { isServedToItself, writeChain, type Above } from "../wire/chain.ts";
import type { ServerAuthorization } from "../auth/authorization.ts";
import type { Front } from "../wire/front.ts";
import { raceSignal } from "../wire/race-signal.ts";
import { answerAsks, capabilitiesFor, extensionsFor, type AskTool } from "./asks.ts";
import type { ServerSettings } from "./config.ts";
import { groupsOf } from "./exposed-definitions.ts";
import { tooLate } from "./failures.ts";
import { listOffered } from "./skills.ts";
import { traceConnections } from "../wire/trace.ts";
import type { TransportOptions } from "./transport.ts";
import type { KnownWay } from "./known-way.ts";

/** Callbacks for changes that a server reports without being asked. */
interface ClientEvents {
  /** Called when the server says that its tools changed, and after each new connection. */
  readonly onTools?: ((tools: readonly Tool[]) => void) | undefined;
  readonly onResource?: ((uri: string) => void) | undefined;
  /**
   * Called with the hosts to which the server leads, at each list of tools. Throws `PLAN_SERVES_ITSELF` to refuse the server.
   */
  readonly onHosts?: ((behind: readonly HostLink[]) => void) | undefined;
  /** Called when the server, after it was mounted, turns out to lead back to this host. */
  readonly onServedToItself?: ((error: ToolmountError) => void) | undefined;
}

/** Settings and callbacks with which a connection is made. */
export interface ConnectionOptions extends TransportOptions, ClientEvents {
  /** What earlier connections to the same server found out about it. */
  readonly known: KnownWay;
  /** Whether the loader reports the first failure to connect. */
  readonly isReported?: boolean | undefined;
  readonly chain?: HostChain | undefined;
  readonly toolFor: AskTool;
  /** The user for whom the connection is made; undefined for a connection of the host. */
  readonly user?: string | undefined;
  /** Authorizes the requests. All connections of the same user to the same server share it. */
  readonly authProvider?: ServerAuthorization | undefined;
}

/** Maximum number of pages of one list that are asked for, in case that a server's list does not end. */
const maxPages = 1_000;

/** Makes a client of the official SDK for one connection to a server; it is not connected yet. */
export function createClient(
  given: Omit<ConnectionOptions, "known"> & Pick<Above, "links">,
  /** Returns the client whose call runs, if it is the only one on this connection. */
  frontOf: () => Front | undefined,
): Client {
  const { settings, logger, onResource, links, toolFor, hostId = "" } = given;
  const changed = { autoRefresh: false, onChanged: () => void readChanged(client, given) };
  const client: Client = new Client(
    { name: "toolmount", version: "0.0.0" },
    {
      capabilities: {
        ...capabilitiesFor(settings.ask),
        ...extensionsFor(settings),
        ...(links.length > 0 && { experimental: writeChain(links) }),
      },
      versionNegotiation: negotiationOf(settings),
      listMaxPages: maxPages,
      // The host checks results; the SDK would check them a second time, by its own rules.
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
  answerAsks(client, settings, { frontOf, toolFor });
  const server = settings.url === undefined ? undefined : addressOf(new URL(settings.url));
  traceConnections(client, {
    hostId,
    role: "client",
    transport: server === undefined ? "pipe" : "tcp",
    server,
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client of the SDK has no addEventListener
  client.onerror = (err) =>
    logger.debug({ server: settings.name, err }, "an error on a connection to an MCP server");
  return client;
}

/** Returns `host:port`, with the default port if the address leaves it out. */
function addressOf({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port === "" ? (protocol === "http:" ? 80 : 443) : port}`;
}

/** Reads the tools again after the server said that they changed. */
async function readChanged(client: Client, given: Omit<ConnectionOptions, "known">): Promise<void> {
  const { settings, logger, onTools, onHosts, onServedToItself } = given;
  try {
    onTools?.(await listOffered(client, settings, { onHosts }));
  } catch (err) {
    if (isServedToItself(err)) {
      logger.warn({ server: settings.name, code: err.code }, err.message);
      return onServedToItself?.(err);
    }
    // If the connection has ended, the next one reads the list anyway.
    if (client.transport !== undefined) logger.warn({ err }, "a changed list of tools was not read");
  }
}

/** Connects a client. Rejects when `late` or `closing` is aborted first. */
export function connectClient(
  client: Client,
  transport: Transport,
  how: {
    readonly settings: ServerSettings;
    readonly prior: PriorDiscovery | undefined;
    readonly late: AbortSignal;
    readonly closing: AbortSignal;
  },
): Promise<void> {
  const { settings, prior, late, closing } = how;
  const options = { timeout: settings.startTimeoutMs, ...(prior !== undefined && { prior }) };
  const why = () => (closing.aborted ? new Error("its host is closed") : tooLate(settings));
  return raceSignal(client.connect(transport, options), AbortSignal.any([late, closing]), why);
}

/** Subscribes to changes of the tools. A client with a fixed revision does not listen by itself. */
export async function listen(client: Client, logger: Logger): Promise<void> {
  await client
    .listen({ toolsListChanged: true })
    .catch((err: unknown) => logger.debug({ err }, "no subscription"));
}

/** Milliseconds without an answer about its revision after which a server counts as one from before 2026. */
const probeMs = 10_000;

/** Returns whether the SDK's client has to find out the revision, or which one it uses. */
export function negotiationOf({ era, startTimeoutMs }: ServerSettings): VersionNegotiationOptions {
  if (era === "legacy") return { mode: "legacy" };
  if (era === "modern") return { mode: { pin: "2026-07-28" } };
  return { mode: "auto", probe: { timeoutMs: Math.min(probeMs, startTimeoutMs / 3) } };
}
