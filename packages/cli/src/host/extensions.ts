import type { GivenModules } from "@toolmount/loader";

/** Modules that the command brings with it, for plans whose own folder does not have them; each imported when it is needed. */
export const extensions: GivenModules = {
  "@toolmount/policy": () => import("@toolmount/policy"),
  "@toolmount/interop": () => import("@toolmount/interop/mount"),
  // A server in a layer is started by a process of its session.
  "@toolmount/mcp": Object.assign(() => import("@toolmount/mcp"), {
    file: () => import.meta.resolve("@toolmount/mcp"),
  }),
  "@toolmount/reasoner": () => import("@toolmount/reasoner"),
  "@toolmount/store": () => import("@toolmount/store"),
  "@toolmount/workers": () => import("@toolmount/workers"),
};
