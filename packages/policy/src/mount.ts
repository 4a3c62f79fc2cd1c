import { basename } from "node:path";
import type { Coordinator, PlanPosition } from "@toolmount/core";
import { createBudgets } from "./budgets.ts";
import type { PolicyConfig } from "./config.ts";
import { createLevel } from "./level.ts";
import { mountLoopGuard } from "./loop-guard.ts";
import { createRule } from "./rule.ts";
import { createWebhookApprover } from "./webhook-approver.ts";

/** Mounts what a plan's `policy:` section says. */
export async function mount(coordinator: Coordinator, settings: PolicyConfig): Promise<void> {
  const { level, rules, budgets, loopGuard, approver } = settings;
  coordinator.mount("policies", createLevel(level));
  for (const [index, rule] of rules.entries())
    coordinator.mount(
      "policies",
      createRule(rule, index, () => placeOf(coordinator, index)),
    );
  if (budgets !== undefined) coordinator.mount("policies", createBudgets(budgets, coordinator.hooks));
  if (loopGuard !== undefined) mountLoopGuard(loopGuard, coordinator.hooks);
  if (approver !== undefined) coordinator.mount("approver", createWebhookApprover(approver.webhook));
}

/** The place of a rule: `plan.yaml:12:5`. Looked up each time, because an edit of the plan can move it. */
function placeOf(coordinator: Coordinator, index: number): string | undefined {
  const find = coordinator.getCapability("plan.position") as
    | ((path: readonly (string | number)[]) => PlanPosition | undefined)
    | null;
  const at = find?.(["policy", "rules", index]);
  return at === undefined ? undefined : `${basename(at.file)}:${at.line}:${at.column}`;
}
