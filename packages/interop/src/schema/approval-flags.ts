import type { ToolDefinition } from "@toolmount/core";
import type { Members } from "./guards.ts";

/**
 * Members with which tools say that a person must be asked first: ours, and those of the AI SDK, OpenAI Agents, Mastra,
 * Amplifier.
 */
const flags = [
  "requiresConfirmation",
  "needsApproval",
  "needs_approval",
  "requireApproval",
  "require_approval",
  "requiresApproval",
  "requires_approval",
] as const;

type Guards = Pick<ToolDefinition, "requiresConfirmation" | "category" | "consequenceLevel">;

const categories = ["read", "write", "delete", "side_effect"] as const;
const levels = ["low", "medium", "high"] as const;

/**
 * Returns what a tool of another library says in the words of our contract, because a plan's rules depend on it. Values that
 * our contract does not have are the library's own, and are ignored.
 */
function classified(tool: Members): Guards {
  const category = categories.find((one) => one === tool["category"]);
  const consequenceLevel = levels.find((one) => one === tool["consequenceLevel"]);
  return { ...(category && { category }), ...(consequenceLevel && { consequenceLevel }) };
}

/**
 * Returns the classification and `requiresConfirmation` of a tool of another library, as far as it states them. A function gets
 * the arguments and decides for each call; its promise is awaited, and if it fails, a person is asked. Any other value except
 * `false` and null, such as a rule in the library's own form, means that a person is asked each time.
 */
export function approvalFlags(tool: object): Guards {
  const given = flags.map((flag) => (tool as Members)[flag]);
  const asking = given.find((flag) => flag !== undefined && flag !== null && flag !== false);
  const own = classified(tool as Members);
  if (asking === undefined) return own;
  if (typeof asking !== "function") return { ...own, requiresConfirmation: true };
  const options = { toolCallId: "", messages: [] };
  return {
    ...own,
    requiresConfirmation: (params: unknown) =>
      Reflect.apply(asking, tool, [params, options]) as boolean | Promise<boolean>,
  };
}
