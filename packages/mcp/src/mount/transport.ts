import {
  isJSONRPCRequest,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type AuthProvider,
  type FetchLike,
  type Transport,
} from "@modelcontextprotocol/client";
import { resolve } from "node:path";
import type { Coordinator, Logger } from "@toolmount/core";
import { chainOf } from "../wire/chain.ts";
import type { ServerSettings } from "./config.ts";
import type { Program } from "./process-tree.ts";
import { readingFetch, sending } from "./reading-fetch.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { WireReader } from "../reading/reader.ts";

/** Settings and callbacks of one connection to a server. */
export interface TransportOptions {
  readonly settings: ServerSettings;
  /** The transport that was found for a server over HTTP whose entry names none. Default Streamable HTTP. */
  readonly found?: "sse" | undefined;
  /** Where relative paths start: the plan's folder. */
  readonly folder: string | undefined;
  /** Paths that a server behind a border must not change. */
  readonly denied?: readonly string[] | undefined;
  /** Paths that a server behind a border must not read, unless its entry names them. */
  readonly secret?: readonly string[] | undefined;
  /** The folder of the session's layer, if the server's program runs in it. */
  readonly layer?: string | undefined;
  /** Further variables of the program, which take precedence over those of its entry. */
  readonly serverEnv?: Readonly<Record<string, string>> | undefined;
  readonly logger: Logger;
  /** Gets a sentence about each member of the server's definitions that could not be taken as it is. */
  readonly onOddity?: ((sentence: string) => void) | undefined;
  /** Gets the task of a call that was cancelled before its answer came. */
  readonly onLateTask?: ((taskId: string) => void) | undefined;
  /** The capability `host.id`, for traces. */
  readonly hostId?: string | undefined;
  /** Called when the program of a server over stdio has started, long before it answers. */
  readonly onStarted?: (() => void) | undefined;
  /** Authorizes requests over HTTP. If it has a function `noting`, that function wraps the `fetch` which sends them. */
  readonly authProvider?: (AuthProvider & { noting?(fetchOne: FetchLike): FetchLike }) | undefined;
}

/** Makes the transport that an entry asks for; nothing is started yet. */
export function createTransport(given: TransportOptions): Transport {
  const { settings, logger, onStarted, authProvider, onLateTask, onOddity = () => {} } = given;
  const { url, headers, maxMessageBytes } = settings;
  const program = programOf(given);
  const reader = new WireReader(onOddity, onLateTask);
  if (program !== undefined)
    return new StdioTransport({ ...program, maxMessageBytes, logger, onStarted, reader });
  const address = new URL(url ?? "");
  const bounded = readingFetch(fetch, reader, { name: settings.name, maxMessageBytes });
  const options = {
    requestInit: { headers },
    ...(authProvider !== undefined && { authProvider }),
    fetch: authProvider?.noting?.(bounded) ?? bounded,
  };
  if ((settings.transport ?? given.found) !== "sse")
    return new HttpTransport(address, reader, { ...options, onInsufficientScope: "throw" });
  const stream = new SSEClientTransport(address, options);
  const send = stream.send.bind(stream);
  stream.send = (message) => (reader.sent(message), send(message));
  return stream;
}

/** Returns the program of a server over stdio, with the border that the entry asks for; undefined for a server over HTTP. */
export function programOf({
  settings,
  folder,
  denied = [],
  secret = [],
  serverEnv,
  layer,
}: Pick<TransportOptions, "settings" | "folder" | "denied" | "secret" | "serverEnv" | "layer">):
  | Program
  | undefined {
  const { command, args, env, cwd, border, read, write, network } = settings;
  if (command === undefined) return undefined;
  const program = { command, args, env: { ...env, ...serverEnv }, layer };
  if (border === "none") return { ...program, cwd: cwd ?? folder };
  const inPlan = (path: string) => resolve(folder ?? "/", path);
  const place = inPlan(cwd ?? ".");
  const grants = { read: read.map(inPlan), write: write.map(inPlan), network: network === "any" };
  return { ...program, cwd: place, sandbox: { cwd: place, denied, secret, ...grants } };
}

/** Returns the settings of a server with what the host knows about its place, such as the plan's folder and protected paths. */
export function placeOf(coordinator: Coordinator, settings: ServerSettings) {
  const folder = coordinator.getCapability("session.working_dir") ?? undefined;
  const denied = coordinator.getCapability("session.protected_paths") ?? undefined;
  const secret = coordinator.getCapability("session.secret_paths") ?? undefined;
  const hostId = coordinator.getCapability("host.id") ?? undefined;
  const isInside = coordinator.getCapability("session.in_layer") === true;
  const layer = isInside ? (coordinator.getCapability("session.layer") ?? undefined) : undefined;
  return { settings, folder, denied, secret, layer, hostId, chain: chainOf(coordinator) };
}

type Sent = Parameters<StreamableHTTPClientTransport["send"]>;

/** The SDK's transport for HTTP, except that a request fails when the stream of its answer ends without an answer. */
class HttpTransport extends StreamableHTTPClientTransport {
  readonly #reader: WireReader;

  constructor(
    address: URL,
    reader: WireReader,
    options: ConstructorParameters<typeof StreamableHTTPClientTransport>[1],
  ) {
    super(address, options);
    this.#reader = reader;
  }

  /**
   * Sends a message. The promise of a request also rejects later, when the stream of its answer ends. It need not resolve after
   * the answer, because the SDK ignores the promise then.
   */
  override async send(message: Sent[0], options?: Sent[1]): Promise<void> {
    if (!Array.isArray(message)) this.#reader.sent(message);
    if (!isJSONRPCRequest(message)) return super.send(message, options);
    const send = (how: Sent[1]) => sending.run(message, () => super.send(message, how));
    if (options?.onRequestStreamEnd !== undefined) return send(options);
    const { promise, reject } = Promise.withResolvers<never>();
    const onRequestStreamEnd = () => reject(new SdkError(SdkErrorCode.ConnectionClosed, "the stream ended"));
    await Promise.all([send({ ...options, onRequestStreamEnd }), promise]);
  }
}
