import { data, defineTool, failure, type ModeSummary } from "@toolmount/core";
import { z } from "zod";
import { listModesUsage as usage } from "./list-modes-usage.ts";
import type { ModeServices } from "./services.ts";

const schema = z.strictObject({
  includeExamples: z
    .boolean()
    .default(false)
    .describe("Whether each mode comes with things that users say when they want it"),
});

const outputSchema = z.strictObject({
  modes: z.array(
    z.strictObject({
      id: z.string(),
      key: z.string(),
      displayName: z.string(),
      description: z.string(),
      systemPromptSummary: z.string(),
      isDefault: z.boolean(),
      humanRoleHints: z.array(z.string()),
      exampleUtterances: z.array(z.string()),
    }),
  ),
});

/**
 * Makes the tool `agent_list_modes`, which lists the modes in the catalog. If the catalog is missing or fails, that is logged,
 * and the call fails.
 */
export function createListModes(_settings: object, services: ModeServices) {
  return defineTool({
    name: "agent_list_modes",
    description:
      "Lists the modes that the mode catalog has, with what each is for. Use when the user asks which modes there are, or before proposing another one; not on every message, and not to change the mode.",
    summary: "Lists the modes of the agent.",
    usage,
    schema,
    outputSchema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    idempotent: true,
    tags: ["modes"],
    version: "1.0.0",
    async execute({ includeExamples }, { abortSignal: signal, logger }) {
      try {
        const modes = await services.catalog!.listModes({ signal });
        return data({
          modes: modes.filter((mode) => mode !== null).map((mode) => show(mode, includeExamples)),
        });
      } catch (err) {
        logger.error(
          { err },
          "[agent_list_modes_ExecuteAsync__Exception] the mode catalog could not be read",
        );
        return failure("AgentListModesTool failed to list modes.", { code: "MODES_NOT_LISTED" });
      }
    },
  });
}

/** Returns a mode for the answer. Missing texts and lists become empty, because the catalog may come from another author. */
function show(mode: Partial<ModeSummary>, includeExamples: boolean) {
  return {
    id: mode.id ?? "",
    key: mode.key ?? "",
    displayName: mode.displayName ?? "",
    description: mode.description ?? "",
    systemPromptSummary: mode.systemPromptSummary ?? "",
    isDefault: mode.isDefault ?? false,
    humanRoleHints: [...(mode.humanRoleHints ?? [])],
    exampleUtterances: includeExamples ? [...(mode.exampleUtterances ?? [])] : [],
  };
}
