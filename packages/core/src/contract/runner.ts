import type { UndoRequest } from "./changes.ts";
import type { CallInfo, CallRequest, Progress, SessionState, ToolContext } from "./context.ts";
import type { GateHandler, GateOptions } from "./hooks.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { ToolOutcome } from "./outcome.ts";
import type { StagedEffects } from "./preview.ts";
import type { ToolReturn } from "./result.ts";
import type { ToolDefinition } from "./tool.ts";

/** A module that a runner imports where it runs calls. */
export interface RunnerModule {
  readonly specifier: string;
  readonly config: Json;
  /** The exports that the plan names; absent if the plan uses all exports. */
  readonly exports?: readonly string[] | undefined;
  /** A text that is different for different contents of the same file. */
  readonly revision?: string | undefined;
}

/** A run as it is handed to a runner: plain JSON. */
export interface RunnerJob {
  readonly runId: string;
  /** The name that the author gave to the tool. */
  readonly tool: string;
  /** The module to import where the tool runs; absent for tools that were mounted by hand. */
  readonly module?: RunnerModule | undefined;
  readonly info: CallInfo;
  /** The first of the sessions that began the call's session, or else that session itself; absent without a session. */
  readonly rootSession?: string | undefined;
  readonly arguments: JsonObject;
  readonly timeoutMs: number;
  /** What the tool does instead of its normal work. Only a runner with `undoes` or `rehearses` gets it. */
  readonly instead?: RunnerInstead | undefined;
}

/** The undo of one change, or the preview of the call. A preview resolves to a `Preview`. */
export type RunnerInstead = { readonly undo: UndoRequest } | { readonly preview: true };

/** A session's state as a runner gets it. `snapshot` returns all values, which another process needs at the start of a call. */
export interface RunnerSession extends SessionState {
  snapshot(): JsonObject;
}

/** The host's services for one run. */
export interface RunnerControl {
  readonly signal: AbortSignal;
  progress(progress: Progress): void;
  call(request: CallRequest): Promise<ToolOutcome>;
  readonly session: RunnerSession;
  /** As in the context of a tool; absent if the host stores no changes of the call. */
  readonly undoable?: ToolContext["undoable"];
  readonly irreversible?: ToolContext["irreversible"];
  /** Names of the members that modules of the host add to the context. The members are not JSON, and stay in the host. */
  readonly provided?: readonly string[] | undefined;
  /** Present in a rehearsal, as the same object for all of its calls. */
  readonly rehearsal?: StagedEffects | undefined;
  /** The tool itself, for runners in this process. */
  readonly definition: ToolDefinition;
}

/** A description of a module that a runner mounted, from which the host mounts its parts. */
export interface DescribedModule {
  readonly tools: readonly {
    readonly definition: ToolDefinition;
    /** Another name under which the module mounts the tool. */
    readonly alias?: string | undefined;
  }[];
  /** What the module contributes to channels such as `observability.events`, as it was when the module was mounted. */
  readonly contributions: readonly {
    readonly channel: string;
    readonly name: string;
    readonly value: Json;
  }[];
  /** The hooks that the plan allows. Their handlers run where the module's calls run, and answer in bounded time or reject. */
  readonly hooks: readonly DescribedHook[];
  /** The capabilities that the plan allows the module to register: JSON, and methods that take and return JSON. */
  readonly capabilities: readonly { readonly name: string; readonly value: unknown }[];
}

/** A hook whose handler runs where the calls of its module run. */
export interface DescribedHook {
  readonly kind: "gate" | "observe";
  readonly event: string;
  readonly handler: GateHandler;
  readonly options: GateOptions;
}

/** What a runner may use of the host for a module that it mounts. */
export interface RunnerHost {
  /** Receives the events that the module lists in `observability.events`, when it emits them. */
  readonly announce: Announce;
  /** Returns a capability of another module. The runner asks only for capabilities that the plan lets the module use. */
  getCapability(name: string): unknown;
}

/** Receives an event that a module emits where its calls run. */
export type Announce = (event: string, data: JsonObject) => void;

/**
 * Runs calls of tools, in this process or elsewhere. `run` resolves to what the tool returned, as JSON. It rejects only if the
 * run itself failed, with a `RunnerFailure` that says how the call ends.
 */
export interface Runner {
  /**
   * Whether a repeated call, also from another process, gets the end of the first call if session, id and arguments are equal.
   * If so, a turn that resumes makes the call again.
   */
  readonly adopts?: boolean | undefined;
  /**
   * Whether the runner also runs the undo and the preview of a tool. The previews of one rehearsal and one module see each
   * other's effects.
   */
  readonly undoes?: boolean | undefined;
  /**
   * Whether the runner runs whole calls of a rehearsal, even of tools without `preview`. They run on one copy of the files, which
   * is discarded after the rehearsal. Such a call resolves to a `Preview` with what it changed in the copy, even if it failed.
   */
  readonly rehearses?: boolean | undefined;
  run(job: RunnerJob, control: RunnerControl): Promise<ToolReturn>;
  /**
   * Mounts a module where its calls run, so that the host need not import it. `module.config` is as the plan has it. Resolves to
   * what the host mounts for it; the `execute` of these tools never runs in the host. Rejects with why it was not mounted.
   */
  describe?(module: RunnerModule, host: RunnerHost): Promise<DescribedModule>;
  close?(): Promise<void>;
}
