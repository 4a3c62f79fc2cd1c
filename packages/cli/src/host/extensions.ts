import type { GivenModules } from "@toolmount/loader";

/** Packages that come with the command, for plans whose folder does not have them. Each is imported when a plan needs it. */
export const extensions: GivenModules = {
  "@toolmount/policy": () => import("@toolmount/policy"),
  "@toolmount/interop": () => import("@toolmount/interop/mount"),
  // A server in a layer is started by a separate process, which imports this file by its URL.
  "@toolmount/mcp": Object.assign(() => import("@toolmount/mcp"), {
    file: () => import.meta.resolve("@toolmount/mcp"),
  }),
  "@toolmount/reasoner": () => import("@toolmount/reasoner"),
  "@toolmount/store": () => import("@toolmount/store"),
  "@toolmount/workers": () => import("@toolmount/workers"),
};
