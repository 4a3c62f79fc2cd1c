import { type ToolContext, type ToolDefinition } from "@toolmount/core";
import { approvalFlags } from "../schema/approval-flags.ts";
import { answerOf } from "../schema/foreign-result.ts";
import { isParser, readSchema } from "../schema/foreign-schema.ts";
import { foreignTool } from "../schema/foreign-tool.ts";
import { isRecord, readText, type Members } from "../schema/guards.ts";

/** Members in which plain tools have the function that does their work, and those in which they have their schema. */
const works = ["execute", "handler", "run", "call", "func", "fn", "callback", "invoke"] as const;
const schemas = ["parameters", "inputSchema", "input_schema", "schema", "args"] as const;

/** The description, schema and work of a plain tool. */
interface Parts {
  readonly facts: Members;
  readonly schema: unknown;
  readonly work: (...given: readonly unknown[]) => unknown;
}

/** Returns the parts of `{ name, description, parameters, execute }` and its variants; null if one of them is missing. */
export function partsOf(tool: Members): Parts | null {
  const inner = [tool["function"], tool["spec"], tool["metadata"], tool["toolSpec"]].find(isFacts);
  const facts = inner ?? tool;
  const work = works.map((key) => tool[key]).find((value) => typeof value === "function");
  // A schema that can check values says more than the JSON Schema that was printed from it.
  const own = schemas.map((key) => tool[key]).find((value) => isParser(value));
  const schema = own ?? schemas.map((key) => facts[key]).find((value) => isHolder(value));
  if (work === undefined || schema === undefined || readText(facts["name"]) === "") return null;
  return { facts, schema, work: work as Parts["work"] };
}

function isFacts(value: unknown): value is Members {
  return isRecord(value) && typeof value["name"] === "string";
}

function isHolder(value: unknown): boolean {
  return (typeof value === "object" || typeof value === "function") && value !== null;
}

/** Returns a plain tool as a definition of ours. Its work gets the arguments, then `{ signal, abortSignal, toolCallId }`. */
export function fromPlainTool(tool: Members, { facts, schema, work }: Parts): ToolDefinition {
  const name = readText(facts["name"]);
  return foreignTool({
    ...approvalFlags(tool),
    name,
    description: facts["description"],
    arguments: readSchema(name, schema),
    run: async (input, context) => answerOf(await Reflect.apply(work, tool, [input, optionsOf(context)])),
  });
}

function optionsOf({ abortSignal, callId }: ToolContext) {
  return { signal: abortSignal, abortSignal, toolCallId: callId };
}
