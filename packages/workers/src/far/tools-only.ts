import type { Coordinator } from "@toolmount/core";

/** A module adds to a pull channel. */
export interface Contributor {
  readonly channel: string;
  readonly name: string;
  readonly callback: () => unknown;
}

/**
 * A coordinator that takes tools, cleanups and contributions. Whatever else a module registers would have no effect in the
 * host, so it throws.
 */
export function toolsOnly(coordinator: Coordinator, contributors: Set<Contributor>): Coordinator {
  const { hooks } = coordinator;
  const mount: Coordinator["mount"] = (point, thing, options) => {
    if (point !== "tools") return refuse(`mounts at "${point}"`);
    return coordinator.mount(point, thing, options);
  };
  const refuseHook = () => refuse("registers a hook");
  return Object.freeze({
    ...coordinator,
    mount,
    hooks: Object.freeze({
      ...hooks,
      gate: refuseHook,
      observe: refuseHook,
      register: refuseHook,
      on: refuseHook,
    }),
    provide: (name: string) => refuse(`adds "${name}" to the context of tools`),
    registerCapability: (name: string) => refuse(`registers the capability "${name}"`),
    registerContributor(channel: string, name: string, callback: () => unknown) {
      const contributor = { channel, name, callback };
      const undo = coordinator.registerContributor(channel, name, callback);
      contributors.add(contributor);
      return () => {
        contributors.delete(contributor);
        return undo();
      };
    },
  });
}

/** What a plan can say for a module that does more than mount tools. */
const howToTrust =
  "behind a border a module can only mount tools, and contribute plain data; if you trust its code, write run: { in: inline }, or run: { in: process, border: none }";

/** Throws with what a module does that has no effect behind a border. */
export function refuse(what: string): never {
  throw new Error(`it ${what}; ${howToTrust}`);
}
