import { ToolmountError } from "../contract/errors.ts";
import { isoTime } from "../contract/clock.ts";
import { askGates } from "../registry/gates.ts";
import type { EventData, HookResult, Hooks, ObserverOptions, Undo } from "../contract/hooks.ts";
import type { Injection } from "../contract/outcome.ts";
import type { HostState } from "./host-state.ts";
import type { ModuleState } from "../registry/module.ts";
import { withTimeout } from "../scheduling/time.ts";
import {
  addOrdered,
  removeFrom,
  type GateEntry,
  type ObserverEntry,
  type Registry,
} from "../registry/registry.ts";
import { generationOf } from "../registry/generation.ts";

const gateTimeoutMs = 5_000;

/** Events that no mounted module may emit. */
const reserved = /^(tool|approval|plan|module):/;

/** Events of calls, which not even the application that created the host may emit. */
const reservedForCalls = /^(tool|approval):/;

export function createHooks(host: HostState, module: ModuleState): Hooks {
  let defaults: EventData = {};
  const named: { readonly name: string; readonly undo: Undo }[] = [];
  const keep = (name: string | undefined, undo: Undo): Undo => {
    if (name !== undefined) named.push({ name, undo });
    return undo;
  };
  const gate: Hooks["gate"] = (event, handler, options = {}) => {
    if (event === "*") throw invalid('only observers may listen to "*"');
    const { timeoutMs = gateTimeoutMs } = options;
    const entry = { ...entryOf(host, module, event, handler, options), timeoutMs };
    return keep(
      options.name,
      add(module, ({ gates }) => gates, entry),
    );
  };
  const observe: Hooks["observe"] = (event, handler, options = {}) => {
    const entry = entryOf(host, module, event, handler, options);
    return keep(
      options.name,
      add(module, ({ observers }) => observers, entry),
    );
  };
  const register: Hooks["register"] = (event, handler, options) =>
    event === "tool:pre" || event === "tool:post"
      ? gate(event, handler, options)
      : observe(event, handler, options);
  return Object.freeze({
    gate,
    observe,
    register,
    on: register,
    unregister: (name: string) => takeNamed(named, name),
    emit: (event: string, data: EventData = {}) => emit(host, module, event, { ...defaults, ...data }),
    emitAndCollect: (event: string, data: EventData = {}, options: { timeoutMs?: number | undefined } = {}) =>
      collect(host, module, event, { ...defaults, ...data }, options.timeoutMs ?? 1_000),
    setDefaultFields: (fields: EventData) => {
      defaults = { ...fields };
    },
    list: (event?: string) => listNames(module, event),
  });
}

function takeNamed(named: { name: string; undo: Undo }[], name: string): boolean {
  const found = named.filter((entry) => entry.name === name);
  for (const entry of found) {
    entry.undo();
    named.splice(named.indexOf(entry), 1);
  }
  return found.length > 0;
}

function add<Entry extends GateEntry | ObserverEntry>(
  module: ModuleState,
  listsOf: (registry: Registry) => Map<string, Entry[]>,
  entry: Entry,
): Undo {
  return module.register({
    isHook: true,
    add: (registry) => addOrdered(listsOf(registry), entry),
    remove: (registry) => removeFrom(listsOf(registry), entry.event, entry),
  });
}

function entryOf<Handler>(
  host: HostState,
  module: ModuleState,
  event: string,
  handler: Handler,
  options: ObserverOptions,
) {
  if (typeof event !== "string" || event === "") throw invalid("the event has no name");
  if (typeof handler !== "function") throw invalid(`the handler of "${event}" is not a function`);
  const { name = module.id, priority = 0 } = options;
  return { event, handler, name, owner: module.id, priority, order: host.nextOrder() };
}

function invalid(problem: string): ToolmountError {
  return new ToolmountError("MOUNT_INVALID", { point: "hooks", problem });
}

async function emit(
  host: HostState,
  module: ModuleState,
  event: string,
  data: EventData,
): Promise<HookResult> {
  requireFree(host, module, event);
  const generation = generationOf(module.newestSet);
  const stamped = stamp(host, data);
  const verdict = await askGates(host, generation.gates(event), event, stamped);
  if (verdict === null) {
    host.observers.notify(generation.observers(event), event, stamped);
    return { action: "continue", data: stamped };
  }
  host.observers.notify(generation.observers(event), event, verdict.data);
  if (verdict.denied !== null) return { action: "deny", reason: verdict.denied.reason, data: verdict.data };
  if (verdict.ask !== null) return { ...verdict.ask.result, data: verdict.data };
  if (verdict.injections !== null)
    return { ...merged(verdict.injections), suppressOutput: verdict.suppressed, data: verdict.data };
  return { action: "continue", data: verdict.data };
}

function merged(injections: readonly Injection[]): HookResult {
  return {
    action: "inject_context",
    contextInjection: injections.map(({ text }) => text).join("\n\n"),
    contextInjectionRole: injections[0]!.role,
    ephemeral: injections[0]!.ephemeral,
    appendToLastToolResult: injections.some((injection) => injection.appendToLastToolResult),
  };
}

function requireFree(host: HostState, module: ModuleState, event: string): void {
  const forbidden = module === host.ownModule ? reservedForCalls : reserved;
  if (forbidden.test(event)) throw new ToolmountError("EVENT_RESERVED", { event });
}

function stamp(host: HostState, data: EventData): EventData {
  return Object.freeze({ ...data, timestamp: isoTime(host.clock.now()) });
}

async function collect(
  host: HostState,
  module: ModuleState,
  event: string,
  data: EventData,
  timeoutMs: number,
): Promise<unknown[]> {
  requireFree(host, module, event);
  const generation = generationOf(module.newestSet);
  const stamped = stamp(host, data);
  const handlers = [...generation.gates(event), ...generation.observers(event)];
  const answers = await Promise.all(
    handlers.map((entry) => answerWithin(host, entry, event, stamped, timeoutMs)),
  );
  return answers
    .map((answer) => (answer as HookResult | undefined | null)?.data)
    .filter((found) => found !== undefined);
}

function answerWithin(
  host: HostState,
  entry: GateEntry | ObserverEntry,
  event: string,
  data: EventData,
  timeoutMs: number,
): Promise<unknown> {
  const answer = Promise.resolve().then((): unknown => entry.handler(event, data));
  return withTimeout(host.clock, timeoutMs, answer, () => undefined).catch((err: unknown) =>
    host.logger.warn({ err, handler: entry.name, event }, "a handler failed, so its answer is left out"),
  );
}

function listNames(
  module: ModuleState,
  event: string | undefined,
): Readonly<Record<string, readonly string[]>> {
  const { gates, observers } = module.newestSet.registry;
  const events = event === undefined ? [...new Set([...gates.keys(), ...observers.keys()])] : [event];
  return Object.fromEntries(
    events.map((key) => [
      key,
      [...(gates.get(key) ?? []), ...(observers.get(key) ?? [])].map(({ name }) => name),
    ]),
  );
}
