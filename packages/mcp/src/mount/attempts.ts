import type { Client } from "@modelcontextprotocol/client";
import { systemClock, type ToolmountError } from "@toolmount/core";
import { isServedToItself } from "../wire/chain.ts";
import { causeOf, isUnauthorized } from "./failures.ts";
import type { ServerStatus } from "../wire/server-status.ts";
import type { StdioTransport } from "./stdio-transport.ts";

const delaysMs = [0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const;

/** How often the store of credentials is asked whether a person has signed in, in milliseconds. */
const signInPollMs = 1_000;

/** The attempts to connect to one server since the last that succeeded. */
export class Attempts {
  #failures = 0;
  #failedAt = 0;
  #cause: string | undefined;
  #needsAuth = false;
  #refusal: ToolmountError | undefined;

  /** Why no connection is made any more: the server leads back to this host. */
  get refusal(): ToolmountError | undefined {
    return this.#refusal;
  }

  /** Why the last connection ended, or was not made; undefined while there is one. */
  get cause(): string | undefined {
    return this.#cause;
  }

  /** The server refused the credentials: a person has to sign in. */
  get needsAuth(): boolean {
    return this.#needsAuth;
  }

  /** Returns what is left of the delay after the last failure, in milliseconds. */
  get backOffMs(): number {
    const delayMs = delaysMs[this.#failures] ?? 30_000;
    return Math.max(0, this.#failedAt + delayMs - systemClock.now());
  }

  /**
   * Returns how long to wait before the next attempt without a caller. Meanwhile a person may sign in, which only the
   * store shows.
   */
  get pauseMs(): number {
    return this.#needsAuth ? Math.max(signInPollMs, this.backOffMs) : this.backOffMs;
  }

  /** There may be other credentials by now, so the next attempt need not wait. */
  renewed(): void {
    this.#failures = 0;
  }

  /** Returns whether it failed for the same reason as before. */
  failed(error: unknown, transport: StdioTransport | undefined): boolean {
    const before = this.#cause;
    this.#failures++;
    this.#failedAt = systemClock.now();
    this.#needsAuth = isUnauthorized(error);
    if (isServedToItself(error)) this.#refusal = error;
    this.#cause = this.#refusal?.message ?? causeOf(error, transport);
    return this.#cause === before;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#cause = undefined;
    this.#needsAuth = false;
  }

  /** A connection has ended. */
  ended(cause: string): void {
    this.#cause = cause;
  }

  /** A call was refused: a person has to sign in. */
  refused(): void {
    this.#needsAuth = true;
  }
}

/** What the status of one connection is made of. */
interface ConnectionFacts {
  readonly client: Client | undefined;
  readonly isClosed: boolean;
  readonly isConnecting: boolean;
  readonly attempts: Attempts;
  readonly connections: number;
  readonly pid: number | null;
  readonly protocolAt: number | undefined;
}

export function describeConnection(facts: ConnectionFacts): Omit<ServerStatus, "name" | "refused"> {
  const { client, attempts, connections, pid, protocolAt } = facts;
  const protocol = client?.getNegotiatedProtocolVersion();
  const { name, version } = client?.getServerVersion() ?? {};
  return {
    state: stateOf(facts),
    connections,
    ...(client === undefined && attempts.cause !== undefined && { cause: attempts.cause }),
    ...(protocol !== undefined && { protocol }),
    ...(protocolAt !== undefined && { protocolAt: new Date(protocolAt).toISOString() }),
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
