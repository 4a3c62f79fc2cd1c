import type { GivenModules } from "@toolmount/loader";

/** Modules that the command brings for plans whose folder does not have them. Each is imported when it is needed. */
export const extensions: GivenModules = {
  "@toolmount/policy": () => import("@toolmount/policy"),
  "@toolmount/interop": () => import("@toolmount/interop/mount"),
  // A process of the session starts a server in a layer, so it needs the URL of this file.
  "@toolmount/mcp": Object.assign(() => import("@toolmount/mcp"), {
    file: () => import.meta.resolve("@toolmount/mcp"),
  }),
  "@toolmount/reasoner": () => import("@toolmount/reasoner"),
  "@toolmount/store": () => import("@toolmount/store"),
  "@toolmount/workers": () => import("@toolmount/workers"),
};
