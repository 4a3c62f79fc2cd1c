import { messageOf } from "@toolmount/core/errors";
import { ToolmountError, type Coordinator, type HookResult, type JsonObject } from "@toolmount/core";
import { createAmplifierCoordinator, type AmplifierCoordinator } from "./coordinator.ts";
import type { AmplifierWorld } from "./sessions.ts";
import { isRecord } from "../schema/guards.ts";

type Exports = Readonly<Record<string, unknown>>;

/** Names under which a module declares of which type it is. */
const typeNames = ["__amplifier_module_type__", "amplifier_module_type"] as const;

const knownTypes = ["orchestrator", "provider", "tool", "hook", "context", "resolver"];

/** Members of the coordinator that only Amplifier's modules use. */
const ownMembers =
  /\.\s*(?:register_capability|get_capability|register_contributor|collect_contributions|register_cleanup|session_state|session_id|parent_id|request_cancel|process_hook_result|mount_points|emit_and_collect|set_default_fields|list_handlers|approval_system|display_system|reset_turn)\b/;

/**
 * An Amplifier module as one of ours: its `mount` gets the coordinator it knows, and `on_session_ready` becomes
 * `onSessionReady`, which runs once all modules are mounted. A module is Amplifier's when it declares its type, has an
 * `on_session_ready`, or its `mount` uses the names of that coordinator. `null` for other modules.
 */
export function adaptAmplifierModule(exports: Exports, world: AmplifierWorld): Exports | null {
  const { mount, on_session_ready: onReady } = exports;
  const type = declaredType(exports);
  if (typeof mount !== "function") return null;
  if (
    type === undefined &&
    onReady === undefined &&
    !ownMembers.test(Function.prototype.toString.call(mount))
  )
    return null;
  let ready: (() => Promise<unknown>) | undefined;
  return {
    ...exports,
    ...(onReady !== undefined && { onSessionReady: async () => ready?.() }),
    mount: async (coordinator: Coordinator, config?: JsonObject) => {
      const facade = createAmplifierCoordinator(coordinator, config ?? {}, world);
      const returned: unknown = await Reflect.apply(mount, exports, [facade, { ...config }]);
      if (onReady !== undefined) ready = waitForAll(coordinator, facade, onReady, exports);
      return returned;
    },
  };
}

function declaredType(exports: Exports): string | undefined {
  const name = typeNames.find((candidate) => exports[candidate] !== undefined);
  if (name === undefined) return undefined;
  const type = exports[name];
  if (typeof type === "string" && knownTypes.includes(type)) return type;
  throw new ToolmountError("MODULE_INVALID", {
    module: "of Amplifier",
    problem: `its ${name} is ${JSON.stringify(type)}; it may be ${knownTypes.join(", ")}`,
  });
}

/** The event by which whoever mounts modules tells that all are there. Gates of it are asked in the order of mounting. */
const allMounted = "plan:mounted";

/** Longest time that a timer knows. */
const noTimeout = 2_147_483_647;

/** The callback for a loader. In a host that was put together by hand, a gate of the event runs it instead. */
function waitForAll(
  coordinator: Coordinator,
  facade: AmplifierCoordinator,
  onReady: unknown,
  exports: Exports,
): (() => Promise<unknown>) | undefined {
  if (typeof onReady !== "function" || onReady.constructor.name !== "AsyncFunction") {
    coordinator.logger.warn({}, "on_session_ready is not an async function and was left out");
    return undefined;
  }
  const ready = async (): Promise<unknown> => {
    undo();
    return Reflect.apply(onReady, exports, [facade]);
  };
  const undo = coordinator.hooks.gate(
    allMounted,
    async (_, data): Promise<HookResult | undefined> => {
      try {
        await ready();
        return undefined;
      } catch (err) {
        coordinator.logger.warn({ err }, "on_session_ready failed");
        const before = Array.isArray(data["failed"]) ? data["failed"] : [];
        const error = messageOf(err);
        return { action: "modify", data: { failed: [...before, { module_id: moduleId, error }] } };
      }
    },
    { timeoutMs: noTimeout },
  );
  // A handler without a name of its own is listed under its module's id, and the newest is last.
  const moduleId = coordinator.hooks.list(allMounted)[allMounted]?.at(-1) ?? "";
  return ready;
}

/**
 * Tells modules that all are mounted, and the host of those whose `on_session_ready` failed. The loader does the same
 * for a plan; this is for hosts that are put together by hand.
 */
export async function tellAllMounted(coordinator: Coordinator): Promise<void> {
  const { data } = await coordinator.hooks.emit(allMounted, { failed: [] });
  const failed = isRecord(data) && Array.isArray(data["failed"]) ? data["failed"] : [];
  for (const failure of failed)
    await coordinator.hooks.emit("module:on_session_ready_failed", failure as Exports);
}
