import {
  Client,
  type PriorDiscovery,
  type Tool,
  type Transport,
  type VersionNegotiationOptions,
} from "@modelcontextprotocol/client";
import {
  systemClock,
  type HostChain,
  type HostLink,
  type Logger,
  type ToolmountError,
} from "@toolmount/core";
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

/** What a server reports by itself. */
interface ClientEvents {
  /** The server says that its tools are others now, or a new connection was made. */
  readonly onTools?: ((tools: readonly Tool[]) => void) | undefined;
  readonly onResource?: ((uri: string) => void) | undefined;
  /** Each list of tools names the hosts to which the server leads. Throws `PLAN_SERVES_ITSELF` to refuse the server. */
  readonly onHosts?: ((behind: readonly HostLink[]) => void) | undefined;
  /** After it was mounted, the server came to lead back to this host. */
  readonly onServedToItself?: ((error: ToolmountError) => void) | undefined;
}

/** What a connection is made with. */
export interface ConnectionOptions extends TransportOptions, ClientEvents {
  /** Decided by earlier connections to the same server. */
  readonly verdict: EraVerdict;
  /** Whether the loader reports the first failure to connect. */
  readonly isReported?: boolean | undefined;
  readonly chain?: HostChain | undefined;
  readonly toolFor: AskTool;
  /** The user whose connection it is; undefined for a connection of the host. */
  readonly user?: string | undefined;
  /** Shared by all connections of the same user to the same server. */
  readonly authProvider?: ServerAuthorization | undefined;
}

/** Pages of a list that are asked for; a server whose list does not end is stopped there. */
const maxPages = 1_000;

/** Makes a client of the official SDK for one connection to a server; it is not connected yet. */
export function createClient(
  given: Omit<ConnectionOptions, "verdict"> & Pick<Above, "links">,
  /** The client whose call runs, where it is the only one on this connection. */
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

/** `host:port`, also where the address leaves the port out. */
function addressOf({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port === "" ? (protocol === "http:" ? 80 : 443) : port}`;
}

/** Reads the tools again, where the server says that they changed. */
async function readChanged(client: Client, given: Omit<ConnectionOptions, "verdict">): Promise<void> {
  const { settings, logger, onTools, onHosts, onServedToItself } = given;
  try {
    onTools?.(await listOffered(client, settings, { onHosts }));
  } catch (err) {
    if (isServedToItself(err)) {
      logger.warn({ server: settings.name, code: err.code }, err.message);
      return onServedToItself?.(err);
    }
    // A connection that has ended reads the list again when it is made again.
    if (client.transport !== undefined) logger.warn({ err }, "a changed list of tools was not read");
  }
}

/** Connects a client. Rejects when it is too late, and when the connection is closed meanwhile. */
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

/** After this time a server is asked again which revision it speaks: it may have been upgraded. */
const verdictMs = 60 * 60 * 1_000;

/** How long a program may leave the question unanswered before it counts as one from before 2026, in milliseconds. */
const probeMs = 10_000;

/** Which revision a server speaks, as it was found out last, with the time of it. */
export class EraVerdict {
  #transport: "sse" | undefined;
  #prior: PriorDiscovery | undefined;
  #at = 0;

  /** How the server over HTTP is spoken to, where that is not Streamable HTTP. */
  get transport(): "sse" | undefined {
    return this.#transport;
  }

  /** Returns what is known and still fresh. */
  get prior(): PriorDiscovery | undefined {
    return systemClock.now() - this.#at < verdictMs ? this.#prior : undefined;
  }

  /** When it was found out, in milliseconds since the epoch; undefined while nothing is known. */
  get at(): number | undefined {
    return this.#prior === undefined ? undefined : this.#at;
  }

  /** Takes note of what a connection has found out. */
  note(client: Client, transport?: "sse"): void {
    this.#transport = transport;
    const discover = client.getDiscoverResult();
    this.#prior = discover === undefined ? { kind: "legacy" } : { kind: "modern", discover };
    this.#at = systemClock.now();
  }

  forget(): void {
    this.#transport = undefined;
    this.#prior = undefined;
  }
}

/** Returns how the SDK's client finds, or is given, the revision to speak. */
export function negotiationOf({ era, startTimeoutMs }: ServerSettings): VersionNegotiationOptions {
  if (era === "legacy") return { mode: "legacy" };
  if (era === "modern") return { mode: { pin: "2026-07-28" } };
  return { mode: "auto", probe: { timeoutMs: Math.min(probeMs, startTimeoutMs / 3) } };
}
