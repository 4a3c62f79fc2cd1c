import type { Host, JsonObject, PastCallFilter, ServerSignIn, ToolOutcome } from "@toolmount/core";

/** A turn that is asked for over HTTP. */
export interface TurnRequest {
  readonly prompt: string;
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  readonly abortSignal: AbortSignal;
  readonly onEvent: (event: object) => void;
}

/** How a turn that paused resumes, or ends. */
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
  /** Newest change first. */
  list(filter: { readonly limit: number }): Promise<readonly object[]>;
  /** Rejects with `SESSION_NOT_FOUND`. */
  show(sessionId: string): Promise<object>;
  /** How the last turn of a session ended; null where none has. Rejects with `SESSION_NOT_FOUND`. */
  lastTurn(sessionId: string): Promise<object | null>;
  /** The user of a session; null for a session without one. Rejects with `SESSION_NOT_FOUND`. */
  owner(sessionId: string): Promise<string | null>;
  run(request: TurnRequest): Promise<object>;
  resume(request: TurnResumption): Promise<object>;
  /**
   * Adds a message of the user to the turn that runs in this process; a second one with the same `id` changes nothing. Rejects
   * with `SESSION_CONFLICT` when none runs here.
   */
  addMessage?(sessionId: string, text: string, id: string): Promise<void>;
  /** Leaves a turn that runs in this process to another one, as if this process were gone. */
  release?(sessionId: string): void;
  fork(sessionId: string, newId: string | undefined, userId: string | undefined): Promise<object>;
}

/** Which calls of the audit are read: so many of the newest, until the request is aborted. */
interface NewestCalls {
  readonly last: number;
  readonly signal: AbortSignal;
}

/** What is known of a plan: the part of the loader that this server needs, bound to one plan. Results are JSON. */
export interface ServedPlan {
  status(): object;
  /** 12 hex digits of the digest of the mounted plan: servers with the same have the same plan. */
  digest(): string;
  /** The plan with its parts merged; secrets are masked. */
  effective(): Promise<object>;
  /** Which lines of the plan made a tool what it is, and what would decide a call of it. */
  why(
    tool: string,
    question: { readonly arguments?: JsonObject | undefined; readonly mode?: string | undefined },
  ): Promise<object>;
  /** Rejects with `PLAN_INVALID`, and the host stays as it was. */
  reload(): Promise<object>;
  /**
   * How another policy would have answered the newest calls of the audit: `policy` is the section of the plan, as YAML. No tool
   * runs. Rejects with `PLAN_INVALID`.
   */
  compare?(policy: string, options: NewestCalls): Promise<object>;
  /** Lines for the lists of the policy, by what people answered in the newest calls of the audit; the plan stays as it is. */
  suggest?(options: NewestCalls): Promise<object>;
}

/** Another protocol of the same host, behind the same guards. */
export interface ServedProtocol {
  fetch(
    request: Request,
    verified: {
      readonly authInfo: {
        /** Always empty: the token stays with the guards. */
        readonly token: string;
        readonly clientId: string;
        readonly scopes: string[];
        /** The user on whose behalf the calls are; null for a token without one. */
        readonly extra: {
          readonly user: string | null;
          /** The address at which the user signs in to a mounted server, by its name; it holds no credential. */
          readonly signInPage?: ((server: string) => string) | undefined;
        };
      };
    },
  ): Promise<Response>;
  /** Resolves when what runs without a request has ended: the server waits for it as for requests. */
  settled?(): Promise<void>;
  close(): Promise<void>;
}

/** How a server stands that the host mounts. */
export interface ServedServer {
  readonly name: string;
  /** `asleep`: not asked for yet. `needs_auth`: a person has to sign in. */
  readonly state: "asleep" | "connecting" | "connected" | "down" | "needs_auth" | "closed";
  /** Why it is down. */
  readonly cause?: string | undefined;
  /** The revision of the protocol. */
  readonly protocol?: string | undefined;
  /** The server's own name and version. */
  readonly server?: string | undefined;
  /** The users who have a connection of their own. */
  readonly users?: readonly { readonly user: string; readonly state: string }[] | undefined;
  /** Tools that were left out, and why. */
  readonly refused: readonly { readonly tool: string; readonly problem: string }[];
}

/** What happened in the sessions of a host. Results are JSON; with a user, only that user's. */
export interface ServedStories {
  /** The sessions of the newest calls that the filter chooses, the last used first. */
  recent(filter: Omit<PastCallFilter, "limit">): Promise<readonly object[]>;
  /** A session without calls and texts has no steps. */
  read(sessionId: string, userId: string | undefined): Promise<object>;
}

/** What waits in the layers of sessions, and the answers of a person. Results are JSON. */
export interface ServedLayers {
  /** The sessions that have changes, or may have; `changes` is null where the layer is not open here. */
  sessions(): Promise<readonly { readonly session: string; readonly changes: number | null }[]>;
  /** Null for a session without a layer. */
  waiting(session: string): Promise<object | null>;
  /** The difference of one entry, line by line, and of a conflict what each side changed. */
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

/** What a person keeps of a layer. */
interface LayerChoice {
  readonly digest: string;
  readonly sections: readonly ("files" | "deletions" | "obeyed" | "repository")[];
  readonly paths?: readonly string[] | undefined;
  /** Of these files only these parts of their differences, counted from 0. */
  readonly parts?: Readonly<Record<string, readonly number[]>> | undefined;
}

/** Who answers, and the user of the session. */
interface LayerAnswerer {
  readonly by: string;
  readonly userId: string | undefined;
}

/** One host, and the parts of it that are served. */
export interface ServedHost {
  readonly host: Host;
  readonly plan?: ServedPlan | undefined;
  readonly turns?: ServedTurns | undefined;
  /** Names the plan where several share a store, the same after a restart. Default: the name of the host. */
  readonly scope?: string | undefined;
  /** An outcome as the text that a model reads. `denier`: who refused a call with the status `denied`. */
  readonly modelText?: ((outcome: ToolOutcome, denier: "hook" | "person") => string) | undefined;
  readonly stories?: ServedStories | undefined;
  /** Absent for a plan without `layer`. */
  readonly layers?: ServedLayers | undefined;
  /** All calls of the audit that a filter chooses, as lines for another program, oldest first. */
  readonly exportCalls?:
    | ((format: "csv" | "jsonl" | "ocsf", filter: Omit<PastCallFilter, "limit">) => AsyncIterable<string>)
    | undefined;
  /** How the servers stand that the host mounts, now. */
  readonly servers?: (() => Promise<readonly ServedServer[]>) | undefined;
  /** Those of them to which people sign in. */
  readonly signIns?: (() => Promise<readonly ServerSignIn[]>) | undefined;
  /** MCP over Streamable HTTP, at `/mcp` for the first host and at `/mcp/<name>` for each. */
  readonly mcp?: ServedProtocol | undefined;
}
