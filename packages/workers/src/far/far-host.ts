import { createRequire } from "node:module";
import { createHost, type Coordinator, type Draft, type Host } from "@toolmount/core";
import type * as adapters from "@toolmount/interop";
import type { HostMessage } from "./messages.ts";

type Places = Pick<
  Extract<HostMessage, { type: "mount" }>,
  "folder" | "protectedPaths" | "secretPaths" | "layer"
>;

/** Makes the host in a process that runs a module's calls, with the paths for which the module may ask. */
export function createFarHost({ folder, protectedPaths, secretPaths, layer }: Places): Host {
  const host = createHost();
  host.coordinator.registerCapability("session.working_dir", folder);
  host.coordinator.registerCapability("session.protected_paths", protectedPaths);
  host.coordinator.registerCapability("session.secret_paths", secretPaths);
  if (layer !== undefined) {
    host.coordinator.registerCapability("session.layer", layer);
    host.coordinator.registerCapability("session.in_layer", true);
  }
  // The host that sends the calls has compiled each JSON Schema and checks the arguments with it, so nothing is parsed here.
  // Core does not try out a parser that throws.
  host.coordinator.mount("schema-compiler", {
    compile: () => () => {
      throw new Error("the host parses these arguments");
    },
    print: (schema, side) => interop().createSchemaCompiler().print?.(schema, side),
  });
  return host;
}

/** Loads the adapters synchronously, because a schema is printed synchronously. */
function interop(): typeof adapters {
  return createRequire(import.meta.url)("@toolmount/interop") as typeof adapters;
}

/** Mounts the adapters of other contracts, for a module that may belong to one. */
export async function mountAdapters(draft: Draft): Promise<void> {
  const { mount } = await import("@toolmount/interop/mount");
  await mount(draft.addModule({ id: "@toolmount/interop" }).coordinator, {});
}

/** Returns a coordinator that also adds everything that is mounted to `mounted`. */
export function noting(coordinator: Coordinator, mounted: Set<unknown>): Coordinator {
  const mount = (...given: Parameters<Coordinator["mount"]>) => {
    mounted.add(given[1]);
    return coordinator.mount(...given);
  };
  return Object.freeze({ ...coordinator, mount });
}
