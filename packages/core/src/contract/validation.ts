import type { ToolInfo } from "./tool.ts";
import type { ToolmountError } from "./errors.ts";
import type { ToolOutcome } from "./outcome.ts";

/** A problem that a rule found. */
export interface RuleProblem {
  /** `mount`, `tools.read_file.usage`, … */
  readonly where: string;
  readonly problem: string;
  /** The rule's own, when absent. */
  readonly severity?: "error" | "warning" | undefined;
}

/** One check of a validator. Its id is stable: never renamed, never reused. */
export interface Rule<Subject> {
  readonly id: string;
  readonly severity: "error" | "warning";
  /** Why it matters, in a sentence. */
  readonly why: string;
  /** How to fix it, in a sentence. */
  readonly fix: string;
  check(subject: Subject): Iterable<RuleProblem> | Promise<Iterable<RuleProblem>>;
}

/** A set of rules with one verdict: passed or failed. */
export interface Profile {
  readonly name: string;
  /** The contract whose tools it is for; absent, it is for all. */
  readonly origin?: ToolInfo["origin"] | undefined;
  readonly moduleRules?: readonly Rule<ModuleSubject>[] | undefined;
  readonly toolRules?: readonly Rule<ToolSubject>[] | undefined;
}

/** One trial call of a tool. */
export interface TrialCall {
  /**
   * `valid`, `invalid` and `partial` are the author's, and the result of `partial` leaves something out; `empty` is `{}`;
   * `junk` is not an object at all.
   */
  readonly kind: "empty" | "junk" | "valid" | "invalid" | "partial";
  readonly arguments: unknown;
  /** Whether the tool's own code ran. */
  readonly ran: boolean;
  /** What that code returned, before the host completed it. */
  readonly returned: unknown;
  /** What it threw. */
  readonly thrown: { readonly value: unknown } | null;
  readonly outcome: ToolOutcome;
}

/** A tool as its module mounted it, with what the host made of it. */
export interface ToolSubject {
  /** The thing that was mounted: a definition, an object, a class. */
  readonly thing: unknown;
  /** The best name that is known of it. */
  readonly name: string;
  /** Null when the host refused it. */
  readonly info: ToolInfo | null;
  readonly refused: ToolmountError | null;
  /** The id of the rule for which the host refused it. */
  readonly refusedBy: string | null;
  readonly calls: readonly TrialCall[];
  /** Whether its author says which calls leave something out; an empty list says that none does. */
  readonly saysOmissions: boolean;
  /** Arguments that it takes, when any are known. */
  readonly sample: Readonly<Record<string, unknown>> | null;
  /** Whether it may be called without being asked for: it only reads, or does not say. */
  readonly isHarmless: boolean;
}

/** A module, mounted on trial. */
export interface ModuleSubject {
  readonly exports: Readonly<Record<string, unknown>>;
  /** What importing or mounting threw. */
  readonly failure: { readonly during: "import" | "mount"; readonly thrown: unknown } | null;
  readonly returned: unknown;
  /** Whether `mount` returned without a promise. */
  readonly isSynchronous: boolean;
  readonly tools: readonly ToolSubject[];
  /** Whether it registered anything at all: a tool, a hook, a capability. */
  readonly registered: boolean;
  /** What mounting did outside of the host: connections, processes. */
  readonly sideEffects: readonly { readonly kind: "network" | "process"; readonly what: string }[];
  /** What was still there after unmounting: timers, servers, globals, listeners. */
  readonly leaks: readonly string[];
  /** What its cleanups threw. */
  readonly cleanupFailures: readonly unknown[];
  /** Tools that ran on after their call was cancelled. */
  readonly ignoredCancel: readonly string[];
  /** The tools as other mounts saw them, in this process and in fresh ones. */
  readonly repeats: readonly { readonly from: string; readonly tools: readonly ToolInfo[] }[];
  /** The `toolmount` part of the package's `package.json`. */
  readonly manifest: Readonly<Record<string, unknown>> | null;
}
