import { ToolmountError, type Mount, type StandardSchema } from "@toolmount/core";
import type { ModuleExports } from "./import.ts";
import { isRecord } from "./json.ts";

/** A module as it can be mounted. */
export type LoadedModule =
  | { readonly kind: "mount"; readonly mount: Mount; readonly config: StandardSchema | undefined }
  /** One file beside a plan: it only exports tools. */
  | { readonly kind: "tools"; readonly tools: readonly { readonly name: string }[] };

/**
 * Recognises a module by its exports: a function `mount`, perhaps with a schema `config`; or else tools.
 * Throws `MODULE_INVALID`, before anything of the module is run.
 */
export function recogniseModule(name: string, exports: ModuleExports): LoadedModule {
  const { mount, config } = exports;
  if (mount !== undefined) return recogniseMount(name, mount, config);
  const tools = [...new Set(Object.values(exports).filter(isTool))];
  if (tools.length > 0) return { kind: "tools", tools };
  const found = Object.keys(exports).slice(0, 20).join(", ") || "nothing";
  throw new ToolmountError("MODULE_INVALID", {
    module: name,
    problem: `it exports neither a function "mount" nor a tool made with defineTool; it exports ${found}`,
  });
}

function recogniseMount(name: string, mount: unknown, config: unknown): LoadedModule {
  if (typeof mount !== "function") {
    throw new ToolmountError("MODULE_INVALID", { module: name, problem: `its "mount" is no function` });
  }
  if (config !== undefined && !isSchema(config)) {
    throw new ToolmountError("MODULE_INVALID", {
      module: name,
      problem: `its "config" is no schema (Zod's, or another Standard Schema)`,
    });
  }
  return { kind: "mount", mount: mount as Mount, config };
}

function isSchema(value: unknown): value is StandardSchema {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") && "~standard" in value
  );
}

/** A tool of any contract that is an object; the core, or an adapter, looks closer. */
function isTool(value: unknown): value is { readonly name: string } {
  return isRecord(value) && typeof value["name"] === "string" && typeof value["execute"] === "function";
}
