import type { ToolDefinition } from "@toolmount/core";

/** Members with which libraries say that a tool asks first: the AI SDK and OpenAI Agents, Mastra, Amplifier, and variants. */
const flags = [
  "needsApproval",
  "needs_approval",
  "requireApproval",
  "require_approval",
  "requiresApproval",
  "requires_approval",
] as const;

/**
 * The `requiresConfirmation` of a tool of another library; nothing where the tool does not say that it asks first. A
 * function gets the arguments and decides for each call; its promise is awaited, and an error asks. Any other value than
 * `false`, such as a rule in words of the library's own, asks each time.
 */
export function approvalFlags(tool: object): Pick<ToolDefinition, "requiresConfirmation"> {
  const given = flags.map((flag) => (tool as Readonly<Record<string, unknown>>)[flag]);
  const asking = given.find((flag) => flag !== undefined && flag !== null && flag !== false);
  if (asking === undefined) return {};
  if (typeof asking !== "function") return { requiresConfirmation: true };
  const options = { toolCallId: "", messages: [] };
  return {
    requiresConfirmation: (params: unknown) =>
      Reflect.apply(asking, tool, [params, options]) as boolean | Promise<boolean>,
  };
}
