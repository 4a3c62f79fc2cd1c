import type { Coordinator, GateHandler, GateOptions, Hooks, Json, ObserverHandler } from "@toolmount/core";
import { capabilityOf, shapeOf, type CapabilityShape } from "./crossing.ts";
import type { Grants } from "./messages.ts";

/** A module's contribution to a channel; the callback returns its value. */
export interface Contributor {
  readonly channel: string;
  readonly name: string;
  readonly callback: () => unknown;
}

/** A hook that a module has registered. */
export interface FarHook {
  readonly id: number;
  readonly kind: "gate" | "observe";
  readonly event: string;
  readonly handler: GateHandler | ObserverHandler;
  readonly options: GateOptions;
}

/** Everything that a module has registered besides its tools. */
export interface Registrations {
  readonly contributors: Set<Contributor>;
  /** Hooks by their numbers. */
  readonly hooks: Map<number, FarHook>;
  readonly capabilities: Map<string, { readonly value: unknown; readonly shape: CapabilityShape }>;
  /** Events that the module itself announces and emits. */
  own: ReadonlySet<string>;
  /** Whether the module is mounted. Later registrations throw, because the host does not learn of them. */
  isMounted: boolean;
}

export function createRegistrations(): Registrations {
  return {
    contributors: new Set(),
    hooks: new Map(),
    capabilities: new Map(),
    own: new Set(),
    isMounted: false,
  };
}

/** Calls a method of a capability of the host. */
export type UseCapability = (name: string, method: string, given: readonly Json[]) => Promise<unknown>;

/**
 * Returns a coordinator that accepts tools, cleanups, contributions, and those hooks and capabilities that the plan grants.
 * Other registrations throw, because they would have no effect in the host.
 */
export function grantedCoordinator(
  coordinator: Coordinator,
  grants: Grants,
  registrations: Registrations,
  use: UseCapability,
): Coordinator {
  const mount: Coordinator["mount"] = (point, thing, options) => {
    if (point !== "tools") return refuse(`mounts at "${point}"`);
    return coordinator.mount(point, thing, options);
  };
  return Object.freeze({
    ...coordinator,
    mount,
    hooks: grantedHooks(coordinator.hooks, grants, registrations),
    provide: (name: string) => refuse(`adds "${name}" to the context of tools`),
    registerCapability(name: string, value: unknown) {
      requireGranted(grants.capabilities, name, `registers the capability "${name}"`, "capabilities");
      requireMounting(registrations, `registers the capability "${name}"`);
      const capability = { value, shape: shapeOf(name, value) };
      const undo = coordinator.registerCapability(name, value);
      registrations.capabilities.set(name, capability);
      return () => {
        if (registrations.capabilities.get(name) === capability) registrations.capabilities.delete(name);
        return undo();
      };
    },
    getCapability(name: string): unknown {
      const own: unknown = coordinator.getCapability(name);
      if (own !== null) return own;
      const shape = Object.hasOwn(grants.given, name) ? grants.given[name]! : null;
      return shape === null ? null : capabilityOf(name, shape, (method, given) => use(name, method, given));
    },
    registerContributor(channel: string, name: string, callback: () => unknown) {
      const contributor = { channel, name, callback };
      const undo = coordinator.registerContributor(channel, name, callback);
      registrations.contributors.add(contributor);
      return () => {
        registrations.contributors.delete(contributor);
        return undo();
      };
    },
  });
}

/**
 * Returns a hook registry. The host calls its hooks by messages; this process also runs them for events that the module emits.
 */
function grantedHooks(hooks: Hooks, grants: Grants, registrations: Registrations): Hooks {
  let next = 0;
  const add = (
    kind: FarHook["kind"],
    event: string,
    handler: GateHandler | ObserverHandler,
    options: GateOptions,
  ) => {
    requireGranted(grants.hooks, event, `registers a hook on "${event}"`, "hooks");
    requireMounting(registrations, `registers a hook on "${event}"`);
    const undo = hooks[kind](event, handler as GateHandler, options);
    const hook = { id: next++, kind, event, handler, options };
    registrations.hooks.set(hook.id, hook);
    return () => {
      registrations.hooks.delete(hook.id);
      return undo();
    };
  };
  const gate: Hooks["gate"] = (event, handler, options = {}) => add("gate", event, handler, options);
  const observe: Hooks["observe"] = (event, handler, options = {}) => add("observe", event, handler, options);
  const register: Hooks["register"] = (event, handler, options) =>
    event === "tool:pre" || event === "tool:post"
      ? gate(event, handler, options)
      : observe(event, handler, options);
  const unregister = (name: string) => {
    for (const [id, hook] of registrations.hooks)
      if (hook.options.name === name) registrations.hooks.delete(id);
    return hooks.unregister(name);
  };
  return Object.freeze({ ...hooks, gate, observe, register, on: register, unregister });
}

function requireGranted(granted: readonly string[], name: string, what: string, key: keyof Grants): void {
  if (!granted.includes(name)) refuse(what, `run: { in: process, ${key}: [${JSON.stringify(name)}] }`);
}

function requireMounting({ isMounted }: Registrations, what: string): void {
  if (isMounted) refuse(`${what} after its mount`);
}

/** Throws an error that names what would have no effect behind a border. `grant` is what a plan writes to allow it there. */
export function refuse(what: string, grant?: string): never {
  const allow = grant === undefined ? "" : `; if the plan is to allow that, write ${grant}`;
  throw new Error(`it ${what}; ${limits}${allow}; ${howToTrust}`);
}

const limits = "behind a border a module can mount tools, contribute plain data, and do what its plan allows";

/** Advice about what a plan can write for a module that does more. */
const howToTrust = "if you trust its code, write run: { in: inline }, or run: { in: process, border: none }";
