import { data, defineTool, failure, type ToolContext, type ToolInfo } from "@toolmount/core";
import { nearestNames } from "@toolmount/core/text";
import { activateTools, activeTools } from "@toolmount/core/sessions";
import { z } from "zod";
import { activateToolsUsage as usage } from "./activate-tools-usage.ts";
import { activatedEvent, noTools, toolsFor, type Services } from "./services.ts";

const missing = "tool_ids is required: an array of names";

const schema = z.strictObject({
  tool_ids: z
    .array(z.string().min(1).max(200), { error: ({ input }) => (input === undefined ? missing : undefined) })
    .min(1, missing)
    .max(100)
    .describe("Names of the tools to activate, as the list of available tools or tool_search gives them"),
});

/** Makes the tool `activate_tools`, which has tools offered in full from the next request on. */
export function createActivateTools(_settings: object = {}, services: Services = noTools) {
  return defineTool({
    name: "activate_tools",
    description:
      "Makes tools ready to be called in this session: from the next request on each is offered with its arguments and guidance. Use before calling a tool that is only a line in the list of available tools; not for tools that are ready.",
    summary: "Makes available tools ready to be called.",
    usage,
    schema,
    // A call changes only which tools a model is shown.
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    alwaysOffered: true,
    idempotent: true,
    tags: ["discovery"],
    version: "1.0.0",
    async execute({ tool_ids }, context) {
      if (context.sessionId === undefined)
        return failure("this call belongs to no session, in which tools could be active", {
          code: "SESSION_MISSING",
        });
      const known = await toolsFor(services, context);
      const { names, unknown } = sort(tool_ids, known);
      if (names.length === 0) return nothingKnown(unknown, known);
      const before = new Set(activeTools(context.session));
      const activated = names.filter((name) => !before.has(name));
      activateTools(context.session, activated);
      if (activated.length > 0) tell(services, context, activated);
      return data({
        result: "ok",
        activated,
        already_active: names.filter((name) => before.has(name)),
        unknown,
      });
    },
  });
}

/** Returns the known names, each once and with aliases resolved, and the unknown names. */
function sort(given: readonly string[], known: readonly ToolInfo[]) {
  const meant = new Map(known.flatMap(({ name, aliases }) => [name, ...aliases].map((each) => [each, name])));
  const names = given.flatMap((each) => meant.get(each) ?? []);
  return { names: [...new Set(names)], unknown: given.filter((each) => !meant.has(each)) };
}

function nothingKnown(unknown: readonly string[], known: readonly ToolInfo[]) {
  const names = known.map(({ name }) => name);
  const near = [...new Set(unknown.flatMap((each) => nearestNames(each, names)))].slice(0, 5);
  const hint = near.length > 0 ? `Did you mean ${near.join(", ")}?` : "Use tool_search to find one.";
  return failure(
    `There is no tool named ${unknown
      .map((each) => `'${each}'`)
      .join(", ")
      .slice(0, 500)}. ${hint}`,
    {
      code: "UNKNOWN_TOOLS",
      details: { unknown: [...unknown], near },
    },
  );
}

function tell({ announce }: Services, context: ToolContext, tools: readonly string[]): void {
  const { tool, callId, runId, sessionId } = context;
  announce?.(activatedEvent, {
    tools,
    tool_name: tool,
    tool_call_id: callId,
    run_id: runId,
    session_id: sessionId,
  });
}
