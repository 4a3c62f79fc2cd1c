import { createHost, type Coordinator, type JsonObject, type ToolDefinition } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { authoredDefinition, recogniseModule, runMount } from "@toolmount/core/internal";
import type { HostMessage } from "./messages.ts";
import { importFile } from "./import-module.ts";

/** A module that is mounted in this process. */
export interface FarModule {
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** Why tools of the module are not among these: their contract needs an adapter, which only the host has. */
  readonly skipped: readonly string[];
  /** The module keeps state between calls, so all its calls must run in this process. */
  readonly keepsState: boolean;
}

/** Imports and mounts a module, with a host of its own that has the folder of the plan. */
export async function mountFar(message: Extract<HostMessage, { type: "mount" }>): Promise<FarModule> {
  const { module, folder, protectedPaths } = message;
  const exports = await importFile(module.specifier);
  const host = createHost();
  host.coordinator.registerCapability("session.working_dir", folder);
  host.coordinator.registerCapability("session.protected_paths", protectedPaths);
  // Arguments arrive parsed, so a JSON Schema is not compiled again.
  host.coordinator.mount("schema-compiler", {
    compile: () => (value) => ({ ok: true, value: value as never }),
  });
  const tools = new Map<string, ToolDefinition>();
  const draft = host.draft();
  const config = module.config as JsonObject;
  const { coordinator } = draft.addModule({
    id: module.specifier,
    config,
    // The host that sent the call has checked the texts of its tools.
    hiddenText: "allow",
    shapeTool(tool) {
      const own = authoredDefinition(tool);
      tools.set(own.name, own);
      return {};
    },
  });
  const mounted = new Set<unknown>();
  const skipped: string[] = [];
  const recognised = recogniseModule(module.specifier, exports);
  const watched = skipping(coordinator, mounted, skipped);
  await runMount(module.specifier, recognised, watched, config, (tool) => mounted.has(tool));
  await draft.commit();
  return { tools, skipped, keepsState: exports["keepsState"] === true };
}

/**
 * A coordinator that skips a tool that core refuses: one of another contract, such as an Aptix class, whose adapter is in the
 * host alone. The host has checked all others. Problems of skipped tools go to `skipped`.
 */
function skipping(coordinator: Coordinator, mounted: Set<unknown>, skipped: string[]): Coordinator {
  const mount = (...given: Parameters<Coordinator["mount"]>) => {
    mounted.add(given[1]);
    if (given[0] !== "tools") return coordinator.mount(...given);
    try {
      return coordinator.mount(...given);
    } catch (error) {
      skipped.push(messageOf(error));
      return () => {};
    }
  };
  return Object.freeze({ ...coordinator, mount });
}
