import type { Coordinator, Undo } from "@toolmount/core";

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

/** Wraps the coordinator of a module so that its registrations are recorded. */
export function createRecordingCoordinator(coordinator: Coordinator): RecordingCoordinator {
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
