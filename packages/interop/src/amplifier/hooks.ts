import type { Coordinator, EventData, HookResult, ToolOutcome, Undo } from "@toolmount/core";
import type { AmplifierWorld } from "./sessions.ts";
import { isRecord } from "../schema/guards.ts";
import { fromAmplifierHookResult, toAmplifierHookResult, type AmplifierHookResult } from "./hook-result.ts";
import { fromModuleResult, toModuleResult } from "./tool-result.ts";

type Handler = (event: string, data: EventData) => unknown;

/** Amplifier's hook registry, over the hooks of one module. Times are seconds. */
export interface AmplifierHooks {
  register(event: string, handler: Handler, priority?: unknown, name?: string): Undo;
  on(event: string, handler: Handler, priority?: unknown, name?: string): Undo;
  unregister(name: string): boolean;
  emit(event: string, data?: EventData): Promise<Required<AmplifierHookResult>>;
  emit_and_collect(event: string, data?: EventData, timeout?: number): Promise<unknown[]>;
  set_default_fields(fields: EventData): void;
  list_handlers(event?: string): Readonly<Record<string, readonly string[]>>;
}

/** Events that belong to the host; an adapted module's emit of them is dropped. */
const reserved = /^(tool|approval|plan|module):/;

/** Makes the hook registry that an Amplifier module knows. */
export function createAmplifierHooks(
  { hooks, logger }: Pick<Coordinator, "hooks" | "logger">,
  world: AmplifierWorld,
): AmplifierHooks {
  const register: AmplifierHooks["register"] = (event, handler, priority, name) =>
    hooks.register(event, (heard, data) => answer(world, handler, heard, data), optionsOf(priority, name));
  const isDropped = (event: string) => {
    if (!reserved.test(event)) return false;
    logger.warn({ event }, "an event that belongs to the host was dropped");
    return true;
  };
  return Object.freeze({
    register,
    on: register,
    unregister: (name: string) => hooks.unregister(name),
    emit: async (event: string, data: EventData = {}) =>
      toAmplifierHookResult(
        isDropped(event) ? { action: "continue", data } : await hooks.emit(event, withIds(world, data)),
      ),
    emit_and_collect: async (event: string, data: EventData = {}, timeout = 1) =>
      isDropped(event)
        ? []
        : hooks.emitAndCollect(event, withIds(world, data), { timeoutMs: timeout * 1000 }),
    set_default_fields: (fields: EventData) => hooks.setDefaultFields(fields),
    list_handlers: (event?: string) => hooks.list(event),
  });
}

/** Priority and name come one after the other, or as members of one object. */
function optionsOf(priority: unknown, name: string | undefined): { priority?: number; name?: string } {
  const given = isRecord(priority) ? priority : { priority, name };
  return {
    ...(typeof given["priority"] === "number" ? { priority: given["priority"] } : {}),
    ...(typeof given["name"] === "string" ? { name: given["name"] } : {}),
  };
}

/** Fields that stand under every event. */
function withIds(world: AmplifierWorld, data: EventData): EventData {
  const { id, parentId } = world.current();
  return { session_id: id, parent_id: parentId, ...data };
}

async function answer(
  world: AmplifierWorld,
  handler: Handler,
  event: string,
  data: EventData,
): Promise<HookResult | undefined> {
  const shown = showEvent(data);
  const said = await world.inSession(data["session_id"], async () => handler(event, shown));
  return takeBack(fromAmplifierHookResult(said), shown);
}

/** Amplifier's loops call the result `result`, and an error's text `msg`. */
function showEvent(data: EventData): EventData {
  const { tool_result: result, error } = data as {
    tool_result?: ToolOutcome["result"];
    error?: { message: string };
  };
  return {
    ...data,
    ...(result === undefined ? {} : { result: toModuleResult({ result }) }),
    ...(isRecord(error) ? { error: { ...error, msg: error["message"] } } : {}),
  };
}

/** A replaced `result` is the result, unless `tool_result` was replaced. */
function takeBack(answered: HookResult | undefined, shown: EventData): HookResult | undefined {
  const { action, data } = answered ?? {};
  if (action !== "modify" || !isRecord(data) || data["result"] === undefined) return answered;
  if (data["result"] === shown["result"]) return answered;
  const replaced = data["result"];
  const isResult = isRecord(replaced) && ("success" in replaced || "output" in replaced);
  const tool = String(shown["tool_name"]);
  return {
    ...answered,
    data: { ...data, tool_result: isResult ? fromModuleResult(tool, replaced) : { data: replaced } },
  };
}
