import { failure, type ToolContext, type ToolDefinition, type ToolReturn } from "@toolmount/core";
import { foreignDefinition } from "@toolmount/core/modules";
import { ArgumentsRefused, type ForeignSchema } from "./foreign-schema.ts";

/** The parts of a tool of another library. */
interface ForeignTool extends Pick<
  ToolDefinition,
  "name" | "category" | "consequenceLevel" | "requiresConfirmation" | "timeout" | "execution" | "outputSchema"
> {
  /** The description. A tool without one is offered by its name, as its library would do. */
  readonly description: unknown;
  readonly arguments: ForeignSchema;
  readonly run: (input: unknown, context: ToolContext) => Promise<ToolReturn> | ToolReturn;
}

/** Returns a tool of another library as a definition of ours. The library's own parse comes before the work. */
export function foreignTool(tool: ForeignTool): ToolDefinition {
  const { description, arguments: given, run, ...facts } = tool;
  return foreignDefinition({
    ...facts,
    name: validName(tool.name),
    description: typeof description === "string" && description.trim() !== "" ? description : tool.name,
    schema: given.schema,
    execute: async (input, context) => {
      // The host's arguments are frozen, but tools of other libraries may change theirs.
      const own = structuredClone(input);
      if (given.parse === undefined) return run(own, context);
      try {
        return await run(await given.parse(own), context);
      } catch (error) {
        if (!(error instanceof ArgumentsRefused)) throw error;
        return failure(error.message || "the arguments were refused", { code: "ARGUMENTS_REFUSED" });
      }
    },
  });
}

/** Returns a valid name. Some libraries accept any text as a name, and offer the tool to a model under a changed name. */
function validName(name: string): string {
  const valid = name.replaceAll(/[^A-Za-z0-9_.-]+/g, "_").replace(/^[.-]+/, "");
  return valid === "" ? name : valid.slice(0, 128);
}
