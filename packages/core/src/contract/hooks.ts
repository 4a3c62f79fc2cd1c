import type { ToolResult } from "./result.ts";

/** What a gate can do with an event. `continue` lets it pass, and `ask_user` asks a person; {@link HookResult} has the texts. */
export type HookAction = "continue" | "deny" | "modify" | "inject_context" | "ask_user";

/**
 * A gate's answer. Fields and defaults are those of Amplifier's HookResult, in camelCase; times are milliseconds.
 * A gate that returns nothing says `continue`.
 */
export interface HookResult {
  /** Default `continue`. */
  readonly action?: HookAction | undefined;
  /**
   * With `modify`: the event's data with the changed `tool_input` on `tool:pre`, or `tool_result` on `tool:post`.
   * A `tool_result` on `tool:pre` is used instead of running the tool; policies still decide about the call.
   */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly reason?: string | undefined;
  readonly contextInjection?: string | undefined;
  /** Default `system`. */
  readonly contextInjectionRole?: "system" | "user" | "assistant" | undefined;
  /** Several texts in their order. With at least one, the fields for a single text are ignored. */
  readonly contextInjections?: readonly ContextInjection[] | undefined;
  readonly ephemeral?: boolean | undefined;
  readonly approvalPrompt?: string | undefined;
  readonly approvalOptions?: readonly string[] | undefined;
  /** Default: `askMs` of the host's `approvals`, or `keepMs` for a stored question. */
  readonly approvalTimeoutMs?: number | undefined;
  /** The decision if no answer comes in time. Default `deny`. */
  readonly approvalDefault?: "allow" | "deny" | undefined;
  /** Hides this hook's own `userMessage`, never a tool's output. */
  readonly suppressOutput?: boolean | undefined;
  /** A message for the person who runs the host. It is logged, and no model reads it. */
  readonly userMessage?: string | undefined;
  /** Default `info`. */
  readonly userMessageLevel?: "info" | "warning" | "error" | undefined;
  readonly userMessageSource?: string | undefined;
  readonly appendToLastToolResult?: boolean | undefined;
}

/** One of several texts that a gate adds to what the model reads. */
export interface ContextInjection {
  readonly content: string;
  /** Default `system`. */
  readonly role?: "system" | "user" | "assistant" | undefined;
  readonly ephemeral?: boolean | undefined;
  readonly appendToLastToolResult?: boolean | undefined;
}

/** Payload of any event. Names are snake_case, as Amplifier publishes them. */
export type EventData = Readonly<Record<string, unknown>>;

/** Payload of `tool:pre`, and the common part of the later tool events. */
export interface ToolEvent extends EventData {
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly run_id: string;
  readonly tool_input: unknown;
  readonly session_id?: string;
  readonly conversation_id?: string;
  readonly turn_id?: string;
  readonly parent_id?: string;
  readonly parallel_group_id?: string;
  /** Set if the call waited, here or at another server, so that its gates were asked before. Only for gates of `tool:pre`. */
  readonly resumed?: true;
  /** ISO 8601 time at which the call began. */
  readonly timestamp: string;
}

/** Payload of `tool:post`. */
export interface ToolPostEvent extends ToolEvent {
  readonly tool_result: ToolResult;
}

/** Payload of `tool:error`. */
export interface ToolErrorEvent extends ToolEvent {
  readonly tool_result: ToolResult;
  readonly error: { readonly code: string; readonly message: string; readonly type: string };
  readonly phase: string;
}

/** The handler of a gate. It gets the event's name and payload, and may answer. */
export type GateHandler = (
  event: string,
  data: EventData,
) => HookResult | undefined | void | Promise<HookResult | undefined | void>;

/** The handler of an observer. Its return value and its errors have no effect on the call. */
export type ObserverHandler = (event: string, data: EventData) => unknown;

/** How a gate is registered. */
export interface GateOptions {
  /** Lower numbers run first, equal numbers in the order of registration. Default 0. */
  readonly priority?: number | undefined;
  /** A gate that has not answered after this many milliseconds denies. Default 5000. */
  readonly timeoutMs?: number | undefined;
  readonly name?: string | undefined;
}

/** How an observer is registered. */
export interface ObserverOptions {
  readonly priority?: number | undefined;
  readonly name?: string | undefined;
}

/** Undoes a registration. A second call does nothing. */
export type Undo = () => void;

/** The events of a host and their handlers. */
export interface Hooks {
  /** Adds a handler that can deny, modify, inject or ask. An error or a timeout denies. */
  gate(event: string, handler: GateHandler, options?: GateOptions): Undo;
  /** Adds a handler that only watches; `*` watches all events. Its errors are logged, and no call waits for it. */
  observe(event: string, handler: ObserverHandler, options?: ObserverOptions): Undo;
  /** Adds a gate on `tool:pre` and `tool:post`, and an observer on other events. The name is Amplifier's. */
  register(event: string, handler: GateHandler, options?: GateOptions): Undo;
  /** The same as `register`. */
  on(event: string, handler: GateHandler, options?: GateOptions): Undo;
  /** Removes this module's handlers of that name; returns whether it had any. */
  unregister(name: string): boolean;
  /** Emits an event to all handlers. Resolves to the combined answer of its gates. Throws `EVENT_RESERVED` for host events. */
  emit(event: string, data?: EventData): Promise<HookResult>;
  /** Collects the `data` of all handlers, each within `timeoutMs` (default 1000). Errors and late answers are left out. */
  emitAndCollect(
    event: string,
    data?: EventData,
    options?: { timeoutMs?: number | undefined },
  ): Promise<unknown[]>;
  /** Sets fields that every event of this module has, unless the event states them itself. */
  setDefaultFields(fields: EventData): void;
  /** Returns the names of the handlers by event. */
  list(event?: string): Readonly<Record<string, readonly string[]>>;
}
