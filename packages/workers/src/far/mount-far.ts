import { createHost, type Coordinator, type JsonObject, type ToolDefinition } from "@toolmount/core";
import { authoredDefinition } from "@toolmount/core/internal";
import type { HostMessage } from "./messages.ts";
import { importFile } from "./import-module.ts";

/** A module that is mounted in this process. */
export interface FarModule {
  readonly tools: ReadonlyMap<string, ToolDefinition>;
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
  for (const tool of await toolsOf(exports, coordinator, config)) coordinator.mount("tools", tool);
  await draft.commit();
  return { tools, keepsState: exports["keepsState"] === true };
}

type Mountable = { readonly name: string };

/** Calls `mount` and returns the tools that it returned; of a module without `mount`, the exported tools. */
async function toolsOf(
  { mount, ...others }: Readonly<Record<string, unknown>>,
  coordinator: Coordinator,
  config: JsonObject,
): Promise<readonly Mountable[]> {
  if (typeof mount !== "function") return [...new Set(Object.values(others).filter(isTool))];
  const mounted = new Set<unknown>();
  const watched: Coordinator = Object.freeze({
    ...coordinator,
    mount: (...parameters: Parameters<Coordinator["mount"]>) => {
      mounted.add(parameters[1]);
      return coordinator.mount(...parameters);
    },
  });
  const returned: unknown = await (mount as (...parameters: unknown[]) => unknown)(watched, config);
  return listReturned(returned).filter((tool) => !mounted.has(tool));
}

function listReturned(returned: unknown): readonly Mountable[] {
  if (typeof returned !== "object" || returned === null) return [];
  if (Array.isArray(returned)) return returned as readonly Mountable[];
  if (isTool(returned)) return [returned];
  return listReturned((returned as { readonly tools?: unknown }).tools);
}

function isTool(value: unknown): value is Mountable {
  return typeof value === "object" && value !== null && "execute" in value && "name" in value;
}
