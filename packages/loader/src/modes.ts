import { matchesGlob, type Coordinator, type ModeCatalog, type ModeSummary } from "@toolmount/core";
import type { ModuleExports } from "./import.ts";
import type { ModesDocument } from "./plan-schema.ts";

/** The modes of a plan; see {@link ModesDocument}. */
export type PlanModes = ModesDocument;

/** A module that mounts a plan's modes at `mode-catalog`. */
export function createModesModule({ catalog }: PlanModes): ModuleExports {
  const modes = catalog.map((mode, index): ModeSummary => ({
    id: mode.id ?? mode.key,
    key: mode.key,
    displayName: mode.displayName,
    description: mode.description ?? "",
    systemPromptSummary: mode.systemPromptSummary ?? "",
    isDefault: catalog.some(({ isDefault }) => isDefault) ? mode.isDefault : index === 0,
    humanRoleHints: mode.humanRoleHints ?? null,
    exampleUtterances: mode.exampleUtterances ?? null,
  }));
  const modeCatalog: ModeCatalog = { listModes: async () => modes };
  return { mount: (coordinator: Coordinator) => void coordinator.mount("mode-catalog", modeCatalog) };
}

/** The modes that offer a tool; undefined when all of them do. */
export function modesOf(modes: PlanModes | undefined, name: string): readonly string[] | undefined {
  if (modes === undefined) return undefined;
  const keys = modes.catalog
    .filter(({ tools }) => tools.some((glob) => matchesGlob(glob, name)))
    .map(({ key }) => key);
  return keys.length === modes.catalog.length ? undefined : keys;
}
