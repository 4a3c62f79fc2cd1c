import type { Coordinator, EventData, HookResult, Hooks, ToolOutcome, Undo } from "@toolmount/core";
import { isRecord } from "../schema/guards.ts";
import { fromAmplifierHookResult, toAmplifierHookResult, type AmplifierHookResult } from "./hook-result.ts";
import type { AmplifierSessions } from "./sessions.ts";
import { fromAmplifierResult, toAmplifierResult } from "./tool-result.ts";

type Handler = (event: string, data: EventData) => unknown;

/** Our hook registry, with Amplifier's members in addition to its own. Amplifier's times are seconds. */
export interface AmplifierHooks extends Omit<Hooks, "register" | "on" | "emit"> {
  /** `priority` and `name` are two parameters, or members of one object that is passed as `priority`. */
  register(event: string, handler: Handler, priority?: unknown, name?: string): Undo;
  on(event: string, handler: Handler, priority?: unknown, name?: string): Undo;
  /** Resolves to an answer with both names of each field. */
  emit(event: string, data?: EventData): Promise<HookResult & Required<AmplifierHookResult>>;
  emit_and_collect(event: string, data?: EventData, timeout?: number): Promise<unknown[]>;
  set_default_fields(fields: EventData): void;
  list_handlers(event?: string): Readonly<Record<string, readonly string[]>>;
}

/**
 * Events that only the host may emit. If an Amplifier module emits one, the event is dropped with a warning. A module with a
 * `config` schema is written for toolmount; it gets an error instead.
 */
const reserved = /^(tool|approval|plan|module):/;

/** Makes the hook registry of one module. */
export function createAmplifierHooks(
  { hooks, logger }: Pick<Coordinator, "hooks" | "logger">,
  sessions: AmplifierSessions,
  isOurs: boolean,
): AmplifierHooks {
  const register: AmplifierHooks["register"] = (event, handler, priority, name) =>
    hooks.register(
      event,
      (received, data) => answer(sessions, handler, received, data),
      optionsOf(priority, name),
    );
  const isDropped = (event: string) => {
    if (isOurs || !reserved.test(event)) return false;
    logger.warn({ event }, `only the host emits "${event}": the event was dropped`);
    return true;
  };
  return Object.freeze({
    ...hooks,
    register,
    on: register,
    emit: async (event: string, data: EventData = {}) => {
      const result: HookResult = isDropped(event)
        ? { action: "continue", data }
        : await hooks.emit(event, withIds(sessions, data));
      return { ...toAmplifierHookResult(result), ...result } as HookResult & Required<AmplifierHookResult>;
    },
    emit_and_collect: async (event: string, data: EventData = {}, timeout = 1) =>
      isDropped(event)
        ? []
        : hooks.emitAndCollect(event, withIds(sessions, data), { timeoutMs: timeout * 1000 }),
    set_default_fields: (fields: EventData) => hooks.setDefaultFields(fields),
    list_handlers: (event?: string) => hooks.list(event),
  });
}

function optionsOf(priority: unknown, name: string | undefined): { priority?: number; name?: string } {
  const given = isRecord(priority) ? priority : { priority, name };
  return {
    ...(typeof given["priority"] === "number" ? { priority: given["priority"] } : {}),
    ...(typeof given["name"] === "string" ? { name: given["name"] } : {}),
    ...(typeof given["timeoutMs"] === "number" ? { timeoutMs: given["timeoutMs"] } : {}),
  };
}

/** Adds the ids of the current session and of its parent, unless the data have such ids. */
function withIds(sessions: AmplifierSessions, data: EventData): EventData {
  const { id, parentId } = sessions.current();
  return { session_id: id, parent_id: parentId, ...data };
}

async function answer(
  sessions: AmplifierSessions,
  handler: Handler,
  event: string,
  data: EventData,
): Promise<HookResult | undefined> {
  const shown = showEvent(data);
  const { session_id: session, user_id: user } = data;
  const answered = await sessions.inSession(session, async () => handler(event, shown), user);
  return withReplacedResult(fromAmplifierHookResult(answered), shown);
}

/** Adds the fields of Amplifier's events: `result` in addition to `tool_result`, and an error's text as `msg`. */
function showEvent(data: EventData): EventData {
  const { tool_result: result, error } = data as {
    tool_result?: ToolOutcome["result"];
    error?: { message: string };
  };
  return {
    ...data,
    ...(result === undefined ? {} : { result: toAmplifierResult({ result }) }),
    ...(isRecord(error) ? { error: { ...error, msg: error["message"] } } : {}),
  };
}

/** If a handler replaced `result` but not `tool_result`, replaces `tool_result` accordingly. */
function withReplacedResult(answered: HookResult | undefined, shown: EventData): HookResult | undefined {
  const { action, data } = answered ?? {};
  if (action !== "modify" || !isRecord(data) || data["result"] === undefined) return answered;
  if (data["result"] === shown["result"]) return answered;
  if (data["tool_result"] !== undefined && data["tool_result"] !== shown["tool_result"]) return answered;
  const replaced = data["result"];
  const isResult = isRecord(replaced) && ("success" in replaced || "output" in replaced);
  const tool = String(shown["tool_name"]);
  return {
    ...answered,
    data: { ...data, tool_result: isResult ? fromAmplifierResult(tool, replaced) : { data: replaced } },
  };
}
