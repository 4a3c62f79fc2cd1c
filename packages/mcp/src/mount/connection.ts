import { setTimeout as delay } from "node:timers/promises";
import {
  InsufficientScopeError,
  type CallToolRequest,
  type CallToolResult,
  type Client,
} from "@modelcontextprotocol/client";
import type { ToolmountError } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { currentFront, Fronts } from "../wire/front.ts";
import { callWithAsks, type RequestAsks } from "./asks.ts";
import { Attempts, describeConnection, otherWay } from "./attempts.ts";
import { cancelTask } from "../tasks/follow.ts";
import type { CallServerOptions } from "./tool-definition.ts";
import { connectClient, createClient, listen, type ConnectionOptions } from "./client.ts";
import {
  causeOf,
  gone,
  isForgotten,
  isLost,
  isUnauthorized,
  isUnsent,
  needsSignIn,
  tooLate,
} from "./failures.ts";
import type { Way } from "./known-way.ts";
import { listOffered, readSkill } from "./skills.ts";
import type { ServerStatus } from "../wire/server-status.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { createTransport } from "./transport.ts";
import { aboveOf, type Above } from "../wire/chain.ts";
import { raceSignal } from "../wire/race-signal.ts";

/** One connection to a server, made when first needed and again after it was lost. */
export class Connection {
  readonly #options: ConnectionOptions;
  #client: Client | undefined;
  #transport: StdioTransport | undefined;
  #connecting: Promise<Client> | undefined;
  /** Resolves when the last connection has ended completely; only then is a new one made. */
  #ending: Promise<void> = Promise.resolve();
  readonly #fronts = new Fronts();
  readonly #attempts: Attempts;
  #connections = 0;
  readonly #closing = new AbortController();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options);
  }

  get status(): Omit<ServerStatus, "name" | "refused"> {
    return describeConnection({
      client: this.#client,
      isClosed: this.#closing.signal.aborted,
      isConnecting: this.#connecting !== undefined,
      attempts: this.#attempts,
      connections: this.#connections,
      pid: this.#transport?.pid ?? null,
      known: this.#options.known,
    });
  }

  async call(
    params: CallToolRequest["params"],
    { idempotent, skill, definition, ...options }: CallServerOptions,
  ): Promise<CallToolResult> {
    return this.request({ signal: options.signal, idempotent }, (client, asks) =>
      skill === undefined
        ? callWithAsks(client, params, options, { ...asks, definition })
        : readSkill(client, skill, params.arguments, options),
    );
  }

  /**
   * Makes a request, during which the server may ask the client in front. A request that did not reach the server is repeated
   * once on a new connection; one that may have reached it, only if it is `idempotent`.
   */
  async request<Result>(
    { signal, idempotent }: { readonly signal?: AbortSignal | undefined; readonly idempotent: boolean },
    send: (client: Client, asks: RequestAsks) => Promise<Result>,
  ): Promise<Result> {
    const client = await this.client(signal);
    const front = currentFront.getStore();
    const attempt = (on: Client) => send(on, { ...this.#options, front });
    return this.#fronts.run(front, async () => {
      try {
        return await attempt(client);
      } catch (error) {
        if (signal?.aborted === true) throw error;
        if (!(await this.#isRepeatable(client, error, idempotent)) && !(await this.#mayAgain(client, error)))
          throw this.#transport?.refused ?? error;
        return await attempt(await this.client(signal));
      }
    });
  }

  /** Whether a call that was refused for its credentials may be made again with newer ones. Throws if a person has to sign in. */
  async #mayAgain(client: Client, error: unknown): Promise<boolean> {
    const { authProvider } = this.#options;
    if (error instanceof InsufficientScopeError) {
      if ((await authProvider?.needsScope(error)) === true) return true;
      throw needsSignIn(this.#options, `it wants the scope "${error.requiredScope ?? ""}"`, error);
    }
    if (!isUnauthorized(error)) return false;
    this.#attempts.refused();
    await this.#drop(client, messageOf(error));
    throw needsSignIn(this.#options, messageOf(error), error);
  }

  /** Whether a call failed because of its connection and may be made again. Drops a session that the server has forgotten. */
  async #isRepeatable(client: Client, error: unknown, idempotent: boolean): Promise<boolean> {
    if (this.#transport?.refused !== undefined) return false; // the same answer would come again
    if (isForgotten(error)) await this.#drop(client, "the server has forgotten the session");
    if (isUnsent(error)) await client.close(); // closing it makes known how its program ended
    return (
      isForgotten(error) || isUnsent(error) || (idempotent && (isLost(error) || this.#client !== client))
    );
  }

  /** Returns the connected client; connects if there is none. Rejects with a `ToolError` that says why it cannot. */
  async client(signal?: AbortSignal): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    if (this.#closing.signal.aborted) throw gone(this.#options.settings.name, "its host is closed");
    if (this.#attempts.refusal !== undefined) throw this.#attempts.refusal;
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return signal === undefined ? this.#connecting : raceSignal(this.#connecting, signal);
  }

  async #connect(): Promise<Client> {
    const { settings, onTools, onHosts, authProvider } = this.#options;
    await this.#ending;
    await authProvider?.ready?.();
    // A server that refused is not asked again until a person may have signed in.
    const { needsAuth, cause = "" } = this.#attempts;
    if (needsAuth && (await authProvider?.mayTry()) === false) throw needsSignIn(this.#options, cause);
    if (needsAuth && authProvider !== undefined) this.#attempts.renewed();
    await delay(this.#attempts.backOffMs, undefined, { signal: this.#closing.signal });
    try {
      const above = await raceSignal(aboveOf(this.#options.chain), this.#closing.signal);
      const late = AbortSignal.timeout(settings.startTimeoutMs);
      const client = await this.#open(above, late);
      // A new connection may reach another version of the server, so the definitions are listed again.
      const listing = listOffered(client, settings, { timeout: settings.startTimeoutMs, onHosts });
      onTools?.(await raceSignal(listing, late, () => tooLate(settings)));
      this.#attempts.succeeded();
      this.#connections++;
      return client;
    } catch (error) {
      // A server that connects but does not list its tools counts as not reachable.
      await this.rest();
      throw this.#attempts.end(error, this.#transport, this.#options);
    }
  }

  /** Tries to connect until the server answers, with growing delays. Resolves to an error if the server must not be mounted. */
  async persist(): Promise<ToolmountError | undefined> {
    const { signal } = this.#closing;
    for (;;) {
      await this.client().catch(() => {});
      const { refusal } = this.#attempts;
      if (this.#client !== undefined || signal.aborted || refusal !== undefined) return refusal;
      await delay(this.#attempts.pauseMs, undefined, { signal, ref: false }).catch(() => {}); // aborted by close()
    }
  }

  async #open(above: Above, late: AbortSignal): Promise<Client> {
    const { settings, known } = this.#options;
    const way = await known.recall();
    try {
      return await this.#openOnce(above, way, late);
    } catch (error) {
      const other = otherWay(error, settings, { way, ended: this.#transport?.ended });
      if (other === undefined || late.aborted) throw error;
      await this.#ending;
      const client = await this.#openOnce(above, other, late).catch((err: unknown) => {
        throw other.found === "sse" ? error : err; // it does not speak SSE either
      });
      if (other.prior !== undefined) await known.note(client, { found: other.found, isSlow: true });
      return client;
    }
  }

  async #openOnce(above: Above, { prior, found }: Way, late: AbortSignal): Promise<Client> {
    const { settings, known, logger } = this.#options;
    const { signal: closing } = this.#closing;
    if (closing.aborted) throw gone(settings.name, "its host is closed");
    const client = this.#createClient(above);
    const onLateTask = (id: string) => cancelTask(client, id);
    const transport = createTransport({ ...this.#options, found, serverEnv: above.env, onLateTask });
    this.#transport = transport instanceof StdioTransport ? transport : undefined;
    try {
      await connectClient(client, transport, { settings, prior, late, closing });
    } catch (error) {
      await known.forget(error, late.aborted);
      this.#ending = transport.close().catch((err: unknown) => logger.warn({ err }, "a server did not end"));
      await this.#ending;
      throw error;
    }
    const isSlow = this.#transport?.isUnanswered("server/discover") === true;
    if (prior === undefined && settings.era === "auto") await known.note(client, { isSlow });
    if (prior?.kind === "modern") await listen(client, logger);
    return (this.#client = client);
  }

  #createClient({ links }: Above): Client {
    const onServedToItself = (error: ToolmountError) => void this.#leave(error);
    const client = createClient({ ...this.#options, links, onServedToItself }, () => this.#fronts.only);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client of the SDK has no addEventListener
    client.onclose = () => void this.#drop(client, causeOf(undefined, this.#transport));
    return client;
  }

  async #drop(client: Client, cause: string): Promise<void> {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#attempts.ended(cause);
    const { logger, settings } = this.#options;
    const ended = { server: settings.name, cause };
    if (!this.#closing.signal.aborted) logger.warn(ended, "the connection to an MCP server ended");
    await (this.#ending = client.close().catch(() => {})); // the connection is gone already
  }

  /** Removes the server's tools and ends the connection for good, because the server leads back to this host by now. */
  async #leave(error: ToolmountError): Promise<void> {
    const { onTools, onServedToItself } = this.#options;
    this.#attempts.failed(error, undefined);
    await this.rest();
    onTools?.([]);
    onServedToItself?.(error);
  }

  /** Ends the connection for now; the next use makes a new one. */
  async rest(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.close().catch(() => {});
  }

  /** Ends the connection, and with it the server's processes. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort();
    // `#connect` may wait for the server's tools on an open connection; closing the connection ends that wait.
    await this.#client?.close().catch(() => {});
    await this.#connecting?.catch(() => {});
    await this.#client?.close().catch(() => {});
    await this.#transport?.close();
    await this.#ending;
  }
}
