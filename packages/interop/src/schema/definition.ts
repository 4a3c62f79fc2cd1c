import {
  data,
  omissionLine,
  type JsonSchema,
  type ToolContext,
  type ToolDefinition,
  type ToolInfo,
  type ToolOutcome,
} from "@toolmount/core";
import { foreignDefinition } from "@toolmount/core/modules";
import { inNewestEdition, withFlatRoot } from "@toolmount/core/schemas";
import { approvalFlags } from "./approval-flags.ts";
import { repairSchema } from "./repair.ts";

/** Those members of a listed tool that are sent to a provider. */
export type OfferedTool = Pick<ToolInfo, "name" | "description" | "inputSchema">;

/** Returns a tool's schema as the APIs of models take it: of JSON Schema 2020-12, and without unions at its root. */
export function sentSchema(inputSchema: JsonSchema): JsonSchema {
  return withFlatRoot(inNewestEdition(inputSchema));
}

/**
 * A function that does the work of a tool which a provider's definition describes. Its return value becomes the result's data.
 */
export type ForeignWork = (params: Readonly<Record<string, unknown>>, context: ToolContext) => unknown;

/** Returns a provider's definition of a tool, with a function for its work, as ours. Types of other languages are replaced. */
export function defineForeign(
  given: object,
  name: string,
  description: string,
  schema: JsonSchema | undefined,
  work: ForeignWork,
): ToolDefinition {
  return foreignDefinition({
    ...approvalFlags(given),
    name,
    description,
    schema: repairSchema(schema ?? { type: "object", properties: {} }).schema,
    execute: async (params, context) =>
      data(await work(params as Readonly<Record<string, unknown>>, context)),
  });
}

/** Returns an outcome as the text that a model reads: the data, or `Error: …` with its code, and then notes. */
export function outcomeText({ result }: Pick<ToolOutcome, "result">): string {
  if (result.error !== undefined) {
    const code = result.code === undefined ? "" : ` [${result.code}]`;
    return [`Error: ${result.error}${code}`, ...noteLines(result)].join("\n");
  }
  const text = typeof result.data === "string" ? result.data : JSON.stringify(result.data ?? null);
  return [text, ...noteLines(result)].join("\n");
}

/** Returns the lines that a model reads after a result: warnings, and what the result leaves out. */
export function noteLines({ warnings = [], omitted = [] }: ToolOutcome["result"]): readonly string[] {
  return [...warnings.map((warning) => `Warning: ${warning}`), ...omitted.map(omissionLine)];
}
