import type { Placed } from "./context.ts";
import type { PendingCall, ToolDefinition, ToolInfo } from "./tool.ts";
import type { JsonObject, JsonSchema } from "../json/json.ts";
import type { Logger } from "./logger.ts";
import type { ValueOrigin } from "./origins.ts";

/** A policy's answer about a call. `null` is no opinion. */
export type PolicyAnswer =
  | {
      readonly answer: "allow";
      /** `confirmation` also lifts `requiresConfirmation`. */
      readonly waives?: "confirmation" | undefined;
      readonly reason?: string | undefined;
      /** The rule that gave the answer, e.g. `plan.yaml:12:5`. */
      readonly rule?: string | undefined;
      readonly origins?: readonly ValueOrigin[] | undefined;
    }
  /** No opinion either, but the audit records the origins that it found. */
  | { readonly answer: "none"; readonly origins: readonly ValueOrigin[] }
  | {
      readonly answer: "deny";
      readonly reason: string;
      readonly rule?: string | undefined;
      readonly origins?: readonly ValueOrigin[] | undefined;
    }
  | {
      readonly answer: "ask";
      readonly reason: string;
      /** `level`: the question comes only from the plan's level, so an `allow` removes it. Default `rule`. */
      readonly because?: "rule" | "level" | undefined;
      readonly rule?: string | undefined;
      readonly origins?: readonly ValueOrigin[] | undefined;
    }
  | null;

/** Answers for one call of the tool that it was prepared for. */
export type PolicyJudge = (call: PendingCall) => PolicyAnswer | Promise<PolicyAnswer>;

/** A gate that is written as data. It never runs a tool. */
export interface Policy {
  readonly name: string;
  /** Called once for each mounted tool. `null`: no opinion about any call of it. */
  prepare(tool: ToolInfo): PolicyJudge | null;
  /** Whether no model is offered this tool, because every call of it is denied. Absent: it hides none. */
  hides?(tool: ToolInfo): boolean;
  /** Its judges read `history`: the host keeps the results of each session while such a policy is mounted. */
  readonly seesResults?: boolean;
}

/** Why a person is asked. `list`: a list of calls asks as a whole, or a call is not the next one of its list. */
export interface ApprovalReason {
  readonly source: "gate" | "rule" | "confirmation" | "level" | "list";
  readonly reason: string;
  readonly rule?: string | undefined;
  /** Where the values that decide about the call came from. */
  readonly origins?: readonly ValueOrigin[] | undefined;
}

/** A question to a person, about exactly one call. */
export interface ApprovalQuestion extends PendingCall, Placed {
  /** Unguessable; for approvers only, never in an outcome. */
  readonly approvalId: string;
  /** The question as a sentence. */
  readonly prompt: string;
  readonly reasons: readonly ApprovalReason[];
  readonly options: readonly string[];
  /** SHA-256 over tool, definition, final arguments, session and user. */
  readonly digest: string;
  readonly timeoutMs: number;
  /** The decision when the time passes without an answer. */
  readonly default: "approve" | "deny";
  /** Whether the answer may be `later`: there is a store for the question. */
  readonly canWait: boolean;
  /** Whether the answer may carry `remember`: there is a store, and neither a gate nor a rule asks. */
  readonly rememberable: boolean;
}

/** A person's answer. `later` leaves the call pending, which needs a store. */
export interface ApprovalAnswer {
  readonly decision: "approve" | "deny" | "later";
  readonly reason?: string | undefined;
  /** Who decided. */
  readonly by?: string | undefined;
  /** Also approves later calls of this scope. */
  readonly remember?: ApprovalScope | undefined;
}

/**
 * The calls that a remembered approval covers: these arguments in any session, these in this session, or a pattern. With
 * `forMs` it ends by itself after so many milliseconds.
 */
export type ApprovalScope = { readonly forMs?: number | undefined } & (
  | { readonly scope: "arguments" }
  | { readonly scope: "session" }
  | { readonly scope: "rule"; readonly arguments: JsonObject }
);

/** Asks a person. Fails closed: a throw is a denial. */
export interface Approver {
  ask(question: ApprovalQuestion, options: { signal: AbortSignal }): Promise<ApprovalAnswer> | ApprovalAnswer;
}

/** Recognizes a foreign tool shape and converts it to a definition once, when it is mounted. */
export interface ToolAdapter {
  readonly name: string;
  recognises(thing: unknown): boolean;
  adapt(thing: unknown, services: AdapterServices): ToolDefinition;
  /**
   * Converts the exports of a foreign module to those of a toolmount module, so that its `mount` gets the coordinator
   * of its own contract. `null` when the exports are not of this shape.
   */
  adaptModule?(
    exports: Readonly<Record<string, unknown>>,
    module?: ForeignModuleName,
  ): Readonly<Record<string, unknown>> | null;
}

/** How a plan names a module that an adapter converts. */
export interface ForeignModuleName {
  /** Its name in messages. */
  readonly name: string;
  /** The exports that the plan names; undefined for all. */
  readonly chosen?: readonly string[] | undefined;
  /** Its package is a program: the line of the plan by which that program is a server of tools. */
  readonly program?: string | undefined;
}

/** The host's services for an adapter: capabilities for injected dependencies, and a logger. */
export interface AdapterServices {
  /** The name under which the tool is mounted, for a contract whose tools have no name of their own. */
  readonly name?: string | undefined;
  getCapability(name: string): unknown;
  /** The names of all capabilities that are registered now. */
  capabilities(): readonly string[];
  /**
   * Does some work when all modules of the plan are mounted, which may throw as `adapt` may. Undefined where no more
   * modules are about to be mounted.
   */
  readonly whenLinked?: ((work: () => void) => void) | undefined;
  readonly logger: Logger;
}

/** Compiles a plain JSON Schema to a parser. */
export interface SchemaCompiler {
  /** Throws with a readable message when the schema itself is not valid. */
  compile(schema: JsonSchema): CompiledSchema;
  /**
   * Prints the schema of a library that has no printer of its own: what its parse takes, or what that returns. Undefined
   * for an unknown library. Throws with a readable message for a schema that JSON cannot describe.
   */
  print?(schema: object, side: "input" | "output"): JsonSchema | undefined;
}

/** A parser that a compiler made. */
export interface CompiledSchema {
  (value: unknown): ParseResult;
  /** It is known to coerce nothing, and to parse its own output to the same value. The host tries any other parser when it mounts a tool. */
  readonly isExact?: boolean;
}

/** One problem of a value: its path, and a sentence. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The result of parsing a value: the parsed value, or every issue. */
export type ParseResult =
  | {
      readonly ok: true;
      readonly value: Readonly<Record<string, unknown>>;
      readonly warnings?: readonly string[] | undefined;
    }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** One mode of an agent, as TUL-010 describes it. */
export interface ModeSummary {
  readonly id: string;
  readonly key: string;
  readonly displayName: string;
  readonly description: string;
  readonly systemPromptSummary: string;
  readonly isDefault: boolean;
  readonly humanRoleHints?: readonly string[] | null | undefined;
  readonly exampleUtterances?: readonly string[] | null | undefined;
  /** Globs of the tools that are offered in it; a glob that begins with `!` excludes. Absent: all. */
  readonly tools?: readonly string[] | null | undefined;
}

/** Lists the modes of an agent. */
export interface ModeCatalog {
  listModes(options: { signal: AbortSignal }): Promise<readonly (ModeSummary | null)[]>;
}
