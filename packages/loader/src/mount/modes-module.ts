import type { Coordinator, ModeCatalog, ModeSummary } from "@toolmount/core";
import { digestOf } from "@toolmount/core/internal";
import type { ModuleExports } from "../modules/import.ts";
import type { ModesDocument } from "../plan/schema.ts";

/** The modes of a plan; see {@link ModesDocument}. */
export type PlanModes = ModesDocument;

/** A module that mounts a plan's modes at `mode-catalog`. */
export function createModesModule({ catalog }: PlanModes): ModuleExports {
  const modes = catalog.map((mode, index): ModeSummary => ({
    id: mode.id ?? idOf(mode.key),
    key: mode.key,
    displayName: mode.displayName,
    description: mode.description ?? "",
    systemPromptSummary: mode.systemPromptSummary ?? "",
    isDefault: catalog.some(({ isDefault }) => isDefault) ? mode.isDefault : index === 0,
    humanRoleHints: mode.humanRoleHints ?? null,
    exampleUtterances: mode.exampleUtterances ?? null,
    tools: mode.tools,
  }));
  const modeCatalog: ModeCatalog = { listModes: async () => modes };
  return { mount: (coordinator: Coordinator) => void coordinator.mount("mode-catalog", modeCatalog) };
}

/** A GUID without hyphens (version 8) that is the same for a key whenever and wherever the plan is read. */
function idOf(key: string): string {
  const digest = digestOf({ mode: key });
  return `${digest.slice(0, 12)}8${digest.slice(13, 16)}8${digest.slice(17, 32)}`;
}
