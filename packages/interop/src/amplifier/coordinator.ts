import {
  systemClock,
  type Coordinator,
  type JsonObject,
  type MountPoints,
  type ToolInfo,
  type Undo,
} from "@toolmount/core";
import { isRecord } from "../schema/guards.ts";
import { showCancellation } from "./cancellation.ts";
import { processHookResult } from "./hook-approval.ts";
import type { AmplifierHookResult } from "./hook-result.ts";
import { createAmplifierHooks, type AmplifierHooks } from "./hooks.ts";
import { requestCancel, type CancelState } from "./request-cancel.ts";
import type { AmplifierSessions } from "./sessions.ts";
import { toAmplifierResult, type AmplifierToolResult } from "./tool-result.ts";

const namedPoints = ["tools", "providers"] as const;
const singlePoints = ["orchestrator", "context", "module-source-resolver"] as const;

/** Services that an Amplifier module may set for itself. */
interface Services {
  loader: unknown;
  approval: unknown;
  display: unknown;
  sizeLimit?: number | null;
  tokenBudget?: number | null;
}

/** Our coordinator, with the members that Amplifier's modules know in addition to ours. Source: KERNEL.md §1. */
export type AmplifierCoordinator = Omit<Coordinator, "hooks" | "mount"> & {
  readonly hooks: AmplifierHooks;
} & ReturnType<typeof registrations> &
  ReturnType<typeof sessionMembers> &
  ReturnType<typeof serviceMembers>;

/**
 * Makes the coordinator of one module, with all of our members, and Amplifier's in snake case. The session (`session_id`, …) is
 * that of the current call or event, else the host's own. With `isOurs`, the module is known to be written for toolmount.
 */
export function createAmplifierCoordinator(
  coordinator: Coordinator,
  config: JsonObject,
  sessions: AmplifierSessions,
  isOurs: boolean,
): AmplifierCoordinator {
  const hooks = createAmplifierHooks(coordinator, sessions, isOurs);
  const services: Services = { loader: null, approval: null, display: null };
  const facade = { ...coordinator, config, hooks };
  define(facade, registrations(coordinator, sessions));
  define(facade, sessionMembers(facade, coordinator, hooks, sessions));
  define(facade, serviceMembers(coordinator, sessions, services));
  return facade as unknown as AmplifierCoordinator;
}

/** Copies members with their getters and setters. */
function define(target: object, members: object): void {
  Object.defineProperties(target, Object.getOwnPropertyDescriptors(members));
}

/**
 * Makes the members by which a module registers and looks up things. `mount` also takes the name as a text. Tools that are
 * looked up can be called only during a call.
 */
function registrations(coordinator: Coordinator, sessions: AmplifierSessions) {
  const channels: Record<string, { name: string; callback: () => unknown }[]> = {};
  const get = (point: keyof MountPoints, name?: string): unknown =>
    point === "tools" ? lookUpTools(coordinator, sessions, name) : coordinator.get(point, name);
  return {
    mount: <Point extends keyof MountPoints>(
      point: Point,
      thing: MountPoints[Point] | object,
      name?: string | { readonly name?: string | undefined },
    ): Undo => coordinator.mount(point, thing as never, typeof name === "string" ? { name } : name),
    get,
    register_capability: (name: string, value: unknown) => coordinator.registerCapability(name, value),
    get_capability: (name: string) => coordinator.getCapability(name),
    register_contributor: (channel: string, name: string, callback: () => unknown) => {
      (channels[channel] ??= []).push({ name, callback });
      return coordinator.registerContributor(channel, name, callback);
    },
    collect_contributions: (channel: string) => coordinator.collectContributions(channel),
    register_cleanup: (cleanup: unknown): Undo =>
      typeof cleanup === "function" ? coordinator.registerCleanup(cleanup as () => unknown) : () => {},
    get mount_points() {
      const named = namedPoints.map((point) => [
        point,
        Object.fromEntries(get(point) as ReadonlyMap<string, unknown>),
      ]);
      const single = singlePoints.map((point) => [point, coordinator.get(point)]);
      return Object.freeze(Object.fromEntries([...named, ...single]) as Record<string, unknown>);
    },
    get channels() {
      return channels;
    },
  };
}

/** Makes the members for the current session and its cancellation. */
function sessionMembers(
  facade: object,
  coordinator: Coordinator,
  hooks: AmplifierHooks,
  sessions: AmplifierSessions,
) {
  const cancelState: CancelState = { isGated: false };
  return {
    get session_id() {
      return sessions.current().id;
    },
    get parent_id() {
      return sessions.current().parentId;
    },
    get session() {
      const { id, parentId } = sessions.current();
      return { session_id: id, parent_id: parentId, coordinator: facade };
    },
    get session_state() {
      return sessions.current().state;
    },
    get cancellation() {
      return showCancellation(sessions.current().cancellation);
    },
    request_cancel: (immediate = false): Promise<void> =>
      requestCancel({ coordinator, hooks, sessions, state: cancelState }, immediate),
    reset_turn: () => void (sessions.current().injectedTokens = 0),
  };
}

/** Makes the members for services of the application: approvals, messages to the user, and limits of what hooks inject. */
function serviceMembers(coordinator: Coordinator, sessions: AmplifierSessions, services: Services) {
  const approval = () => services.approval ?? coordinator.getCapability("approval.system");
  const display = () => services.display ?? coordinator.getCapability("display.system");
  const members = {
    get injection_budget_per_turn() {
      return services.tokenBudget ?? injectionLimit(coordinator, "tokensPerTurn");
    },
    set injection_budget_per_turn(tokens: number | null) {
      services.tokenBudget = tokens;
    },
    get injection_size_limit() {
      return services.sizeLimit ?? injectionLimit(coordinator, "size");
    },
    set injection_size_limit(size: number | null) {
      services.sizeLimit = size;
    },
    process_hook_result(
      this: {
        readonly injection_size_limit: number | null;
        readonly injection_budget_per_turn: number | null;
      },
      result: AmplifierHookResult,
      event: string,
      hookName: string,
    ) {
      return processHookResult(result, event, hookName, {
        session: sessions.current(),
        logger: coordinator.logger,
        sizeLimit: this.injection_size_limit,
        tokenBudget: this.injection_budget_per_turn,
        context: coordinator.get("context"),
        approvalSystem: approval(),
        displaySystem: display(),
        now: () => new Date(systemClock.now()).toISOString(),
      });
    },
    to_dict: () => describe(coordinator, sessions, approval()),
    get loader() {
      return services.loader;
    },
    set loader(loader: unknown) {
      services.loader = loader;
    },
    get approval_system() {
      return approval();
    },
    set approval_system(system: unknown) {
      services.approval = system;
    },
    get display_system() {
      return display();
    },
    set display_system(system: unknown) {
      services.display = system;
    },
  };
  return members;
}

/** Returns a limit of the plan's session for what hooks inject; null for no limit. */
function injectionLimit(coordinator: Coordinator, name: "size" | "tokensPerTurn"): number | null {
  const limits = coordinator.getCapability("session.injection_limits");
  const limit = isRecord(limits) ? limits[name] : undefined;
  return typeof limit === "number" ? limit : null;
}

function describe(coordinator: Coordinator, sessions: AmplifierSessions, approval: unknown) {
  const namesAt = (point: "tools" | "providers") => [
    ...(coordinator.get(point) as ReadonlyMap<string, unknown>).keys(),
  ];
  return {
    session_id: sessions.current().id,
    tools: namesAt("tools"),
    providers: namesAt("providers"),
    has_orchestrator: coordinator.get("orchestrator") !== null,
    has_context: coordinator.get("context") !== null,
    has_approval_provider: isRecord(approval),
  };
}

/** A mounted tool with the members that Amplifier's modules use. */
interface ToolView extends ToolInfo {
  readonly input_schema: ToolInfo["inputSchema"];
  /** Calls the tool as the host calls it; works only during a call. */
  execute(input: Readonly<Record<string, unknown>>): Promise<AmplifierToolResult>;
}

/** Returns the mounted tools by name; with `name`, only that tool, or null. */
function lookUpTools(
  coordinator: Coordinator,
  sessions: AmplifierSessions,
  name: string | undefined,
): ReadonlyMap<string, ToolView> | ToolView | null {
  const infos = coordinator.get("tools") as ReadonlyMap<string, ToolInfo>;
  if (name === undefined) return dictionary([...infos].map(([key, info]) => [key, show(info, sessions)]));
  const info = coordinator.get("tools", name) as ToolInfo | null;
  return info === null ? null : show(info, sessions);
}

/**
 * Makes a map whose entries are also members, as in a Python dictionary. A name of one of the map's methods stays the method.
 */
function dictionary<Value>(entries: readonly (readonly [string, Value])[]): ReadonlyMap<string, Value> {
  const free = entries.filter(([key]) => !(key in Map.prototype));
  return Object.assign(new Map(entries), Object.fromEntries(free));
}

function show(info: ToolInfo, sessions: AmplifierSessions): ToolView {
  return {
    ...info,
    input_schema: info.inputSchema,
    async execute(input) {
      const call = sessions.call();
      if (call !== undefined)
        return toAmplifierResult(await call.call({ name: info.name, arguments: input }));
      const message = `"${info.name}" can be called only from within a call`;
      return { success: false, output: null, error: { message } };
    },
  };
}
