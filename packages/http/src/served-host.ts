import type { Host, JsonObject, PastCallFilter, ServerSignIn, ToolOutcome } from "@toolmount/core";

/** A turn to run for an HTTP request. */
export interface TurnRequest {
  readonly prompt: string;
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  readonly abortSignal: AbortSignal;
  readonly onEvent: (event: object) => void;
}

/** How a paused turn is resumed or ended. */
export interface TurnResumption extends Omit<TurnRequest, "prompt" | "sessionId"> {
  readonly sessionId: string;
  readonly clientResults?:
    | readonly { readonly callId: string; readonly result?: unknown; readonly error?: string | undefined }[]
    | undefined;
  readonly cancel?: boolean | undefined;
  /** A message for the model. It denies the calls that wait. */
  readonly message?: string | undefined;
}

/** The turns of a model over a host: the functions of a reasoner that this server needs, for one host. Results are JSON. */
export interface ServedTurns {
  /** Returns sessions, the last changed first. */
  list(filter: { readonly limit: number }): Promise<readonly object[]>;
  /** Returns a session. Rejects with `SESSION_NOT_FOUND`. */
  show(sessionId: string): Promise<object>;
  /** Returns how the last ended turn of a session ended; null if no turn has ended. Rejects with `SESSION_NOT_FOUND`. */
  lastTurn(sessionId: string): Promise<object | null>;
  /** Returns the user of a session; null for a session without one. Rejects with `SESSION_NOT_FOUND`. */
  owner(sessionId: string): Promise<string | null>;
  run(request: TurnRequest): Promise<object>;
  resume(request: TurnResumption): Promise<object>;
  /**
   * Adds a message of the user to the turn that runs in this process. A second message with the same `id` changes nothing.
   * Rejects with `SESSION_CONFLICT` if no turn of the session runs here.
   */
  addMessage?(sessionId: string, text: string, id: string): Promise<void>;
  /** Stops keeping the session of a turn that runs in this process, so that another process can resume the turn. */
  release?(sessionId: string): void;
  fork(sessionId: string, newId: string | undefined, userId: string | undefined): Promise<object>;
}

/** Which calls of the audit are read: the `last` newest ones. `signal` stops reading them. */
interface NewestCalls {
  readonly last: number;
  readonly signal: AbortSignal;
}

/** The functions of the loader that this server needs, for one plan. Results are JSON. */
export interface ServedPlan {
  status(): object;
  /** Returns 12 hex digits of the digest of the mounted plan. Servers with the same digits have the same plan. */
  digest(): string;
  /** Returns the plan with its parts merged and secrets masked. */
  effective(): Promise<object>;
  /** Explains which lines of the plan shaped a tool, and what would decide a call of the tool. */
  why(
    tool: string,
    question: { readonly arguments?: JsonObject | undefined; readonly mode?: string | undefined },
  ): Promise<object>;
  /** Reloads the plan. Rejects with `PLAN_INVALID`; the host then keeps its current plan. */
  reload(): Promise<object>;
  /**
   * Returns how another policy would have answered the newest calls of the audit. `policy` is the section of a plan as YAML. No
   * tool runs. Rejects with `PLAN_INVALID`.
   */
  compare?(policy: string, options: NewestCalls): Promise<object>;
  /** Suggests lines for the policy, from people's answers to the newest calls of the audit. Does not change the plan. */
  suggest?(options: NewestCalls): Promise<object>;
}

/** Another protocol, such as MCP, for the same host. Its requests are checked as all others. */
export interface ServedProtocol {
  fetch(
    request: Request,
    verified: {
      readonly authInfo: {
        /** Always empty, so that the protocol cannot pass the token on. */
        readonly token: string;
        readonly clientId: string;
        readonly scopes: string[];
        /** Facts about the sender that the protocol's own types do not have. */
        readonly extra: {
          readonly user: string | null;
          /** Returns the address at which the user signs in to the mounted server of this name. It contains no credential. */
          readonly signInPage?: ((server: string) => string) | undefined;
        };
      };
    },
  ): Promise<Response>;
  /** Resolves when all work that no request waits for has ended. The server waits for this when it ends. */
  settled?(): Promise<void>;
  close(): Promise<void>;
}

/** The state of an MCP server that the host mounts. */
export interface ServedServer {
  readonly name: string;
  /** `asleep`: it was not needed yet. `needs_auth`: a user must sign in. */
  readonly state: "asleep" | "connecting" | "connected" | "down" | "needs_auth" | "closed";
  /** The reason why the server is down. */
  readonly cause?: string | undefined;
  /** The revision of the protocol. */
  readonly protocol?: string | undefined;
  /** The name and version that the server states about itself. */
  readonly server?: string | undefined;
  /** The users with their own connection, and its state. */
  readonly users?: readonly { readonly user: string; readonly state: string }[] | undefined;
  /** Tools that were left out, each with the reason. */
  readonly refused: readonly { readonly tool: string; readonly problem: string }[];
}

/**
 * Stories of the sessions of a host: what happened in them. Results are JSON. If a user is given, only that user's sessions are
 * read.
 */
export interface ServedStories {
  /** Returns sessions whose newest calls match the filter, the last used first. */
  recent(filter: Omit<PastCallFilter, "limit">): Promise<readonly object[]>;
  /** Returns the story of a session. Its steps are empty if the session has neither calls nor texts. */
  read(sessionId: string, userId: string | undefined): Promise<object>;
}

/** The file changes that wait in the layers of sessions, and the answers of people. Results are JSON. */
export interface ServedLayers {
  /**
   * Returns the sessions that have changes. `changes` is null if this server has not opened the layer, so that it may be empty.
   */
  sessions(): Promise<readonly { readonly session: string; readonly changes: number | null }[]>;
  /** Returns the waiting changes of a session; null for a session without a layer. */
  waiting(session: string): Promise<object | null>;
  /** Returns the difference of one entry line by line and, for a conflict, what the person and the session each changed. */
  difference(
    session: string,
    path: string,
  ): Promise<{
    readonly difference: string | null;
    readonly conflict: { readonly person: string; readonly session: string } | null;
  }>;
  keep(session: string, choice: LayerChoice, context: LayerAnswerer): Promise<ToolOutcome>;
  drop(session: string, digest: string, context: LayerAnswerer): Promise<ToolOutcome>;
}

/** Which of the waiting changes a person keeps. */
interface LayerChoice {
  readonly digest: string;
  readonly sections: readonly ("files" | "deletions" | "obeyed" | "repository")[];
  readonly paths?: readonly string[] | undefined;
  /** For a file in this map, only these parts of its difference are kept, counted from 0. */
  readonly parts?: Readonly<Record<string, readonly number[]>> | undefined;
}

/** The person who keeps or drops changes, and the user of the session. */
interface LayerAnswerer {
  readonly by: string;
  readonly userId: string | undefined;
}

/** A host, and what of it is served over HTTP. */
export interface ServedHost {
  readonly host: Host;
  readonly plan?: ServedPlan | undefined;
  readonly turns?: ServedTurns | undefined;
  /**
   * A name for the plan in a store that several plans share, which stays the same after a restart. Default: the name of the host.
   */
  readonly scope?: string | undefined;
  /** Returns the text of an outcome that a model reads. `denier` is who denied a call with the status `denied`. */
  readonly modelText?: ((outcome: ToolOutcome, denier: "hook" | "person") => string) | undefined;
  readonly stories?: ServedStories | undefined;
  /** Absent for a plan without `layer`. */
  readonly layers?: ServedLayers | undefined;
  /** Yields the calls of the audit that match a filter, oldest first, as lines for another program. */
  readonly exportCalls?:
    | ((format: "csv" | "jsonl" | "ocsf", filter: Omit<PastCallFilter, "limit">) => AsyncIterable<string>)
    | undefined;
  /** Returns the current states of the MCP servers that the host mounts. */
  readonly servers?: (() => Promise<readonly ServedServer[]>) | undefined;
  /** Returns those mounted MCP servers to which users sign in. */
  readonly signIns?: (() => Promise<readonly ServerSignIn[]>) | undefined;
  /** MCP over Streamable HTTP, at `/mcp` for the first host and at `/mcp/<name>` for each. */
  readonly mcp?: ServedProtocol | undefined;
}
