import type { ToolDefinition } from "@toolmount/core";
import type { Members } from "./guards.ts";

/** Members with which a tool says that it asks first: our own, the AI SDK and OpenAI Agents, Mastra, Amplifier, and variants. */
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
 * What a tool of another shape says in words of our contract: the shape must not drop what a plan's rules look at. A value
 * that our contract does not have is one of the library's own.
 */
function classified(tool: Members): Guards {
  const category = categories.find((one) => one === tool["category"]);
  const consequenceLevel = levels.find((one) => one === tool["consequenceLevel"]);
  return { ...(category && { category }), ...(consequenceLevel && { consequenceLevel }) };
}

/**
 * The classification and the `requiresConfirmation` of a tool of another library, as far as it says them. A
 * function gets the arguments and decides for each call; its promise is awaited, and an error asks. Any other value than
 * `false`, such as a rule in words of the library's own, asks each time.
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
