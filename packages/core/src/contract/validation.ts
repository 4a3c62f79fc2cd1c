import type { ToolInfo } from "./tool.ts";
import type { ToolmountError } from "./errors.ts";
import type { ToolOutcome } from "./outcome.ts";

/** A problem that a rule found. */
export interface RuleProblem {
  /** The part of the module, for example `mount` or `tools.read_file.usage`. */
  readonly where: string;
  readonly problem: string;
  /** Default: the severity of the rule. */
  readonly severity?: "error" | "warning" | undefined;
}

/** A check of a validator. Its id is stable: it is never renamed, and not used again with another meaning. */
export interface Rule<Subject> {
  readonly id: string;
  readonly severity: "error" | "warning";
  /** Why the rule matters, in a sentence. */
  readonly why: string;
  /** How to fix a problem that the rule finds, in a sentence. */
  readonly fix: string;
  check(subject: Subject): Iterable<RuleProblem> | Promise<Iterable<RuleProblem>>;
}

/** A set of rules with one verdict: passed or failed. */
export interface Profile {
  readonly name: string;
  /** The contract for whose tools the profile is; if absent, it is for the tools of all contracts. */
  readonly origin?: ToolInfo["origin"] | undefined;
  readonly moduleRules?: readonly Rule<ModuleSubject>[] | undefined;
  readonly toolRules?: readonly Rule<ToolSubject>[] | undefined;
}

/** One trial call of a tool. */
export interface TrialCall {
  /**
   * Where the arguments come from. The author gives `valid`, `invalid` and `partial`, whose result leaves something out; `empty`
   * is `{}`; `junk` is not an object at all.
   */
  readonly kind: "empty" | "junk" | "valid" | "invalid" | "partial";
  readonly arguments: unknown;
  /** Whether the tool's own code ran. */
  readonly ran: boolean;
  /** What the tool's code returned, before the host completed it. */
  readonly returned: unknown;
  /** What the tool's code threw; null if it did not throw. */
  readonly thrown: { readonly value: unknown } | null;
  readonly outcome: ToolOutcome;
}

/** A tool as its module mounted it, with the facts that the host read from it. */
export interface ToolSubject {
  /** The value that was mounted: a definition, an object or a class. */
  readonly thing: unknown;
  /** The best name that is known for the tool. */
  readonly name: string;
  /** Null if the host refused the tool. */
  readonly info: ToolInfo | null;
  readonly refused: ToolmountError | null;
  /** The id of the rule for which the host refused the tool. */
  readonly refusedBy: string | null;
  readonly calls: readonly TrialCall[];
  /** Whether the author says which calls leave something out. An empty list says that no call does. */
  readonly saysOmissions: boolean;
  /** Arguments that the tool accepts; null if no such arguments are known. */
  readonly sample: Readonly<Record<string, unknown>> | null;
  /** Whether a check may call the tool without an explicit request: it only reads, or does not state a category. */
  readonly isHarmless: boolean;
}

/** A module that was mounted on trial. */
export interface ModuleSubject {
  readonly exports: Readonly<Record<string, unknown>>;
  /** What importing or mounting threw. */
  readonly failure: { readonly during: "import" | "mount"; readonly thrown: unknown } | null;
  readonly returned: unknown;
  /** Whether `mount` returned without a promise. */
  readonly isSynchronous: boolean;
  readonly tools: readonly ToolSubject[];
  /** Whether the module registered anything at all: a tool, a hook, a capability. */
  readonly registered: boolean;
  /** What mounting did outside of the host: open connections or start processes. */
  readonly sideEffects: readonly { readonly kind: "network" | "process"; readonly what: string }[];
  /** What remained after unmounting: timers, servers, globals, listeners. */
  readonly leaks: readonly string[];
  /** What the module's cleanups threw. */
  readonly cleanupFailures: readonly unknown[];
  /** Names of the tools that continued after their call was cancelled. */
  readonly ignoredCancel: readonly string[];
  /** The tools that further mounts of the module listed, in this process and in fresh ones. */
  readonly repeats: readonly { readonly from: string; readonly tools: readonly ToolInfo[] }[];
  /** The `toolmount` part of the package's `package.json`. */
  readonly manifest: Readonly<Record<string, unknown>> | null;
}
