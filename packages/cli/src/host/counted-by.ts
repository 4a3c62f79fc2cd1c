import type { JsonObject } from "@toolmount/core";

/**
 * Which servers count the budgets of a plan together, where not all of them do; undefined for a plan without budgets, and for one
 * whose state other machines may share.
 */
export function countedBy({ policy, state }: JsonObject): string | undefined {
  const { budgets } = (policy ?? {}) as { readonly budgets?: unknown };
  if (budgets === undefined) return undefined;
  if (state === "memory") return "each server counts its own, from zero at each start";
  const isHere = state === undefined || (typeof state === "string" && state.startsWith("sqlite:"));
  return isHere
    ? "the servers of this machine count together; with state: postgres://… all servers do"
    : undefined;
}
