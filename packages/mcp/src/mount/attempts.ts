import type { Client } from "@modelcontextprotocol/client";
import { systemClock, type ToolmountError } from "@toolmount/core";
import { isServedToItself } from "../wire/chain.ts";
import type { ConnectionOptions } from "./client.ts";
import { signsInByHeader, type ServerSettings } from "./config.ts";
import { causeOf, gone, isAway, isSilent, isUnauthorized, needsSignIn, refusesToPost } from "./failures.ts";
import type { KnownWay, Way } from "./known-way.ts";
import type { TransportOptions } from "./transport.ts";
import type { ServerStatus } from "../wire/server-status.ts";
import type { StdioTransport } from "./stdio-transport.ts";

const delaysMs = [0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const;

/** Milliseconds between two looks into the store of credentials for a new sign-in. */
const signInPollMs = 1_000;

/** The failed attempts to connect to one server since the last success. */
export class Attempts {
  #failures = 0;
  #failedAt = 0;
  #cause: string | undefined;
  #needsAuth = false;
  #refusal: ToolmountError | undefined;
  #isReported: boolean;
  readonly #isKeyed: boolean;

  constructor({ settings, isReported = false }: Pick<ConnectionOptions, "settings" | "isReported">) {
    // With credentials in the plan, no person can sign in.
    this.#isKeyed = signsInByHeader(settings);
    this.#isReported = isReported;
  }

  /** Set if the server leads back to this host: the error that stops all further attempts to connect. */
  get refusal(): ToolmountError | undefined {
    return this.#refusal;
  }

  /** Why the last connection ended or could not be made; undefined while the server is connected. */
  get cause(): string | undefined {
    return this.#cause;
  }

  /** Whether the server refused the credentials, so that a person has to sign in. */
  get needsAuth(): boolean {
    return this.#needsAuth;
  }

  /** Returns what is left of the delay after the last failure, in milliseconds. */
  get backOffMs(): number {
    const delayMs = delaysMs[this.#failures] ?? 30_000;
    return Math.max(0, this.#failedAt + delayMs - systemClock.now());
  }

  /**
   * Returns how long to wait before an attempt that no caller waits for, in milliseconds. If a person has to sign in, it is at
   * least a second, because each attempt then reads the store of credentials.
   */
  get pauseMs(): number {
    return this.#needsAuth ? Math.max(signInPollMs, this.backOffMs) : this.backOffMs;
  }

  /** Resets the delay, because there may be other credentials by now. */
  renewed(): void {
    this.#failures = 0;
  }

  /** Notes a failure. Returns whether its reason is the same as before. */
  failed(error: unknown, transport: StdioTransport | undefined): boolean {
    const before = this.#cause;
    this.#failures++;
    this.#failedAt = systemClock.now();
    this.#needsAuth = isUnauthorized(error) && !this.#isKeyed;
    if (isServedToItself(error)) this.#refusal = error;
    this.#cause = this.#refusal?.message ?? causeOf(error, transport);
    return this.#cause === before;
  }

  /** Notes a failure, logs it, and returns the error for callers. A repeated reason is logged at level `debug` only. */
  end(
    error: unknown,
    transport: StdioTransport | undefined,
    options: Pick<TransportOptions, "settings" | "logger"> & { readonly user?: string | undefined },
  ): Error {
    const { settings, logger } = options;
    // A server that is away for long is tried again and again, and fails for the same reason each time.
    const level = this.failed(error, transport) || this.#isReported ? "debug" : "warn";
    this.#isReported = false;
    const why = this.#cause ?? "";
    const facts = {
      server: settings.name,
      ...(this.#refusal === undefined ? { err: error } : { code: this.#refusal.code }),
    };
    logger[level](facts, this.#refusal?.message ?? `an MCP server cannot be reached: ${why}`);
    if (this.#refusal !== undefined) return this.#refusal;
    return isUnauthorized(error) ? needsSignIn(options, why, error) : gone(settings.name, why, error);
  }

  succeeded(): void {
    this.#isReported = false;
    this.#failures = 0;
    this.#cause = undefined;
    this.#needsAuth = false;
  }

  ended(cause: string): void {
    this.#cause = cause;
  }

  /** Notes that a call was refused for its credentials, so a person has to sign in. */
  refused(): void {
    this.#needsAuth = !this.#isKeyed;
  }
}

/**
 * Returns another way to connect to a server that could not be reached: as a server from before 2026, over SSE or, if an earlier
 * connection found the `way`, as an unknown server. Undefined if no other way is worth a try.
 */
export function otherWay(
  error: unknown,
  { command, transport, era }: Pick<ServerSettings, "command" | "transport" | "era">,
  { way, ended }: { readonly way: Way; readonly ended: string | undefined },
): Way | undefined {
  if (way.prior !== undefined) return isAway(error) ? undefined : { prior: undefined };
  const prior = { kind: "legacy" } as const;
  if (command === undefined && transport === undefined && refusesToPost(error))
    return { prior, found: "sse" };
  // Some servers from before 2026 end when they are asked which revision they speak, or do not answer.
  const isOld = command === undefined ? isSilent(error) : ended !== undefined;
  return era === "auto" && isOld ? { prior } : undefined;
}

interface ConnectionFacts {
  readonly client: Client | undefined;
  readonly isClosed: boolean;
  readonly isConnecting: boolean;
  readonly attempts: Attempts;
  readonly connections: number;
  readonly pid: number | null;
  readonly known: KnownWay;
}

export function describeConnection(facts: ConnectionFacts): Omit<ServerStatus, "name" | "refused"> {
  const { client, attempts, connections, pid, known } = facts;
  const protocol = client?.getNegotiatedProtocolVersion();
  const { name, version } = client?.getServerVersion() ?? {};
  return {
    state: stateOf(facts),
    connections,
    ...(client === undefined && attempts.cause !== undefined && { cause: attempts.cause }),
    ...(protocol !== undefined && { protocol }),
    ...(known.at !== undefined && { protocolAt: new Date(known.at).toISOString() }),
    ...(known.says !== undefined && { way: known.says }),
    ...(name !== undefined && { server: `${name} ${version}` }),
    ...(client !== undefined && pid !== null && { pid }),
  };
}

function stateOf({ client, isClosed, isConnecting, attempts }: ConnectionFacts): ServerStatus["state"] {
  if (isClosed) return "closed";
  if (client !== undefined) return "connected";
  if (isConnecting) return "connecting";
  if (attempts.needsAuth) return "needs_auth";
  return attempts.cause === undefined ? "asleep" : "down";
}
