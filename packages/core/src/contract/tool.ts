import type { CallInfo, ToolContext } from "./context.ts";
import type { UndoRequest } from "./changes.ts";
import type { CallHistory } from "./origins.ts";
import type { Preview, PreviewedEffect } from "./preview.ts";
import type { SchemaOutput, ToolSchema } from "./standard-schema.ts";
import type { PartialResult, ToolResult, ToolReturn } from "./result.ts";

/** `read` changes nothing; `write` creates or updates; `delete` removes permanently; `side_effect` acts outside. */
export type Category = "read" | "write" | "delete" | "side_effect";

/** `low` has no impact on the world; `medium` may influence decisions; `high` is significant or irreversible. */
export type ConsequenceLevel = "low" | "medium" | "high";

/** Whether a tool is offered and may be called; see `ToolDefinition.status`. */
export type ToolStatus = "active" | "deprecated" | "internal" | "removed";

/** Milliseconds that a call may run if neither plan nor tool says. Source: Tool-Forge's ToolDefinition. */
export const defaultTimeoutMs = 15_000;

/**
 * A tool: its name, its description, its arguments, its classification and its work.
 * Source of the shape: Tool-Forge's ToolDefinition; `usage` and `summary` are Aptix's.
 */
export interface ToolDefinition<Schema extends ToolSchema = ToolSchema, Data = unknown> {
  /** lower_snake_case, at most 64 characters, unique in a host. */
  readonly name: string;
  /** One or two sentences for the model: what the tool does, when to use it, and when not. */
  readonly description: string;
  readonly schema: Schema;
  /** Undefined only for adapted tools whose contract has no category. */
  readonly category?: Category | undefined;
  readonly consequenceLevel?: ConsequenceLevel | undefined;
  /**
   * Whether a person is asked before the tool runs. A function decides by the arguments; its promise is awaited, and if it throws
   * or rejects, the person is asked.
   */
  readonly requiresConfirmation?:
    | boolean
    | ((params: SchemaOutput<Schema>) => boolean | Promise<boolean>)
    | undefined;
  /** Milliseconds that a call may run. 0 means no timeout. Default: the host's limit, which is 15000 by default. */
  readonly timeout?: number | undefined;
  /**
   * Milliseconds that a call may take in all if it reports progress: each report starts `timeout` again. If absent, progress
   * changes nothing. A timeout that the plan sets is never extended.
   */
  readonly maxTimeout?: number | undefined;
  /** Long guidance: purpose, rules, arguments, error codes, good and bad usage. */
  readonly usage?: string | undefined;
  /** One line for a catalogue. */
  readonly summary?: string | undefined;
  /**
   * What a call does, for the person who is asked about it: `Pay {to} {amount:2}`. `{name}` is an argument, and `{name:2}` a
   * number with two decimals. If absent, the question states the tool and its control arguments.
   */
  readonly question?: string | undefined;
  /** The schema of `data` on success. */
  readonly outputSchema?: ToolSchema | undefined;
  /** `client` hands the call back to the caller as pending. */
  readonly execution?: "server" | "client" | undefined;
  /** Modes in which the tool is offered; `*` means all. Default: all. */
  readonly modes?: readonly string[] | undefined;
  /** Whether the tool is offered in every mode and without activation. Useful for tools with which a model finds other tools. */
  readonly alwaysOffered?: boolean | undefined;
  /**
   * `deprecated` runs but is not offered; `removed` is not mounted. `internal` is neither listed nor callable by name:
   * it serves requests of clients that are not calls of tools, such as reading a resource of an MCP server.
   */
  readonly status?: ToolStatus | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly version?: string | undefined;
  /** Declared names of the tools that this tool calls. */
  readonly dependsOn?: readonly string[] | undefined;
  /** Whether the tool's description may change between turns. Schema and classification may not. */
  readonly dynamic?: boolean | undefined;
  /**
   * Whether two runs with the same arguments have the same effect as one. Such a tool can wait for the approval of a call that it
   * makes: it runs again, and the calls that it made before are answered from the first run.
   */
  readonly idempotent?: boolean | undefined;
  /**
   * Whether the tool makes the same calls in the same order when it runs again, as long as they get the same answers. Like an
   * idempotent tool, it can wait for the approval of a call that it makes, and its calls are answered from the first run. In a
   * stored session it also runs again if its process died and the call is made again with its id. A call that it had begun by
   * then, and that may not run twice, is answered with `OUTCOME_UNKNOWN`.
   */
  readonly repeatable?: boolean | undefined;
  /**
   * Whether two runs of `undo` for one change, even at the same time, have the effect of one. The host then runs it again if a
   * process died or stalled in the middle. Otherwise a person decides how to continue.
   */
  readonly idempotentUndo?: boolean | undefined;
  /** Whether calls of the tool cannot be undone. People read this before a call and at an undo. Not for a tool with `undo`. */
  readonly irreversible?: boolean | undefined;
  /** Arguments that decide where an effect goes or what it touches: recipient, address, path, amount. */
  readonly control?: readonly string[] | undefined;
  /** Arguments whose values are only transported, such as a subject, a body or content. */
  readonly content?: readonly string[] | undefined;
  /** The contract that the tool follows, if that is not toolmount's. */
  readonly origin?: "aptix" | "amplifier" | "forge" | "mcp" | undefined;
  /** The error texts of an adapted tool's contract; other tools use those of the host. */
  readonly failures?: FailureWording | undefined;
  // A method, not a property, so that a tool with a more specific schema is assignable to `ToolDefinition`.
  execute(params: SchemaOutput<Schema>, context: ToolContext): Promise<ToolReturn<Data>> | ToolReturn<Data>;
  /**
   * Undoes exactly one change, which `execute` gave to `context.undoable` before it made the change. It compares first: it
   * changes something only if everything is as the call left it, and succeeds without a change if everything is already as
   * before the call. Otherwise it fails and says what changed. So it may run more than once. It makes no calls.
   */
  undo?(change: UndoRequest, context: ToolContext): Promise<ToolReturn> | ToolReturn;
  /**
   * Compares the state before these changes, which come newest first, with the state now, and returns the differences. It only
   * reads. It gets the changes of all tools that share this function, so that people see one difference for a whole session.
   */
  readonly difference?:
    | ((changes: readonly UndoRequest[]) => Promise<readonly PreviewedEffect[]>)
    | undefined;
  /**
   * Returns what `execute` would do, without doing it: the effects and the result. It sees what earlier previews staged in
   * `context.rehearsal`, and stages its own effects. A tool whose only effect is on `context.session` may run `execute`.
   */
  preview?(params: SchemaOutput<Schema>, context: ToolContext): Promise<Preview> | Preview;
}

/** How a contract words the failure of a tool that threw. */
export interface FailureWording {
  /** The name of the tool in these texts; for Aptix's contract also in the log's tag, `[<className>_ExecuteAsync__Exception]`. */
  readonly className: string;
  /** Returns the failure that the model reads. It must contain no stack, path or secret. */
  describe(thrown: unknown): PartialResult<never>;
}

/** The parameter of `defineTool`, in which the classification is required. */
export interface ToolSpecification<Schema extends ToolSchema, Data> extends ToolDefinition<Schema, Data> {
  readonly category: Category;
  readonly consequenceLevel: ConsequenceLevel;
  readonly requiresConfirmation: boolean | ((params: SchemaOutput<Schema>) => boolean | Promise<boolean>);
}

/** A context from a caller without a host, in which every member is optional. */
export type PartialContext = { readonly [Key in keyof ToolContext]?: ToolContext[Key] | undefined };

/**
 * A tool as `defineTool` returns it. Its `execute` works without a host and without a context, checks the arguments and
 * the abort signal first, throws nothing except interrupts, and returns a complete result.
 */
export interface Tool<Schema extends ToolSchema = ToolSchema, Data = unknown> extends Omit<
  ToolDefinition<Schema, Data>,
  "execute"
> {
  execute(params: unknown, context?: PartialContext): Promise<ToolResult<Data>>;
}

/** A mounted tool as gates, policies and listings see it. */
export interface ToolInfo {
  /** The name under which the tool is mounted and offered. */
  readonly name: string;
  /** The name that the tool's author gave it. */
  readonly declaredName: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly category?: Category;
  readonly consequenceLevel?: ConsequenceLevel;
  readonly requiresConfirmation: boolean | "dynamic";
  readonly timeoutMs: number;
  readonly usage?: string;
  readonly summary?: string;
  /** A sentence for the person who is asked about a call, with `{argument}` for values. */
  readonly question?: string;
  readonly execution: "server" | "client";
  readonly modes?: readonly string[];
  readonly alwaysOffered: boolean;
  readonly status: ToolStatus;
  readonly tags: readonly string[];
  readonly version?: string;
  readonly dependsOn: readonly string[];
  readonly idempotent: boolean;
  /** Set if the tool has `undo`. */
  readonly undoable?: true;
  /** Set if two runs of the tool's `undo` for one change have the effect of one. */
  readonly idempotentUndo?: true;
  /** Set if calls of the tool cannot be undone. */
  readonly irreversible?: true;
  /** Set if the tool has `preview`. */
  readonly previews?: true;
  /** Arguments that decide where an effect goes; absent when the author did not say. */
  readonly control?: readonly string[];
  /** Arguments whose values are only transported. */
  readonly content?: readonly string[];
  readonly dynamic: boolean;
  readonly origin: "toolmount" | "aptix" | "amplifier" | "forge" | "mcp";
  readonly aliases: readonly string[];
  /** The id of the module that mounted the tool. */
  readonly owner: string;
}

/** The facts of one call, for gates, policies and approvers. */
export interface PendingCall {
  readonly info: CallInfo;
  readonly tool: ToolInfo;
  /** The final, frozen arguments. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the user has written in the session; absent when the caller did not say. For policies only. */
  readonly prompts?: readonly string[] | undefined;
  /** The results that the session has seen; only for policies with `seesResults`. */
  readonly history?: CallHistory | undefined;
  /** Set if the call waited, here or at another server, and is resumed, so that it was judged before. Only for policies. */
  readonly isResumed?: true | undefined;
}
