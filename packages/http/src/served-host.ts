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
  /** Denies the calls that wait, and says this to the model. */
  readonly message?: string | undefined;
}

/** Turns of a model over the host: the part of a reasoner that this server needs, bound to its host. Results are JSON. */
export interface ServedTurns {
  /** Returns sessions, newest change first. */
  list(filter: { readonly limit: number }): Promise<readonly object[]>;
  /** Returns a session. Rejects with `SESSION_NOT_FOUND`. */
  show(sessionId: string): Promise<object>;
  /** Returns how the last turn of a session ended; null if none has ended. Rejects with `SESSION_NOT_FOUND`. */
  lastTurn(sessionId: string): Promise<object | null>;
  /** Returns the user of a session; null for a session without one. Rejects with `SESSION_NOT_FOUND`. */
  owner(sessionId: string): Promise<string | null>;
  run(request: TurnRequest): Promise<object>;
  resume(request: TurnResumption): Promise<object>;
  /**
   * Adds a message of the user to the turn that runs in this process; a second one with the same `id` changes nothing. Rejects
   * with `SESSION_CONFLICT` when none runs here.
   */
  addMessage?(sessionId: string, text: string, id: string): Promise<void>;
  /** Gives up a turn that runs in this process, so that another process can take it, as if this one had ended. */
  release?(sessionId: string): void;
  fork(sessionId: string, newId: string | undefined, userId: string | undefined): Promise<object>;
}

/** Which calls of the audit are read: the `last` newest ones, until `signal` is aborted. */
interface NewestCalls {
  readonly last: number;
  readonly signal: AbortSignal;
}

/** The part of the loader that this server needs, bound to one plan. Results are JSON. */
export interface ServedPlan {
  status(): object;
  /** Returns 12 hex digits of the digest of the mounted plan. Servers with the same digits have the same plan. */
  digest(): string;
  /** Returns the plan with its parts merged and secrets masked. */
  effective(): Promise<object>;
  /** Explains which lines of the plan shaped a tool, and which would decide a call of it. */
  why(
    tool: string,
    question: { readonly arguments?: JsonObject | undefined; readonly mode?: string | undefined },
  ): Promise<object>;
  /** Reloads the plan. Rejects with `PLAN_INVALID`, and the host stays as it was. */
  reload(): Promise<object>;
  /**
   * Returns how another policy would have answered the newest calls of the audit. `policy` is that section of a plan, as YAML. No
   * tool runs. Rejects with `PLAN_INVALID`.
   */
  compare?(policy: string, options: NewestCalls): Promise<object>;
  /** Suggests lines for the policy's lists, from people's answers to the newest calls of the audit. The plan stays as it is. */
  suggest?(options: NewestCalls): Promise<object>;
}

/** Another protocol for the same host, behind the same guards. */
export interface ServedProtocol {
  fetch(
    request: Request,
    verified: {
      readonly authInfo: {
        /** Always empty: the token stays with the guards. */
        readonly token: string;
        readonly clientId: string;
        readonly scopes: string[];
        /** The user for whom the calls are; null for a token without one. */
        readonly extra: {
          readonly user: string | null;
          /** Returns the address at which the user signs in to the mounted server of this name. It contains no credential. */
          readonly signInPage?: ((server: string) => string) | undefined;
        };
      };
    },
  ): Promise<Response>;
  /** Resolves when work without a request has ended. The server waits for it as for requests. */
  settled?(): Promise<void>;
  close(): Promise<void>;
}

/** The state of a server that the host mounts. */
export interface ServedServer {
  readonly name: string;
  /** `asleep`: not needed yet. `needs_auth`: a user has to sign in. */
  readonly state: "asleep" | "connecting" | "connected" | "down" | "needs_auth" | "closed";
  /** The reason why the server is down. */
  readonly cause?: string | undefined;
  /** The revision of the protocol. */
  readonly protocol?: string | undefined;
  /** The server's own name and version. */
  readonly server?: string | undefined;
  /** The users who have their own connection. */
  readonly users?: readonly { readonly user: string; readonly state: string }[] | undefined;
  /** Tools that were left out, each with the reason. */
  readonly refused: readonly { readonly tool: string; readonly problem: string }[];
}

/** Stories of the sessions of a host. Results are JSON; if a user is given, only about that user's sessions. */
export interface ServedStories {
  /** Returns the sessions of the newest calls that the filter chooses, the last used first. */
  recent(filter: Omit<PastCallFilter, "limit">): Promise<readonly object[]>;
  /** Returns the story of a session. A session without calls and texts has no steps. */
  read(sessionId: string, userId: string | undefined): Promise<object>;
}

/** The changes that wait in the layers of sessions, and people's answers to them. Results are JSON. */
export interface ServedLayers {
  /** Returns the sessions that have changes, or may have; `changes` is null if the layer is not open here. */
  sessions(): Promise<readonly { readonly session: string; readonly changes: number | null }[]>;
  /** Returns the waiting changes of a session; null for a session without a layer. */
  waiting(session: string): Promise<object | null>;
  /** Returns the difference of one entry, line by line, and for a conflict the changes of each side. */
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

/** The part of a layer that a person keeps. */
interface LayerChoice {
  readonly digest: string;
  readonly sections: readonly ("files" | "deletions" | "obeyed" | "repository")[];
  readonly paths?: readonly string[] | undefined;
  /** For these files, only these parts of their differences are kept, counted from 0. */
  readonly parts?: Readonly<Record<string, readonly number[]>> | undefined;
}

/** The person who answers, and the user of the session. */
interface LayerAnswerer {
  readonly by: string;
  readonly userId: string | undefined;
}

/** One host, and the parts of it that are served. */
export interface ServedHost {
  readonly host: Host;
  readonly plan?: ServedPlan | undefined;
  readonly turns?: ServedTurns | undefined;
  /** Names the plan where several plans share a store. Stays the same after a restart. Default: the name of the host. */
  readonly scope?: string | undefined;
  /** Returns an outcome as the text that a model reads. `denier` says who refused a call with the status `denied`. */
  readonly modelText?: ((outcome: ToolOutcome, denier: "hook" | "person") => string) | undefined;
  readonly stories?: ServedStories | undefined;
  /** Absent for a plan without `layer`. */
  readonly layers?: ServedLayers | undefined;
  /** Yields all calls of the audit that a filter chooses, as lines for another program, oldest first. */
  readonly exportCalls?:
    | ((format: "csv" | "jsonl" | "ocsf", filter: Omit<PastCallFilter, "limit">) => AsyncIterable<string>)
    | undefined;
  /** Returns the current state of the servers that the host mounts. */
  readonly servers?: (() => Promise<readonly ServedServer[]>) | undefined;
  /** Returns the mounted servers to which users sign in. */
  readonly signIns?: (() => Promise<readonly ServerSignIn[]>) | undefined;
  /** MCP over Streamable HTTP, at `/mcp` for the first host and at `/mcp/<name>` for each. */
  readonly mcp?: ServedProtocol | undefined;
}
