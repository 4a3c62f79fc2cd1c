import type { Placed } from "./context.ts";
import type { PendingCall, ToolDefinition, ToolInfo } from "./tool.ts";
import type { JsonObject, JsonSchema } from "../json/json.ts";
import type { Logger } from "./logger.ts";
import type { ValueOrigin } from "./origins.ts";

/** A policy's answer about a call. `null` means that the policy has no opinion. */
export type PolicyAnswer =
  | {
      readonly answer: "allow";
      /** `confirmation` also removes the question of the tool's `requiresConfirmation`. */
      readonly waives?: "confirmation" | undefined;
      readonly reason?: string | undefined;
      /** The place of the rule that gave the answer, for example `plan.yaml:12:5`. */
      readonly rule?: string | undefined;
      readonly origins?: readonly ValueOrigin[] | undefined;
    }
  /** The policy has no opinion, but the audit records the origins that it found. */
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

/** Answers for one call of the tool for which the judge was prepared. */
export type PolicyJudge = (call: PendingCall) => PolicyAnswer | Promise<PolicyAnswer>;

/** A rule about calls that decides from the facts of a call. It never runs a tool. */
export interface Policy {
  readonly name: string;
  /** Called at a tool's first call, and again after modules changed. `null` means no opinion about any of its calls. */
  prepare(tool: ToolInfo): PolicyJudge | null;
  /** Returns whether a tool is not offered to models, because every call of it is denied. If absent, all are offered. */
  hides?(tool: ToolInfo): boolean;
  /** Whether the policy's judges read `history`. The host keeps the results of each session while such a policy is mounted. */
  readonly seesResults?: boolean;
}

/** Why a person is asked. `list`: a whole list of calls needs approval, or a call is not the next call of its list. */
export interface ApprovalReason {
  readonly source: "gate" | "rule" | "confirmation" | "level" | "list";
  readonly reason: string;
  readonly rule?: string | undefined;
  /** Where the values that decide what the call does came from. */
  readonly origins?: readonly ValueOrigin[] | undefined;
}

/** A question to a person, about exactly one call. */
export interface ApprovalQuestion extends PendingCall, Placed {
  /** An id that cannot be guessed. It is for approvers only, and never in an outcome. */
  readonly approvalId: string;
  /** The question as a sentence. */
  readonly prompt: string;
  readonly reasons: readonly ApprovalReason[];
  readonly options: readonly string[];
  /** SHA-256 over tool, definition, final arguments, session and user. */
  readonly digest: string;
  readonly timeoutMs: number;
  /** The decision if no answer comes in time. */
  readonly default: "approve" | "deny";
  /** Whether the answer may be `later`, because a store keeps the question. */
  readonly canWait: boolean;
  /** Whether the answer may carry `remember`, because there is a store, and only the tool or the level asks. */
  readonly rememberable: boolean;
}

/** A person's answer. `later` leaves the call pending, which needs a store. */
export interface ApprovalAnswer {
  readonly decision: "approve" | "deny" | "later";
  readonly reason?: string | undefined;
  /** The name of the person who decided. */
  readonly by?: string | undefined;
  /** Also approves later calls of this scope. */
  readonly remember?: ApprovalScope | undefined;
}

/**
 * The calls of the tool that a remembered approval covers: those with these arguments in any session, or only in this session,
 * or those that fit a pattern. With `forMs` it ends after that many milliseconds.
 */
export type ApprovalScope = { readonly forMs?: number | undefined } & (
  | { readonly scope: "arguments" }
  | { readonly scope: "session" }
  | { readonly scope: "rule"; readonly arguments: JsonObject }
);

/** Asks a person. If it throws, the call is denied. */
export interface Approver {
  ask(question: ApprovalQuestion, options: { signal: AbortSignal }): Promise<ApprovalAnswer> | ApprovalAnswer;
}

/** Recognizes a tool of another contract, and converts it to a definition once, when it is mounted. */
export interface ToolAdapter {
  readonly name: string;
  recognises(thing: unknown): boolean;
  adapt(thing: unknown, services: AdapterServices): ToolDefinition;
  /**
   * Converts the exports of another contract's module to those of a toolmount module, so that its `mount` gets the coordinator
   * of its own contract. Returns `null` if the exports are not of this contract.
   */
  adaptModule?(
    exports: Readonly<Record<string, unknown>>,
    module?: ForeignModuleName,
  ): Readonly<Record<string, unknown>> | null;
}

/** How a plan names a module that an adapter converts. */
export interface ForeignModuleName {
  /** The module's name in messages. */
  readonly name: string;
  /** The exports that the plan names; undefined for all. */
  readonly chosen?: readonly string[] | undefined;
  /** The line of the plan that mounts the module's package as a server of tools; set if the package is a program. */
  readonly program?: string | undefined;
}

/** The host's services for an adapter: capabilities for injected dependencies, and a logger. */
export interface AdapterServices {
  /** The name under which the tool is mounted, for a contract in which tools have no names. */
  readonly name?: string | undefined;
  getCapability(name: string): unknown;
  /** Returns the names of all capabilities that are registered now. */
  capabilities(): readonly string[];
  /**
   * Postpones work until all modules of the plan are mounted. The work may throw as `adapt` may. Undefined if no more modules
   * will be mounted.
   */
  readonly whenLinked?: ((work: () => void) => void) | undefined;
  readonly logger: Logger;
}

/** Compiles a plain JSON Schema to a parser. */
export interface SchemaCompiler {
  /** Returns a parser for `schema`. Throws with a readable message if the schema itself is not valid. */
  compile(schema: JsonSchema): CompiledSchema;
  /**
   * Prints, as JSON Schema, the schema of a library that cannot print its schemas: the input or the output of its parse.
   * Undefined for an unknown library. Throws with a readable message for a schema that JSON cannot describe.
   */
  print?(schema: object, side: "input" | "output"): JsonSchema | undefined;
}

/** A parser that a compiler made. */
export interface CompiledSchema {
  (value: unknown): ParseResult;
  /** Set if the parser coerces nothing and parses its own output to the same value. The host tries out any other parser. */
  readonly isExact?: boolean;
}

/** A problem of a value: its path and a sentence. */
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
  /** Globs of the tools that the mode offers; a glob that begins with `!` excludes. If absent, all tools are offered. */
  readonly tools?: readonly string[] | null | undefined;
}

/** Lists the modes of an agent. */
export interface ModeCatalog {
  listModes(options: { signal: AbortSignal }): Promise<readonly (ModeSummary | null)[]>;
}
