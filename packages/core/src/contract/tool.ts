import type { CallInfo, ToolContext } from "./context.ts";
import type { UndoRequest } from "./changes.ts";
import type { CallHistory } from "./origins.ts";
import type { Preview, PreviewedEffect } from "./preview.ts";
import type { SchemaOutput, ToolSchema } from "./standard-schema.ts";
import type { PartialResult, ToolResult, ToolReturn } from "./result.ts";

/** `read` changes nothing; `write` creates or updates; `delete` removes for good; `side_effect` acts outside. */
export type Category = "read" | "write" | "delete" | "side_effect";

/** `low` has no impact on the world; `medium` may influence decisions; `high` is significant or irreversible. */
export type ConsequenceLevel = "low" | "medium" | "high";

/** Whether a tool is offered and may be called; see `ToolDefinition.status`. */
export type ToolStatus = "active" | "deprecated" | "internal" | "removed";

/** Milliseconds that a call may run when neither plan nor tool says. Source: Tool-Forge's ToolDefinition. */
export const defaultTimeoutMs = 15_000;

/**
 * A tool: its name, its description, its arguments, its classification and its work.
 * Source of the shape: Tool-Forge's ToolDefinition; `usage` and `summary` are Aptix's.
 */
export interface ToolDefinition<Schema extends ToolSchema = ToolSchema, Data = unknown> {
  /** lower_snake_case, at most 64 characters, unique in a host. */
  readonly name: string;
  /** One or two sentences for the model: what it does, when to use it, when not. */
  readonly description: string;
  readonly schema: Schema;
  /** Undefined only for adapted tools whose contract has no category. */
  readonly category?: Category | undefined;
  readonly consequenceLevel?: ConsequenceLevel | undefined;
  /**
   * Asks a person before the tool runs. A function decides by the arguments; its promise is awaited, and when it throws or
   * rejects, the person is asked.
   */
  readonly requiresConfirmation?:
    | boolean
    | ((params: SchemaOutput<Schema>) => boolean | Promise<boolean>)
    | undefined;
  /** Milliseconds; 0 for none; 15000 when absent. */
  readonly timeout?: number | undefined;
  /**
   * Milliseconds that a call may take in all when it reports progress: each report starts `timeout` again. Absent: progress
   * changes nothing. A timeout that the plan sets is never extended.
   */
  readonly maxTimeout?: number | undefined;
  /** Long guidance: purpose, rules, arguments, error codes, good and bad usage. */
  readonly usage?: string | undefined;
  /** One line for a catalogue. */
  readonly summary?: string | undefined;
  /**
   * What a call does, for the person who is asked about it: `Pay {to} {amount:2}`. `{name}` is an argument, and `{name:2}` a
   * number with two decimals. Absent: the tool and its control arguments.
   */
  readonly question?: string | undefined;
  /** The schema of `data` on success. */
  readonly outputSchema?: ToolSchema | undefined;
  /** `client` hands the call back to the caller as pending. */
  readonly execution?: "server" | "client" | undefined;
  /** Modes in which the tool is offered; `*` means all. Absent: all. */
  readonly modes?: readonly string[] | undefined;
  /** Offered in every mode and without activation: for tools with which a model finds other tools. */
  readonly alwaysOffered?: boolean | undefined;
  /**
   * `deprecated` runs but is not offered; `removed` is not mounted. `internal` is neither listed nor callable by name:
   * it runs for requests of clients that are not calls of tools, such as reading a resource of an MCP server.
   */
  readonly status?: ToolStatus | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly version?: string | undefined;
  /** Declared names of tools it calls. */
  readonly dependsOn?: readonly string[] | undefined;
  /** Its description may change between turns; schema and classification may not. */
  readonly dynamic?: boolean | undefined;
  /**
   * Two runs with the same arguments have the same effect as one. Such a tool can wait for the approval of a call that it
   * makes: it runs again, and the calls that it made before are answered from the first run.
   */
  readonly idempotent?: boolean | undefined;
  /**
   * The tool makes the same calls in the same order when it runs again, as long as they are answered in the same order. Such
   * a tool can wait for the approval of a call that it makes, as an idempotent one can, and each call that it made is
   * answered from its first run. In a session that is stored it also runs again when its process died and the call is made
   * again with its id. One of its calls that had begun then, and may not run twice, is answered with `OUTCOME_UNKNOWN`.
   */
  readonly repeatable?: boolean | undefined;
  /**
   * Two runs of `undo` for one change, also at the same time, have the effect of one. Then the host runs it again when a process
   * died or stalled in the middle of it. Without this member it does not: a person says how to go on.
   */
  readonly idempotentUndo?: boolean | undefined;
  /** What a call did cannot be undone: people read it before the call and at an undo. Not for a tool with `undo`. */
  readonly irreversible?: boolean | undefined;
  /** Arguments that decide where an effect goes or what it touches: recipient, address, path, amount. */
  readonly control?: readonly string[] | undefined;
  /** Arguments that are carried there: subject, body, content. */
  readonly content?: readonly string[] | undefined;
  /** The contract that it follows, when that is not toolmount's own. */
  readonly origin?: "aptix" | "amplifier" | "forge" | "mcp" | undefined;
  /** The error texts of an adapted tool's contract; other tools have the host's. */
  readonly failures?: FailureWording | undefined;
  // A method, so that a tool of a particular schema fits `ToolDefinition`.
  execute(params: SchemaOutput<Schema>, context: ToolContext): Promise<ToolReturn<Data>> | ToolReturn<Data>;
  /**
   * Undoes exactly one change, which `execute` gave to `context.undoable` before it made it. It compares first: it
   * changes something only if all is still as the call left it, and succeeds without a change if all is already as before.
   * Else it fails and says what changed. So it may run again after it has ended. It makes no calls.
   */
  undo?(change: UndoRequest, context: ToolContext): Promise<ToolReturn> | ToolReturn;
  /**
   * What is different now from before these changes, which this tool and others with the same function made, newest first. It only
   * reads. So people see the changes of a session as one difference.
   */
  readonly difference?:
    | ((changes: readonly UndoRequest[]) => Promise<readonly PreviewedEffect[]>)
    | undefined;
  /**
   * What `execute` would do, without doing it: the effects, and the result that it would give. It sees what earlier previews
   * staged in `context.rehearsal`, and stages its own. A tool whose only effect is on `context.session` may run `execute`.
   */
  preview?(params: SchemaOutput<Schema>, context: ToolContext): Promise<Preview> | Preview;
}

/** The error texts of a contract for a value that a tool threw. */
export interface FailureWording {
  /** The tool in these texts; of Aptix's contract also in the log's tag, `[<className>_ExecuteAsync__Exception]`. */
  readonly className: string;
  /** The failure that the model reads. It must hold no stack, path or secret. */
  describe(thrown: unknown): PartialResult<never>;
}

/** The parameter of `defineTool`: the classification is required. */
export interface ToolSpecification<Schema extends ToolSchema, Data> extends ToolDefinition<Schema, Data> {
  readonly category: Category;
  readonly consequenceLevel: ConsequenceLevel;
  readonly requiresConfirmation: boolean | ((params: SchemaOutput<Schema>) => boolean | Promise<boolean>);
}

/** A context from a caller without a host: every member is optional. */
export type PartialContext = { readonly [Key in keyof ToolContext]?: ToolContext[Key] | undefined };

/**
 * A tool as `defineTool` returns it: `execute` works without a host and without a context, checks the arguments and
 * the abort signal first, never throws (interrupts excepted), and returns a complete result.
 */
export interface Tool<Schema extends ToolSchema = ToolSchema, Data = unknown> extends Omit<
  ToolDefinition<Schema, Data>,
  "execute"
> {
  execute(params: unknown, context?: PartialContext): Promise<ToolResult<Data>>;
}

/** A mounted tool as gates, policies and listings see it. */
export interface ToolInfo {
  /** The name under which it is mounted and offered. */
  readonly name: string;
  /** The name that its author gave it. */
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
  /** It has `undo`. */
  readonly undoable?: true;
  /** Two runs of its `undo` for one change have the effect of one. */
  readonly idempotentUndo?: true;
  /** What its calls do cannot be undone. */
  readonly irreversible?: true;
  /** It has `preview`. */
  readonly previews?: true;
  /** Arguments that decide where an effect goes; absent when the author did not say. */
  readonly control?: readonly string[];
  /** Arguments that are carried there. */
  readonly content?: readonly string[];
  readonly dynamic: boolean;
  readonly origin: "toolmount" | "aptix" | "amplifier" | "forge" | "mcp";
  readonly aliases: readonly string[];
  /** The module that mounted it. */
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
  /** The call waited, here or at another server, and is resumed: it was judged before. Only for policies. */
  readonly isResumed?: true | undefined;
}
