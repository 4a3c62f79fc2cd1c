import type { Coordinator } from "@toolmount/core";

/**
 * A coordinator that takes tools and cleanups alone. Whatever else a module registers would have no effect in the host,
 * so it throws.
 */
export function toolsOnly(coordinator: Coordinator): Coordinator {
  const { hooks } = coordinator;
  const mount: Coordinator["mount"] = (point, thing, options) => {
    if (point !== "tools") return refuse(`mounts at "${point}"`);
    const name = (thing as { readonly name?: unknown }).name;
    if (options?.name !== undefined && options.name !== name)
      return refuse(`mounts the tool "${String(name)}" under another name`);
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
    registerContributor: (channel: string) => refuse(`contributes to "${channel}"`),
  });
}

/** What a plan can say for a module that does more than mount tools. */
const howToTrust =
  "behind a border a module can only mount tools; if you trust its code, write run: { in: inline }, or run: { in: process, border: none }";

/** Throws with what a module does that has no effect behind a border. */
export function refuse(what: string): never {
  throw new Error(`it ${what}; ${howToTrust}`);
}
