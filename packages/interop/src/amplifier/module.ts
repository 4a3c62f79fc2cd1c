import { messageOf } from "@toolmount/core/errors";
import { ToolmountError, type Coordinator, type HookResult, type JsonObject } from "@toolmount/core";
import { createAmplifierCoordinator, type AmplifierCoordinator } from "./coordinator.ts";
import type { AmplifierSessions } from "./sessions.ts";
import { isRecord } from "../schema/guards.ts";

type Exports = Readonly<Record<string, unknown>>;

/** Names of exports in which a module declares its type. */
const typeNames = ["__amplifier_module_type__", "amplifier_module_type"] as const;

const knownTypes = ["orchestrator", "provider", "tool", "hook", "context", "resolver"];

/**
 * Returns a module whose `mount` gets a coordinator with our names and with Amplifier's, because it is not known which of these
 * the module uses. Its `on_session_ready` becomes `onSessionReady`. Null for a module without `mount`. Throws `MODULE_INVALID`
 * if the module declares an unknown type.
 */
export function adaptAmplifierModule(exports: Exports, sessions: AmplifierSessions): Exports | null {
  const { mount, on_session_ready: onReady } = exports;
  requireKnownType(exports);
  if (typeof mount !== "function") return null;
  let ready: (() => Promise<unknown>) | undefined;
  return {
    ...exports,
    ...(onReady !== undefined && { onSessionReady: async () => ready?.() }),
    mount: async (coordinator: Coordinator, config: JsonObject = {}) => {
      const own = isPlain(config) ? { ...config } : config;
      const facade = createAmplifierCoordinator(coordinator, own, sessions, exports["config"] !== undefined);
      const returned: unknown = await Reflect.apply(mount, exports, [facade, own]);
      if (onReady !== undefined) ready = waitForAll(coordinator, facade, onReady, exports);
      return returned;
    },
  };
}

/** Whether a config is a plain object, of which each module can get its own copy to write into. */
function isPlain(config: object): boolean {
  return Object.getPrototypeOf(config) === Object.prototype || Object.getPrototypeOf(config) === null;
}

function requireKnownType(exports: Exports): void {
  const name = typeNames.find((candidate) => exports[candidate] !== undefined);
  if (name === undefined) return;
  const type = exports[name];
  if (typeof type === "string" && knownTypes.includes(type)) return;
  throw new ToolmountError("MODULE_INVALID", {
    module: "of Amplifier",
    problem: `its ${name} is ${JSON.stringify(type)}; expected ${knownTypes.join(", ")}`,
  });
}

/** Event that says that all modules are mounted. Its gates run in the order of mounting. */
const allMounted = "plan:mounted";

/** A timeout that no wait reaches: the longest delay of a timer, in milliseconds. */
const noTimeout = 2_147_483_647;

/**
 * Returns the callback that a loader runs when all modules are mounted. In a host without a plan, a gate of the event runs it.
 */
function waitForAll(
  coordinator: Coordinator,
  facade: AmplifierCoordinator,
  onReady: unknown,
  exports: Exports,
): (() => Promise<unknown>) | undefined {
  if (typeof onReady !== "function" || onReady.constructor.name !== "AsyncFunction") {
    coordinator.logger.warn({}, "on_session_ready is not an async function and was not called");
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
  // A handler without its own name is listed under its module's id, and the newest one comes last.
  const moduleId = coordinator.hooks.list(allMounted)[allMounted]?.at(-1) ?? "";
  return ready;
}

/**
 * Notifies the modules of a host without a plan that all are mounted, and emits the failures of `on_session_ready`. For a plan,
 * the loader does the same.
 */
export async function notifyAllMounted(coordinator: Coordinator): Promise<void> {
  const { data } = await coordinator.hooks.emit(allMounted, { failed: [] });
  const failed = isRecord(data) && Array.isArray(data["failed"]) ? data["failed"] : [];
  for (const failure of failed)
    await coordinator.hooks.emit("module:on_session_ready_failed", failure as Exports);
}
