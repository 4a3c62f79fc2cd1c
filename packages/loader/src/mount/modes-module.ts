import type { Coordinator, ModeCatalog, ModeSummary, ToolInfo } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import { matchesGlob } from "@toolmount/core/text";
import type { ModuleExports } from "../modules/source.ts";
import type { PlanModes } from "../plan/schema.ts";

/** Returns a module that mounts a plan's modes at `mode-catalog`. */
export function createModesModule({ catalog }: PlanModes): ModuleExports {
  const hasDefault = catalog.some(({ isDefault }) => isDefault);
  const modes = catalog.map((mode, index): ModeSummary => ({
    ...mode,
    id: mode.id ?? idOf(mode.key),
    description: mode.description ?? "",
    systemPromptSummary: mode.systemPromptSummary ?? "",
    isDefault: hasDefault ? mode.isDefault : index === 0,
    humanRoleHints: mode.humanRoleHints ?? null,
    exampleUtterances: mode.exampleUtterances ?? null,
  }));
  const modeCatalog: ModeCatalog = { listModes: async () => modes };
  return {
    mount(coordinator: Coordinator) {
      coordinator.mount("mode-catalog", modeCatalog);
      // Aptix's tools ask for the catalog under this name.
      coordinator.registerCapability("IAgentModeCatalogService", aptixCatalog(modes));
    },
    lint: (_config: unknown, { tools }: { readonly tools: readonly ToolInfo[] }) =>
      catalog.flatMap((mode, index) => findDeadGlobs(mode.tools, index, tools)),
  };
}

/**
 * Returns the catalog in the form that classes of TUL-010 (Aptix) expect. A summary also has its members with a capital letter,
 * which JSON leaves out.
 */
function aptixCatalog(modes: readonly ModeSummary[]): ModeCatalog & {
  GetAllModesAsync(signal?: AbortSignal): Promise<readonly ModeSummary[]>;
} {
  const summaries = modes.map((mode) => {
    const upper = Object.entries(mode).map(([key, value]): [string, PropertyDescriptor] => [
      key.charAt(0).toUpperCase() + key.slice(1),
      { value },
    ]);
    return Object.defineProperties({ ...mode }, Object.fromEntries(upper));
  });
  return {
    listModes: async () => modes,
    async GetAllModesAsync(signal) {
      signal?.throwIfAborted();
      return summaries;
    },
  };
}

/** Finds names and globs of a mode that match no offered tool. `*` is always valid, even without any tool. */
function findDeadGlobs(globs: readonly string[], index: number, tools: readonly ToolInfo[]) {
  return globs.flatMap((written, at) => {
    const glob = written.replace(/^!/, "");
    if (glob === "*" || tools.some(({ name }) => matchesGlob(glob, name))) return [];
    const problem = `no tool of the plan matches "${glob}"`;
    return [{ path: ["catalog", index, "tools", at], problem }];
  });
}

/** Returns a GUID without hyphens (version 8) for a key. The same key always gets the same GUID. */
function idOf(key: string): string {
  const digest = digestOf({ mode: key });
  return `${digest.slice(0, 12)}8${digest.slice(13, 16)}8${digest.slice(17, 32)}`;
}
