import { ToolmountError, type Coordinator, type Undo } from "@toolmount/core";

/** A coordinator, and a record of what was registered through it. */
export interface RecordingCoordinator {
  readonly coordinator: Coordinator;
  /** Things mounted at `tools`. */
  readonly tools: ReadonlySet<unknown>;
  /** Points at which something was mounted, in the order of their first use. */
  readonly points: ReadonlySet<string>;
  readonly capabilities: ReadonlySet<string>;
  /** Whether it registered anything; cleanups do not count. */
  registeredAnything(): boolean;
}

/**
 * Wraps the coordinator of a module so that its registrations are recorded. After `closed` aborts, which means that the
 * mount failed or took too long, every method throws `MODULE_MOUNT_FAILED`, and a cleanup runs when it is registered.
 */
export function createRecordingCoordinator(
  given: Coordinator,
  id: string,
  closed?: AbortSignal,
): RecordingCoordinator {
  const coordinator = closed === undefined ? given : closeable(given, id, closed);
  const tools = new Set<unknown>();
  const points = new Set<string>();
  const capabilities = new Set<string>();
  let registrations = 0;
  const counted = <Parameters extends readonly unknown[]>(register: (...parameters: Parameters) => Undo) => {
    return (...parameters: Parameters): Undo => {
      const undo = register(...parameters);
      registrations++;
      return undo;
    };
  };
  const { hooks } = coordinator;
  const recording: Coordinator = {
    ...coordinator,
    mount(point, thing, options) {
      const undo = counted(() => coordinator.mount(point, thing, options))();
      points.add(point);
      if (point === "tools") tools.add(thing);
      return undo;
    },
    provide: counted((name, provider) => coordinator.provide(name, provider)),
    registerCapability(name: string, value: unknown) {
      capabilities.add(name);
      return counted(() => coordinator.registerCapability(name, value))();
    },
    registerContributor: counted((channel, name, callback) =>
      coordinator.registerContributor(channel, name, callback),
    ),
    hooks: {
      ...hooks,
      gate: counted((event, handler, options) => hooks.gate(event, handler, options)),
      observe: counted((event, handler, options) => hooks.observe(event, handler, options)),
      register: counted((event, handler, options) => hooks.register(event, handler, options)),
      on: counted((event, handler, options) => hooks.on(event, handler, options)),
    },
  };
  const registeredAnything = () => registrations > 0;
  return { coordinator: Object.freeze(recording), tools, points, capabilities, registeredAnything };
}

function closeable(coordinator: Coordinator, module: string, closed: AbortSignal): Coordinator {
  const guard = <Members extends object>(members: Members): Members => {
    const guarded = Object.entries(members).map(([name, member]: [string, unknown]) => {
      if (typeof member !== "function") return [name, member];
      const call = (...parameters: unknown[]): unknown => {
        requireOpen(module, closed);
        return Reflect.apply(member, members, parameters);
      };
      return [name, call];
    });
    return Object.fromEntries(guarded) as Members;
  };
  return {
    ...guard(coordinator),
    hooks: guard(coordinator.hooks),
    registerCleanup(cleanup) {
      if (!closed.aborted) return coordinator.registerCleanup(cleanup);
      void runLate(cleanup, coordinator);
      return () => {};
    },
  };
}

function requireOpen(module: string, closed: AbortSignal): void {
  if (!closed.aborted) return;
  const problem = "its mount failed or took too long; its coordinator is closed";
  throw new ToolmountError("MODULE_MOUNT_FAILED", { module, problem });
}

async function runLate(cleanup: () => unknown, { logger }: Coordinator): Promise<void> {
  try {
    await cleanup();
  } catch (err) {
    logger.warn({ err }, "a cleanup failed");
  }
}
