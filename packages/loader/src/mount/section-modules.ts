import type { JsonObject } from "@toolmount/core";
import { hookModule, sectionConfig, sectionTable } from "../modules/section-table.ts";
import { isRecord } from "../diagnostics/json.ts";
import { mapForeign } from "../plan/amplifier.ts";
import type { PlanEntry } from "../plan/check-entries.ts";
import type { Plan } from "../plan/check-plan.ts";
import { createModesModule } from "./modes-module.ts";
import { extensionUse, type ModuleUse } from "./module-use.ts";

/** Returns the modules for sections of the plan: one for its modes, and those of the section table. */
export function listSectionModules(plan: Plan): ModuleUse[] {
  const uses = addCommandHooks(tableUses(plan), plan);
  return [...modesUse(plan), ...addParts(uses, plan)];
}

function modesUse({ modes }: Plan): ModuleUse[] {
  if (modes === undefined) return [];
  const use = extensionUse("modes", 'section "modes"', { path: ["modes"], configPath: ["modes"] });
  const source = { kind: "built-in" as const, written: "modes", module: createModesModule(modes) };
  return [{ ...use, source, neededFor: undefined }];
}

function tableUses(plan: Plan): ModuleUse[] {
  const uses = new Map<string, ModuleUse>();
  for (const row of sectionTable) {
    const value = plan.sections[row.section];
    const config = value === undefined ? null : sectionConfig(row, value);
    if (config === null) continue;
    const path = [row.section];
    const at = { path, configPath: row.as === "config" ? path : [] };
    const use = uses.get(row.module) ?? extensionUse(row.module, `section "${row.section}"`, at);
    const sections = [...(use.memberSections ?? []), ...(row.as === "member" ? path : [])];
    uses.set(row.module, { ...use, memberSections: sections, config: { ...use.config, ...config } });
  }
  return [...uses.values()];
}

/** Adds command hooks to the config of the policy's module, because this module runs them before and after calls. */
function addCommandHooks(uses: readonly ModuleUse[], { commandHooks }: Plan): readonly ModuleUse[] {
  if (commandHooks.length === 0) return uses;
  const known = uses.find(({ id }) => id === hookModule);
  const at = { path: ["hooks"], configPath: ["hooks"] };
  const use = known ?? extensionUse(hookModule, "a command in hooks", at);
  const hooks = commandHooks.map(({ hook }) => hook);
  const config = { ...use.config, commandHooks: hooks } as unknown as JsonObject;
  return [...uses.filter((other) => other !== known), { ...use, section: "policy", config }];
}

/** Returns a test for entries of an Amplifier plan that become config of `@toolmount/reasoner` instead of a module. */
export function isReasonerPart({ amplifier }: Plan): (entry: PlanEntry) => boolean {
  return ({ section, module, source }) =>
    amplifier && mapForeign(section, module, source)?.kind === "reasoner";
}

const reasoner = "@toolmount/reasoner";

/** Adds orchestrator, context, providers and agents of an Amplifier plan to `session` in the reasoner's config. */
function addParts(uses: readonly ModuleUse[], plan: Plan): ModuleUse[] {
  const parts = plan.entries.filter(isReasonerPart(plan));
  const [first] = parts;
  const { agents } = plan;
  const known = uses.find(({ id }) => id === reasoner);
  const hasAgents = isRecord(agents) && Object.keys(agents).length > 0;
  if (first === undefined && !(hasAgents && known !== undefined)) return [...uses];
  const path = first?.path.slice(0, 1) ?? ["agents"];
  const use = known ?? extensionUse(reasoner, `section "${String(path[0])}"`, { path, configPath: [] });
  const own = use.config["session"] as JsonObject | undefined;
  const session = { ...own, ...readParts(parts), ...(agents !== undefined && agents !== null && { agents }) };
  const config = { ...use.config, session } as JsonObject;
  return [...uses.filter((other) => other !== known), { ...use, memberSections: ["session"], config }];
}

function readParts(parts: readonly PlanEntry[]): Record<string, unknown> {
  const of = (section: PlanEntry["section"]) =>
    parts
      .filter((part) => part.section === section)
      .map(({ module, id, config }) => ({
        module,
        ...(id !== undefined && { id }),
        ...(config && { config }),
      }));
  const [[orchestrator], [context], providers] = [of("orchestrator"), of("context"), of("providers")];
  return {
    ...(orchestrator && { orchestrator }),
    ...(context && { context }),
    ...(providers.length > 0 && { providers }),
  };
}
