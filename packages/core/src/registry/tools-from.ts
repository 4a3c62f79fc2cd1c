import { ToolmountError } from "../contract/errors.ts";
import type { ToolContext } from "../contract/context.ts";
import { Answer, data, type ToolReturn } from "../contract/result.ts";
import type { SchemaOutput, ToolSchema } from "../contract/standard-schema.ts";
import type { Tool, ToolDefinition } from "../contract/tool.ts";
import { defineTool } from "./define-tool.ts";

/** Describes a function as a tool. Whatever it leaves out is assumed to be risky: the tool acts outside, and each call asks. */
export interface FunctionTool<Schema extends ToolSchema = ToolSchema> extends Partial<
  Omit<ToolDefinition, "name" | "description" | "schema" | "execute">
> {
  /** One or two sentences for the model: what the tool does, when to use it, and when not. */
  readonly description: string;
  /** The schema of the function's only argument, an object. */
  readonly schema: Schema;
}

/** Functions that take what the schemas of `About` parse. They return data, or what `data` and `failure` make. */
type Functions<About extends Record<string, FunctionTool>> = {
  readonly [Name in keyof About]: (
    args: SchemaOutput<About[Name]["schema"]>,
    context: ToolContext,
  ) => unknown;
};

/**
 * Makes a tool of each function: `toolsFrom({ findOrders }, { findOrders: { description, schema, category: "read" } })`.
 * That tool is called `find_orders`. What the function returns is the data of the result, and what it throws is a failure.
 * A tool of category `read` does not ask; each call of any other tool asks, unless `requiresConfirmation` says otherwise.
 *
 * Throws `TOOL_INVALID` for a function without a description and schema, and for a description without a function.
 */
export function toolsFrom<const About extends Record<string, FunctionTool>>(
  functions: Functions<About>,
  about: About,
): readonly Tool[] {
  const names = new Set([...Object.keys(functions), ...Object.keys(about)]);
  return [...names].map((name) => {
    const [run, facts] = [functions[name], about[name]];
    if (typeof run !== "function") throw invalid(name, "is described, but no function has that name");
    if (facts === undefined) throw invalid(name, "is a function without a description and a schema");
    return toolFrom(name, run as Run, facts);
  });
}

type Run = (args: unknown, context: ToolContext) => unknown;

function toolFrom(name: string, run: Run, facts: FunctionTool): Tool {
  const { category = "side_effect" } = facts;
  const { consequenceLevel = category === "read" ? "low" : "medium" } = facts;
  const { requiresConfirmation = category !== "read" } = facts;
  return defineTool({
    ...facts,
    category,
    consequenceLevel,
    requiresConfirmation,
    name: name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_").toLowerCase(),
    async execute(args: unknown, context: ToolContext): Promise<ToolReturn> {
      const value = await run(args, context);
      return value instanceof Answer ? (value as ToolReturn) : data(value);
    },
  });
}

function invalid(tool: string, problem: string): ToolmountError {
  return new ToolmountError("TOOL_INVALID", { tool, problem });
}
