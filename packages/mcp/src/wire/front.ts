import { AsyncLocalStorage } from "node:async_hooks";
import type {
  ClientCapabilities,
  LoggingLevel,
  RequestOptions,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { ToolOutcome } from "@toolmount/core";

/** A request of a server to its client, as both revisions write it. */
export interface ServerAsk {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** Requests of a server, and a client's answers by the same keys. */
export type ServerAsks = Readonly<Record<string, ServerAsk>>;
export type Answers = Readonly<Record<string, unknown>>;

/** Asks a client from before 2026 with requests of the protocol, on the stream of its own request. */
export async function askEarlier(
  { mcpReq }: ServerContext,
  asked: ServerAsks,
  { more = {}, signal }: { readonly more?: object; readonly signal?: AbortSignal | undefined } = {},
): Promise<Answers> {
  // The SDK's types know each kind of request by itself.
  const send = mcpReq.send as (request: object, options: RequestOptions) => Promise<unknown>;
  const answers = Object.entries(asked).map(async ([key, { method, params }]) => {
    const request = { method, params: { ...params, ...more } };
    return [key, await send(request, signal === undefined ? {} : { signal })] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

/**
 * Calls an internal tool in the client's session. If the call needs an approval, waits for the decision if the client's own
 * call can become a task or the options say so.
 */
export type InternalCall = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<ToolOutcome>;

/** A client, as one of its requests describes it. */
export interface FrontClient {
  /** Identifies the client: the same object for all its calls. */
  readonly client: object;
  readonly capabilities: ClientCapabilities;
  /** The least severe log message that the client wants; undefined if it wants none. */
  readonly logLevel: LoggingLevel | undefined;
  /** Whether its user's browser is on this machine, so that the user can sign in to a mounted server. */
  readonly isHere?: boolean | undefined;
  /** Returns the address of the page at which the user signs in to a mounted server; undefined if the host serves no page. */
  readonly signInPage?: ((server: string) => string) | undefined;
  log(level: LoggingLevel, data: unknown, logger: string | undefined): void;
}

/** The client's side of a request for which a mounted server works; the server's questions go to it. */
export interface Front {
  /** The client, as its latest request describes it. */
  readonly from: FrontClient;
  /** Answers that came with the request itself, before anything was asked. */
  readonly given?: Answers | undefined;
  /**
   * Makes the call a task that the client follows from now on; undefined if the client does not support tasks. Resolves when
   * the call's ticket is stored with the task.
   */
  readonly becomeTask?: ((message?: string, ticket?: string) => Promise<void>) | undefined;
  /** Calls an internal tool of the host for the same client, so that policy, approvals, limits and audit see a question. */
  readonly callInternal: InternalCall;
  /** The questions that are put to this request. */
  readonly questions: Questions;
  /**
   * Passes requests of the server on to the client, and resolves to its answers by the same keys. Rejects when the server
   * withdraws them.
   */
  ask(requests: ServerAsks, withdrawn?: AbortSignal): Promise<Answers>;
  /**
   * Notifies the client that it need not wait any more at an address that it opened; undefined if its revision has no such
   * message.
   */
  readonly completed?: ((elicitationId: string) => void) | undefined;
}

/** Whether a client can show forms. An empty capability means forms: older clients know no other kind. */
export function takesForms({ elicitation }: ClientCapabilities): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Whether a client can answer a request of a server, by the capabilities that it states. */
export function canAnswer({ method, params }: ServerAsk, capabilities: ClientCapabilities): boolean {
  const { elicitation, sampling, roots } = capabilities;
  if (method === "sampling/createMessage") return sampling !== undefined;
  if (method === "roots/list") return roots !== undefined;
  if (params?.["mode"] === "url") return elicitation?.url !== undefined;
  return takesForms(capabilities);
}

/**
 * The questions that are put to one request of a client. A server from before 2026 does not say for which of several requests it
 * asks, so a question may be put to a request whose work ends first. Its result then waits until the question is answered,
 * because with the result the client counts the request as done.
 */
export class Questions {
  #open = 0;
  #ended = Promise.withResolvers<void>();

  async during<Result>(ask: () => Promise<Result>): Promise<Result> {
    this.#open++;
    try {
      return await ask();
    } finally {
      this.#open--;
      this.#ended.resolve();
      this.#ended = Promise.withResolvers<void>();
    }
  }

  /** Settles as `work` does, after all questions have ended. */
  async after<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } finally {
      while (this.#open > 0) await this.#ended.promise;
    }
  }
}

/** The clients whose requests run on one connection to a server. */
export class Fronts {
  readonly #running = new Set<Front>();

  /**
   * The front that is asked: a server from before 2026 does not say for which request it asks, so the latest one counts.
   * Undefined if several clients have requests on the connection.
   */
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

/** The front of the request that runs now; undefined if no MCP client made it. */
export const currentFront = new AsyncLocalStorage<Front>();
