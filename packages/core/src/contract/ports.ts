import type { CallInfo, CallRequest, Progress, ToolContext } from "./context.ts";
import type { PendingCall, ToolDefinition, ToolInfo } from "./tool.ts";
import type { Json, JsonObject, JsonSchema } from "../json/json.ts";
import type { Logger } from "./logger.ts";
import type { ToolOutcome } from "./outcome.ts";
import type { ToolReturn } from "./result.ts";

/** What a policy says of a call. `null` is no opinion. */
export type PolicyAnswer =
  | {
      readonly answer: "allow";
      /** `confirmation` also lifts `requiresConfirmation`. */
      readonly waives?: "confirmation" | undefined;
      readonly reason?: string | undefined;
      /** Which rule said so, e.g. `plan.yaml:12:5`. */
      readonly rule?: string | undefined;
    }
  | { readonly answer: "deny"; readonly reason: string; readonly rule?: string | undefined }
  | {
      readonly answer: "ask";
      readonly reason: string;
      /** `level`: asked only because of the plan's level, so an `allow` removes it. Default `rule`. */
      readonly because?: "rule" | "level" | undefined;
      readonly rule?: string | undefined;
    }
  | null;

/** Answers for one call of the tool that it was prepared for. */
export type PolicyJudge = (call: PendingCall) => PolicyAnswer | Promise<PolicyAnswer>;

/** A gate written as data. It only answers; it never runs a tool. */
export interface Policy {
  readonly name: string;
  /** Called once for each mounted tool. `null`: nothing to say about any call of it. */
  prepare(tool: ToolInfo): PolicyJudge | null;
}

/** Why a person is asked. */
export interface ApprovalReason {
  readonly source: "gate" | "rule" | "confirmation" | "level";
  readonly reason: string;
  readonly rule?: string | undefined;
}

/** A question to a person, about exactly one call. */
export interface ApprovalQuestion extends PendingCall {
  /** Unguessable; for approvers only, never in an outcome. */
  readonly approvalId: string;
  /** What is asked, in a sentence. */
  readonly prompt: string;
  readonly reasons: readonly ApprovalReason[];
  readonly options: readonly string[];
  /** SHA-256 over tool, definition, final arguments, session and user. */
  readonly digest: string;
  readonly timeoutMs: number;
  /** What silence means. */
  readonly default: "approve" | "deny";
  /** Whether `later` is taken: there is a store to keep the question. */
  readonly canWait: boolean;
  /** Whether an "always" would be kept: there is a store, and neither a gate nor a rule asks. */
  readonly rememberable: boolean;
}

/** A person's answer. `later` leaves the call pending, which needs a store. */
export interface ApprovalAnswer {
  readonly decision: "approve" | "deny" | "later";
  readonly reason?: string | undefined;
  /** Who decided. */
  readonly by?: string | undefined;
  /** Approve the like from now on; the scope is stated, never a name alone. */
  readonly remember?: ApprovalScope | undefined;
}

/** What an "always" covers: these arguments in any session, these in this session only, or what fits a pattern. */
export type ApprovalScope =
  | { readonly scope: "arguments" }
  | { readonly scope: "session" }
  | { readonly scope: "rule"; readonly arguments: JsonObject };

/** Asks a person. Fails closed: a throw is a denial. */
export interface Approver {
  ask(question: ApprovalQuestion, options: { signal: AbortSignal }): Promise<ApprovalAnswer> | ApprovalAnswer;
}

/** A run as it leaves the host: plain JSON. */
export interface RunnerJob {
  readonly runId: string;
  /** The name its author gave the tool. */
  readonly tool: string;
  /** The module to import where the tool runs; absent for tools that were mounted by hand. */
  readonly module?: { readonly specifier: string; readonly config: Json } | undefined;
  readonly info: CallInfo;
  readonly arguments: JsonObject;
  readonly timeoutMs: number;
}

/** What a runner may use on the host's side. */
export interface RunnerControl {
  readonly signal: AbortSignal;
  progress(progress: Progress): void;
  call(request: CallRequest): Promise<ToolOutcome>;
  readonly session: ToolContext["session"];
  /** The tool in this process, for runners that stay near. */
  readonly definition: ToolDefinition;
}

/** Where a call runs. Resolves to what the tool returned, as JSON; rejects only when the run itself broke. */
export interface Runner {
  run(job: RunnerJob, control: RunnerControl): Promise<ToolReturn>;
  close?(): Promise<void>;
}

/** Recognises a foreign tool shape and renders it as a definition, once, when it is mounted. */
export interface ToolAdapter {
  readonly name: string;
  recognises(thing: unknown): boolean;
  adapt(thing: unknown, services: AdapterServices): ToolDefinition;
  /**
   * Renders what a foreign module exports as what one of ours does, so that its `mount` gets the coordinator it knows.
   * `null` when the exports are not of this shape.
   */
  adaptModule?(exports: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | null;
}

/** What an adapter may use: capabilities for injected dependencies, a logger. */
export interface AdapterServices {
  getCapability(name: string): unknown;
  readonly logger: Logger;
}

/** Makes a parser of a plain JSON Schema. */
export interface SchemaCompiler {
  /** Throws with a readable message when the schema itself is not valid. */
  compile(schema: JsonSchema): (value: unknown) => ParseResult;
}

/** One thing wrong with a value: where, as a path, and what, as a sentence. */
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
  /** Globs of the tools that are offered in it; one that begins with `!` takes out again. Absent: all. */
  readonly tools?: readonly string[] | null | undefined;
}

/** Where the modes are kept. */
export interface ModeCatalog {
  listModes(options: { signal: AbortSignal }): Promise<readonly (ModeSummary | null)[]>;
}
