import { AsyncLocalStorage } from "node:async_hooks";
import type { ClientCapabilities, LoggingLevel, ServerContext } from "@modelcontextprotocol/server";
import type { ToolOutcome } from "@toolmount/core";

/** A request of a server to its client, as both revisions write it. */
export interface ServerAsk {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** Requests, by their keys, and what a client answers to them. */
export type ServerAsks = Readonly<Record<string, ServerAsk>>;
export type Answers = Readonly<Record<string, unknown>>;

/** Asks a client from before 2026: by requests of the protocol, on the stream of its own request. */
export async function askEarlier(
  { mcpReq }: ServerContext,
  asked: ServerAsks,
  more: object = {},
): Promise<Answers> {
  const answers = Object.entries(asked).map(async ([key, { method, params }]) => {
    const request = { method: method as "elicitation/create", params: { ...params, ...more } };
    return [key, await mcpReq.send(request as never)] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

/** Makes one call of an internal tool in the client's session, and waits for a decision where the client asked for that. */
export type InternalCall = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<ToolOutcome>;

/** A client, as one of its requests describes it. */
export interface FrontClient {
  /** Who it is: the same object for all calls of one client. */
  readonly client: object;
  readonly capabilities: ClientCapabilities;
  /** The least severe log message that it wants; undefined for none. */
  readonly logLevel: LoggingLevel | undefined;
  /** Whether its user's browser is on this machine, so that the user can sign in to a mounted server. */
  readonly isHere?: boolean | undefined;
  /** Gives the address of the page at which its user signs in to a mounted server; undefined where the host serves no page. */
  readonly signInPage?: ((server: string) => string) | undefined;
  log(level: LoggingLevel, data: unknown, logger: string | undefined): void;
}

/** A request for which a mounted server works, and what its client answers meanwhile. */
export interface Front {
  /** Its client, as the latest request of it says. */
  readonly from: FrontClient;
  /** Answers that came with the request itself, before anything was asked. */
  readonly given?: Answers | undefined;
  /**
   * The client follows the call as a task from now on; undefined where it does not speak tasks. Resolves when the ticket of
   * the call is stored with its task.
   */
  readonly becomeTask?: ((message?: string, ticket?: string) => Promise<void>) | undefined;
  /** Calls an internal tool of the host for the same client: so policy, approvals, limits and audit see a question. */
  readonly callInternal: InternalCall;
  /** Passes requests of the server on, by their keys, and resolves to the client's answers by the same keys. */
  ask(requests: ServerAsks): Promise<Answers>;
  /** Says that what an address was shown for is done; undefined where the revision of the client has no word for it. */
  readonly completed?: ((elicitationId: string) => void) | undefined;
}

/** The clients whose requests run on one connection to a server. */
export class Fronts {
  readonly #running = new Set<Front>();

  /** A server from before 2026 does not say for which request it asks: the latest, where all are of one client. */
  get only(): Front | undefined {
    const latest = [...this.#running].at(-1);
    return [...this.#running].every(({ from }) => from.client === latest?.from.client) ? latest : undefined;
  }

  async run<Result>(front: Front | undefined, work: () => Promise<Result>): Promise<Result> {
    if (front === undefined) return work();
    this.#running.add(front);
    try {
      return await work();
    } finally {
      this.#running.delete(front);
    }
  }
}

/** The front of the request that runs now; nothing where no MCP client made it. */
export const currentFront = new AsyncLocalStorage<Front>();
