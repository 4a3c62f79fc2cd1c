import type { CallInfo, ToolContext } from "./context.ts";
import type { SchemaOutput, ToolSchema } from "./standard-schema.ts";
import type { PartialResult, ToolResult, ToolReturn } from "./result.ts";

/** `read` changes nothing; `write` creates or updates; `delete` removes for good; `side_effect` acts outside. */
export type Category = "read" | "write" | "delete" | "side_effect";

/** `low` has no impact on the world; `medium` may influence decisions; `high` is significant or irreversible. */
export type ConsequenceLevel = "low" | "medium" | "high";

/** Whether a tool is offered and may be called; see `ToolDefinition.status`. */
export type ToolStatus = "active" | "deprecated" | "removed";

/** Milliseconds that a call may run when neither plan nor tool says. Source: Tool-Forge's ToolDefinition. */
export const defaultTimeoutMs = 15_000;

/**
 * A tool: what it is called, when to use it, what it takes, what it may do, and the work itself.
 * Source of the shape: Tool-Forge's ToolDefinition; `usage` and `summary` are Aptix's.
 */
export interface ToolDefinition<Schema extends ToolSchema = ToolSchema, Data = unknown> {
  /** lower_snake_case, at most 64 characters, unique in a host. */
  readonly name: string;
  /** One or two sentences for the model: what it does, when to use it, when not. */
  readonly description: string;
  readonly schema: Schema;
  /** Undefined only for adapted tools whose contract does not know it. */
  readonly category?: Category | undefined;
  readonly consequenceLevel?: ConsequenceLevel | undefined;
  /** Asks a person before it runs. A function decides by the arguments; when it throws, the person is asked. */
  readonly requiresConfirmation?: boolean | ((params: SchemaOutput<Schema>) => boolean) | undefined;
  /** Milliseconds; 0 for none; 15000 when absent. */
  readonly timeout?: number | undefined;
  /** Long guidance: purpose, rules, arguments, error codes, good and bad usage. */
  readonly usage?: string | undefined;
  /** One line for a catalogue. */
  readonly summary?: string | undefined;
  /** What `data` looks like on success. */
  readonly outputSchema?: ToolSchema | undefined;
  /** `client` hands the call back to the caller as pending. */
  readonly execution?: "server" | "client" | undefined;
  /** Modes in which the tool is offered; `*` stands for all. Absent: all. */
  readonly modes?: readonly string[] | undefined;
  /** Offered whatever the mode, and without being activated: for tools by which a model gets at others. */
  readonly alwaysOffered?: boolean | undefined;
  /** `deprecated` runs but is not offered; `removed` is not mounted. */
  readonly status?: ToolStatus | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly version?: string | undefined;
  /** Declared names of tools it calls. */
  readonly dependsOn?: readonly string[] | undefined;
  /** Its description may change between turns; schema and classification may not. */
  readonly dynamic?: boolean | undefined;
  /** Running it twice with the same arguments is as good as once. */
  readonly idempotent?: boolean | undefined;
  /** The contract it was written to, when that is not toolmount's own. */
  readonly origin?: "aptix" | "amplifier" | "forge" | undefined;
  /** How what an adapted tool throws reads in its own contract; other tools have the host's words. */
  readonly failures?: FailureWording | undefined;
  // A method, so that a tool of a particular schema fits `ToolDefinition`.
  execute(params: SchemaOutput<Schema>, context: ToolContext): Promise<ToolReturn<Data>> | ToolReturn<Data>;
}

/** The words of a contract for a value that a tool threw. */
export interface FailureWording {
  /** Stands in the log's tag: `[<className>_ExecuteAsync__Exception]`. */
  readonly className: string;
  /** What the model reads. Must be safe: no stack, no path, no secret. */
  describe(thrown: unknown): PartialResult<never>;
}

/** What `defineTool` takes: the classification is required. */
export interface ToolSpecification<Schema extends ToolSchema, Data> extends ToolDefinition<Schema, Data> {
  readonly category: Category;
  readonly consequenceLevel: ConsequenceLevel;
  readonly requiresConfirmation: boolean | ((params: SchemaOutput<Schema>) => boolean);
}

/** A context as a caller without a host gives it: any part, or none. */
export type PartialContext = { readonly [Key in keyof ToolContext]?: ToolContext[Key] | undefined };

/**
 * A tool as `defineTool` returns it: `execute` works without a host and without a context, checks the arguments and
 * the abort signal first, never throws (interrupts excepted), and answers with a whole result.
 */
export interface Tool<Schema extends ToolSchema = ToolSchema, Data = unknown> extends Omit<
  ToolDefinition<Schema, Data>,
  "execute"
> {
  execute(params: unknown, context?: PartialContext): Promise<ToolResult<Data>>;
}

/** A tool with what the host decided about it; what gates, policies and listings see. */
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
  readonly execution: "server" | "client";
  readonly modes?: readonly string[];
  readonly alwaysOffered: boolean;
  readonly status: ToolStatus;
  readonly tags: readonly string[];
  readonly version?: string;
  readonly dependsOn: readonly string[];
  readonly idempotent: boolean;
  readonly dynamic: boolean;
  readonly origin: "toolmount" | "aptix" | "amplifier" | "forge";
  readonly aliases: readonly string[];
  /** Which module mounted it. */
  readonly owner: string;
}

/** The facts that decide about one call, for gates, policies and approvers. */
export interface PendingCall {
  readonly info: CallInfo;
  readonly tool: ToolInfo;
  /** The final, frozen arguments. */
  readonly arguments: Readonly<Record<string, unknown>>;
}
