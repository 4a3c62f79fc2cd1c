import { basename } from "node:path";
import type { Coordinator, PlanPosition } from "@toolmount/core";
import { matchesGlob } from "@toolmount/core/text";
import { openBudgets } from "./budgets.ts";
import { mountCommandHook } from "./command-hook.ts";
import type { Budgets, PolicyConfig } from "./config.ts";
import { createFlows } from "./flows/flow-policy.ts";
import type { FlowsConfig } from "./flows/schema.ts";
import { createLevel } from "./level.ts";
import { createListPolicy, listNames } from "./list-policy.ts";
import { mountGuard } from "./loop-guard.ts";
import { createRule } from "./rule.ts";
import { createWebhookApprover } from "./webhook-approver.ts";

/** Mounts the policies and guards of a plan's `policy:` section. */
export async function mount(coordinator: Coordinator, settings: PolicyConfig): Promise<void> {
  const { level, rules, budgets, approver, flows, commandHooks = [] } = settings;
  coordinator.mount("policies", createLevel(level));
  for (const [index, rule] of rules.entries())
    coordinator.mount(
      "policies",
      createRule(rule, index, () => placeOf(coordinator, ["policy", "rules", index])),
    );
  for (const list of listNames)
    for (const [index, written] of settings[list].entries())
      coordinator.mount(
        "policies",
        createListPolicy(list, written, () => placeOf(coordinator, ["policy", list, index])),
      );
  if (flows !== undefined) mountFlows(flows, coordinator);
  if (budgets !== undefined) mountBudgets(budgets, coordinator);
  for (const hook of commandHooks) mountCommandHook(hook, coordinator);
  if (approver !== undefined) coordinator.mount("approver", createWebhookApprover(approver));
}

function mountBudgets(budgets: Budgets, coordinator: Coordinator): void {
  const { policy, countAlso } = openBudgets(budgets, coordinator);
  coordinator.mount("policies", policy);
  if (budgets.repeats !== undefined) mountGuard(budgets.repeats, coordinator, countAlso);
  const { per } = budgets;
  if (per === "day" || per === "month") coordinator.registerCapability("host.budget_period", per);
}

function mountFlows(flows: FlowsConfig, coordinator: Coordinator): void {
  const place = (index: number) => placeOf(coordinator, ["policy", "flows", "into", index]);
  coordinator.mount("policies", createFlows(flows, place));
  const { mcpUsers } = flows;
  if (mcpUsers.length > 0)
    coordinator.registerCapability("flows.believesClientOf", (userId = "") =>
      mcpUsers.some((user) => matchesGlob(user, userId)),
    );
}

/** Returns the place of a rule, such as `plan.yaml:12:5`. It is looked up each time, because an edit of the plan can move it. */
function placeOf(coordinator: Coordinator, path: readonly (string | number)[]): string | undefined {
  const find = coordinator.getCapability("plan.position") as
    | ((path: readonly (string | number)[]) => PlanPosition | undefined)
    | null;
  const at = find?.(path);
  return at === undefined ? undefined : `${basename(at.file)}:${at.line}:${at.column}`;
}
