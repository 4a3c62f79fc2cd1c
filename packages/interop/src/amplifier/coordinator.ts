import {
  systemClock,
  type CancellationToken,
  type Coordinator,
  type JsonObject,
  type MountPoints,
  type ToolInfo,
  type Undo,
} from "@toolmount/core";
import { toModuleResult } from "./tool-result.ts";
import { createAmplifierHooks, type AmplifierHooks } from "./hooks.ts";
import { processHookResult } from "./hook-approval.ts";
import type { AmplifierWorld } from "./sessions.ts";
import type { AmplifierHookResult } from "./hook-result.ts";

/** The coordinator that Amplifier modules know: its names in snake case, and a session. Source: KERNEL.md §1. */
export type AmplifierCoordinator = ReturnType<typeof createAmplifierCoordinator>;

const namedPoints = ["tools", "providers"] as const;
const singlePoints = ["orchestrator", "context", "module-source-resolver"] as const;

/**
 * Makes the coordinator of one Amplifier module over ours. What it says of a session (`session_id`, `session_state`,
 * `cancellation`) is of the session whose call or event is at hand, else of the host.
 */
export function createAmplifierCoordinator(
  coordinator: Coordinator,
  config: JsonObject,
  world: AmplifierWorld,
) {
  const cleanups: Undo[] = [];
  const channels: Record<string, { name: string; callback: () => unknown }[]> = {};
  const hooks = createAmplifierHooks(coordinator, world);
  const services: { loader: unknown; approval: unknown; display: unknown } = {
    loader: null,
    approval: null,
    display: null,
  };
  let isGated = false;
  const facade = {
    hooks,
    config,
    logger: coordinator.logger,
    injection_budget_per_turn: null as number | null,
    injection_size_limit: null as number | null,
    mount: (point: keyof MountPoints, thing: never, name?: string | { name?: string }): Undo =>
      coordinator.mount(point, thing, typeof name === "string" ? { name } : { name: name?.name }),
    unmount: (point: keyof MountPoints, name?: string) => coordinator.unmount(point, name),
    get: (point: keyof MountPoints, name?: string) =>
      point === "tools" ? lookUpTools(coordinator, world, name) : coordinator.get(point, name),
    register_capability: (name: string, value: unknown) => coordinator.registerCapability(name, value),
    get_capability: (name: string) => coordinator.getCapability(name),
    register_contributor: (channel: string, name: string, callback: () => unknown) => {
      (channels[channel] ??= []).push({ name, callback });
      return coordinator.registerContributor(channel, name, callback);
    },
    collect_contributions: (channel: string) => coordinator.collectContributions(channel),
    register_cleanup: (cleanup: unknown) => {
      if (typeof cleanup !== "function") return () => {};
      cleanups.push(coordinator.registerCleanup(cleanup as () => unknown));
      return cleanups.at(-1)!;
    },
    request_cancel: async (immediate = false): Promise<void> => {
      if (!isGated)
        coordinator.hooks.gate("tool:pre", (_, data) => refuseCancelled(world, data["session_id"]));
      isGated = true;
      await requestCancel(world, hooks, immediate);
    },
    process_hook_result: (result: AmplifierHookResult, event: string, hookName: string) =>
      processHookResult(result, event, hookName, {
        session: world.current(),
        logger: coordinator.logger,
        sizeLimit: facade.injection_size_limit,
        tokenBudget: facade.injection_budget_per_turn,
        context: coordinator.get("context"),
        approvalSystem: services.approval ?? coordinator.getCapability("approval.system"),
        displaySystem: services.display ?? coordinator.getCapability("display.system"),
        now: () => new Date(systemClock.now()).toISOString(),
      }),
    reset_turn: () => void (world.current().injectedTokens = 0),
    to_dict: () => describe(coordinator, world, services.approval),
    get mount_points() {
      const named = namedPoints.map((point) => [
        point,
        Object.fromEntries(facade.get(point) as Map<string, unknown>),
      ]);
      const single = singlePoints.map((point) => [point, coordinator.get(point)]);
      return Object.freeze(Object.fromEntries([...named, ...single]) as Record<string, unknown>);
    },
    get channels() {
      return channels;
    },
    get session_id() {
      return world.current().id;
    },
    get parent_id() {
      return world.current().parentId;
    },
    get session() {
      const { id, parentId } = world.current();
      return { session_id: id, parent_id: parentId, coordinator: facade as unknown };
    },
    get session_state() {
      return world.current().state;
    },
    get cancellation() {
      return showCancellation(world.current().cancellation);
    },
    get loader() {
      return services.loader;
    },
    set loader(loader: unknown) {
      services.loader = loader;
    },
    get approval_system() {
      return services.approval ?? coordinator.getCapability("approval.system");
    },
    set approval_system(system: unknown) {
      services.approval = system;
    },
    get display_system() {
      return services.display ?? coordinator.getCapability("display.system");
    },
    set display_system(system: unknown) {
      services.display = system;
    },
  };
  return facade;
}

/** Tools of other modules as that contract shows them: they are called inside of a call, and through the host's path. */
function lookUpTools(coordinator: Coordinator, world: AmplifierWorld, name: string | undefined): unknown {
  const infos = coordinator.get("tools") as ReadonlyMap<string, ToolInfo>;
  const show = (info: ToolInfo) => ({
    name: info.name,
    description: info.description,
    input_schema: info.inputSchema,
    execute: async (input: Readonly<Record<string, unknown>>) => {
      const call = world.call();
      if (call === undefined)
        return {
          success: false,
          output: null,
          error: { message: `"${info.name}" can be called only from within a call` },
        };
      return toModuleResult(await call.call({ name: info.name, arguments: input }));
    },
  });
  if (name === undefined) return new Map([...infos].map(([key, info]) => [key, show(info)]));
  const info = infos.get(name);
  return info === undefined ? null : show(info);
}

function refuseCancelled(world: AmplifierWorld, sessionId: unknown) {
  const { cancellation } = world.inSession(sessionId, () => world.current());
  return cancellation.isCancelled ? { action: "deny" as const, reason: "Request was cancelled" } : undefined;
}

async function requestCancel(
  world: AmplifierWorld,
  hooks: AmplifierHooks,
  immediate: boolean,
): Promise<void> {
  const { cancellation } = world.current();
  const isNew = immediate ? cancellation.requestImmediate() : cancellation.requestGraceful();
  if (!isNew) return;
  const running = cancellation.runningToolNames;
  await hooks.emit("cancel:requested", { level: cancellation.state, running_tools: running });
  await cancellation.triggerCallbacks();
  await hooks.emit("cancel:completed", { was_immediate: cancellation.isImmediate, tools_cancelled: running });
}

/** Where a shown token keeps the one it shows. */
const shown = Symbol("toolmount.token");

function tokenOf(given: object): CancellationToken {
  return (given as { [shown]?: CancellationToken })[shown] ?? (given as CancellationToken);
}

/** The token under the names of KERNEL.md §3. */
function showCancellation(token: CancellationToken) {
  return {
    [shown]: token,
    get state() {
      return token.state;
    },
    get is_cancelled() {
      return token.isCancelled;
    },
    get is_graceful() {
      return token.isGraceful;
    },
    get is_immediate() {
      return token.isImmediate;
    },
    get running_tools() {
      return token.runningTools;
    },
    get running_tool_names() {
      return token.runningToolNames;
    },
    request_graceful: () => token.requestGraceful(),
    request_immediate: () => token.requestImmediate(),
    reset: () => token.reset(),
    register_tool_start: (id: string, name: string) => token.registerToolStart(id, name),
    register_tool_complete: (id: string) => token.registerToolComplete(id),
    register_child: (child: object) => token.registerChild(tokenOf(child)),
    unregister_child: (child: object) => token.unregisterChild(tokenOf(child)),
    on_cancel: (callback: () => unknown) => token.onCancel(callback),
    trigger_callbacks: () => token.triggerCallbacks(),
  };
}

function describe(coordinator: Coordinator, world: AmplifierWorld, approval: unknown) {
  return {
    session_id: world.current().id,
    tools: [...(coordinator.get("tools") as ReadonlyMap<string, unknown>).keys()],
    providers: [...(coordinator.get("providers") as ReadonlyMap<string, unknown>).keys()],
    has_orchestrator: coordinator.get("orchestrator") !== null,
    has_context: coordinator.get("context") !== null,
    has_approval_provider: approval !== null || coordinator.getCapability("approval.system") !== null,
  };
}
